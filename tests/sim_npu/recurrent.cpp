// Cells of recurrent networks in one kernel: LibTorch takes them apart on the CPU, and expects them of PrivateUse1.
#include <ATen/ATen.h>
#include <torch/library.h>

#include <vector>

#include "twins.h"

namespace sim_npu {
namespace {

using c10::OperatorHandle;
using torch::jit::Stack;
using Tensors = std::vector<at::Tensor>;

// Half precision is computed in float32, as devices do.
at::Tensor wide(const c10::IValue& value) {
  const at::Tensor t = value.isTensor() ? value.toTensor() : at::Tensor();
  return t.defined() && t.element_size() < 4 ? t.to(at::kFloat) : t;
}

void give(Stack& stack, const Tensors& results, at::ScalarType dtype) {
  stack.clear();
  for (const at::Tensor& t : results) stack.push_back(t.defined() ? t.to(dtype) : t);
}

at::Tensor with_bias(const at::Tensor& gates, const at::Tensor& bias) {
  return bias.defined() ? gates + bias : gates;
}

at::Tensor slope_of_sigmoid(const at::Tensor& y) {
  return y * (1 - y);
}

at::Tensor slope_of_tanh(const at::Tensor& y) {
  return 1 - y * y;
}

at::Tensor summed(const at::Tensor& gates, bool wanted) {
  return wanted ? gates.sum(0) : at::Tensor();
}

// Hochreiter and Schmidhuber, 1997: input, forget, cell and output gate.
void lstm_cell(Stack& cpu) {
  const auto dtype = cpu[0].toTensor().scalar_type();
  const at::Tensor cx = wide(cpu[2]);
  const Tensors gates = (with_bias(wide(cpu[0]), wide(cpu[3])) + with_bias(wide(cpu[1]), wide(cpu[4]))).chunk(4, 1);
  const at::Tensor in = gates[0].sigmoid(), forget = gates[1].sigmoid(), cell = gates[2].tanh(),
                   out = gates[3].sigmoid();
  const at::Tensor cy = forget * cx + in * cell;
  give(cpu, {out * cy.tanh(), cy, at::cat({in, forget, cell, out}, 1)}, dtype);
}

void lstm_cell_backward(Stack& cpu) {
  const auto dtype = cpu[2].toTensor().scalar_type();
  const at::Tensor cx = wide(cpu[2]), tanh_cy = wide(cpu[3]).tanh();
  const bool has_bias = cpu[5].toBool();
  const Tensors gates = wide(cpu[4]).chunk(4, 1);
  const at::Tensor &in = gates[0], &forget = gates[1], &cell = gates[2], &out = gates[3];
  const at::Tensor given_hy = wide(cpu[0]), given_cy = wide(cpu[1]);
  const at::Tensor grad_hy = given_hy.defined() ? given_hy : at::zeros_like(cx);
  at::Tensor grad_cy = grad_hy * out * slope_of_tanh(tanh_cy);
  if (given_cy.defined()) grad_cy = grad_cy + given_cy;
  const at::Tensor grad_gates = at::cat({grad_cy * cell * slope_of_sigmoid(in), grad_cy * cx * slope_of_sigmoid(forget),
                                         grad_cy * in * slope_of_tanh(cell), grad_hy * tanh_cy * slope_of_sigmoid(out)},
                                        1);
  give(cpu, {grad_gates, grad_cy * forget, summed(grad_gates, has_bias)}, dtype);
}

// Cho et al., 2014, with the reset gate after the hidden product: reset, update and new gate.
void gru_cell(Stack& cpu) {
  const auto dtype = cpu[0].toTensor().scalar_type();
  const at::Tensor hx = wide(cpu[2]);
  const Tensors from_input = with_bias(wide(cpu[0]), wide(cpu[3])).chunk(3, 1);
  const Tensors from_hidden = with_bias(wide(cpu[1]), wide(cpu[4])).chunk(3, 1);
  const at::Tensor reset = (from_input[0] + from_hidden[0]).sigmoid(),
                   update = (from_input[1] + from_hidden[1]).sigmoid(),
                   fresh = (from_input[2] + reset * from_hidden[2]).tanh();
  give(cpu, {fresh + update * (hx - fresh), at::cat({reset, update, fresh, hx, from_hidden[2]}, 1)}, dtype);
}

void gru_cell_backward(Stack& cpu) {
  const auto dtype = cpu[0].toTensor().scalar_type();
  const at::Tensor grad_hy = wide(cpu[0]);
  const bool has_bias = cpu[2].toBool();
  const Tensors saved = wide(cpu[1]).chunk(5, 1);
  const at::Tensor &reset = saved[0], &update = saved[1], &fresh = saved[2], &hx = saved[3], &hidden = saved[4];
  const at::Tensor grad_fresh = grad_hy * (1 - update) * slope_of_tanh(fresh);
  const at::Tensor grad_update = grad_hy * (hx - fresh) * slope_of_sigmoid(update);
  const at::Tensor grad_reset = grad_fresh * hidden * slope_of_sigmoid(reset);
  const at::Tensor to_input = at::cat({grad_reset, grad_update, grad_fresh}, 1);
  const at::Tensor to_hidden = at::cat({grad_reset, grad_update, grad_fresh * reset}, 1);
  give(cpu, {to_input, to_hidden, grad_hy * update, summed(to_input, has_bias), summed(to_hidden, has_bias)}, dtype);
}

template <void (*cell)(Stack&)>
void kernel(const OperatorHandle& op, Stack* stack) {
  run_as(op, stack, cell);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("_thnn_fused_lstm_cell", torch::CppFunction::makeFromBoxedFunction<&kernel<&lstm_cell>>());
  library.impl("_thnn_fused_lstm_cell_backward_impl",
               torch::CppFunction::makeFromBoxedFunction<&kernel<&lstm_cell_backward>>());
  library.impl("_thnn_fused_gru_cell", torch::CppFunction::makeFromBoxedFunction<&kernel<&gru_cell>>());
  library.impl("_thnn_fused_gru_cell_backward",
               torch::CppFunction::makeFromBoxedFunction<&kernel<&gru_cell_backward>>());
}

}  // namespace
}  // namespace sim_npu
