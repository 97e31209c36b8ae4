#include "memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "device.h"

namespace sim_npu {
namespace {

std::atomic<uint32_t> exhausted_cards{0};  // a bit a card
std::atomic<int> emptied{0};

struct Context {
  c10::Storage twin;
};

void release(void* context) {
  delete static_cast<Context*>(context);
}

c10::DataPtr pointer_over(c10::Storage twin, c10::DeviceIndex index) {
  void* data = const_cast<void*>(twin.data());
  return {data, new Context{std::move(twin)}, &release, at::Device(kNpu, index)};
}

c10::Storage new_cpu_storage(size_t bytes) {
  return c10::Storage(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes,
                                                            c10::GetCPUAllocator()->allocate(bytes),
                                                            c10::GetCPUAllocator(), /*resizable=*/true));
}

c10::DataPtr take(size_t bytes) {
  const c10::DeviceIndex index = current_device();
  if (exhausted_cards.load() >> index & 1) throw_out_of_memory(index, bytes);
  try {
    return pointer_over(new_cpu_storage(bytes), index);
  } catch (const std::exception&) {  // the CPU's own words speak of its allocator
    throw_out_of_memory(index, bytes);
  }
}

// LibTorch 2.1 and 2.2 declare allocate() const and know no copy_data().
class Memory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) { return take(bytes); }
  c10::DataPtr allocate(size_t bytes) const { return take(bytes); }
  void copy_data(void* to, const void* from, std::size_t bytes) const { std::memcpy(to, from, bytes); }
};

}  // namespace

c10::Allocator* allocator() {
  static Memory memory;
  return &memory;
}

c10::Storage twin_of(const c10::Storage& on_card) {
  const auto* context = on_card.data_ptr().cast_context<Context>(&release);
  TORCH_CHECK(context != nullptr, "npu: this memory was not taken from the simulated device's allocator");
  return context->twin;
}

c10::Storage on_card(c10::Storage cpu, c10::DeviceIndex index) {
  const size_t bytes = cpu.nbytes();
  return c10::Storage(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes,
                                                            pointer_over(std::move(cpu), index), allocator(),
                                                            /*resizable=*/true));
}

void follow_twin(const c10::Storage& on_card, const c10::Storage& twin) {
  c10::StorageImpl* impl = on_card.unsafeGetStorageImpl();
  if (on_card.data() == twin.data() && impl->nbytes() == twin.nbytes()) return;
  impl->set_data_ptr_noswap(pointer_over(twin, on_card.device().index()));
  impl->set_nbytes(twin.nbytes());
}

void exhaust_memory(c10::DeviceIndex index) {
  exhausted_cards |= 1u << index;
}

void empty_cache() {
  exhausted_cards = 0;
  ++emptied;
}

int emptied_caches() {
  return emptied;
}

void throw_out_of_memory(c10::DeviceIndex index, size_t bytes) {
  TORCH_CHECK_WITH(OutOfMemoryError, false, "NPU out of memory. Tried to allocate ", bytes,
                   " bytes on npu:", static_cast<int>(index), " (simulated)");
  std::abort();  // not reached: the check throws
}

}  // namespace sim_npu
