// Random state of the simulated cards: the CPU's generator, one a card.
#pragma once
#include <ATen/core/Generator.h>

namespace sim_npu {

const at::Generator& default_generator(c10::DeviceIndex index);  ///< -1: of the current card
at::Generator new_generator(c10::DeviceIndex index);
/// The CPU generator that a card's generator draws from.
at::Generator twin_of(const at::Generator& generator);

}  // namespace sim_npu
