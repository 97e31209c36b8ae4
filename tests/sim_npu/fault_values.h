// What a fault does to the numbers of a result.
#pragma once
#include <ATen/core/Tensor.h>

#include "fault_plan.h"

namespace sim_npu {

/// Changes the elements of `t` that the fault is meant for, whatever their strides. `call`: its number, for draws.
void change_values(const Fault& fault, const at::Tensor& t, uint64_t call);
at::Tensor without_last_row(const at::Tensor& t);
bool has_fractions(const at::Tensor& t);

}  // namespace sim_npu
