// Memory of the simulated cards. It is the CPU's: every storage of a card has a twin, a CPU storage over the same
// bytes, on which kernels of the CPU work.
#pragma once
#include <c10/core/Allocator.h>
#include <c10/core/Storage.h>

namespace sim_npu {

/// The allocator of PrivateUse1; takes memory on the current card.
c10::Allocator* allocator();

/// The CPU storage over the same bytes.
c10::Storage twin_of(const c10::Storage& on_card);
/// A storage of card `index` over the bytes of `cpu`, which becomes its twin.
c10::Storage on_card(c10::Storage cpu, c10::DeviceIndex index);
/// After a kernel gave the twin other bytes (a resize): the card's storage follows.
void follow_twin(const c10::Storage& on_card, const c10::Storage& twin);

/// From now on the card has no memory to give, until empty_cache().
void exhaust_memory(c10::DeviceIndex index);
void empty_cache();
/// Calls of empty_cache() so far.
int emptied_caches();
[[noreturn]] void throw_out_of_memory(c10::DeviceIndex index, size_t bytes);

}  // namespace sim_npu
