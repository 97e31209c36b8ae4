// Autocast of the simulated cards: the CPU's list of operators, cast to the dtype that is set for PrivateUse1.
#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>
#include <torch/version.h>

#include <set>
#include <string>

#include "device.h"

namespace sim_npu {
namespace {

using c10::OperatorHandle;
using torch::jit::Stack;

at::ScalarType lower_dtype() {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 4
  return at::autocast::get_autocast_dtype(kNpu);
#else
  return at::autocast::get_autocast_privateuseone_dtype();
#endif
}

template <class F>
void change_tensors(const OperatorHandle& op, Stack& stack, const F& change) {
  const size_t first = stack.size() - op.schema().arguments().size();
  for (size_t i = first; i < stack.size(); ++i) {
    if (stack[i].isTensor()) {
      stack[i] = change(stack[i].toTensor());
    } else if (stack[i].isTensorList()) {
      auto tensors = stack[i].toTensorVector();
      for (auto& t : tensors) t = change(t);
      stack[i] = c10::IValue(std::move(tensors));
    }
  }
}

void call_cast(const OperatorHandle& op, Stack* stack, at::ScalarType dtype) {
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::AutocastPrivateUse1);
  change_tensors(op, *stack, [dtype](const at::Tensor& t) { return at::autocast::cached_cast(dtype, t, kNpu); });
  op.callBoxed(stack);
}

void in_lower_precision(const OperatorHandle& op, Stack* stack) {
  call_cast(op, stack, lower_dtype());
}

void in_float32(const OperatorHandle& op, Stack* stack) {
  call_cast(op, stack, at::kFloat);
}

// To the widest dtype among the arguments.
void in_widest(const OperatorHandle& op, Stack* stack) {
  at::ScalarType widest = lower_dtype();
  change_tensors(op, *stack, [&widest](const at::Tensor& t) {
    if (at::autocast::is_eligible(t, kNpu) && t.scalar_type() == at::kFloat) widest = at::kFloat;
    return t;
  });
  call_cast(op, stack, widest);
}

// PyTorch's documentation lists these for the CPU; whatever else has an autocast kernel there runs in float32.
const std::set<std::string> kLowerPrecision = {"aten::conv1d",
                                               "aten::conv2d",
                                               "aten::conv3d",
                                               "aten::conv_transpose1d",
                                               "aten::conv_transpose2d",
                                               "aten::conv_transpose3d",
                                               "aten::conv_tbc",
                                               "aten::_convolution",
                                               "aten::bmm",
                                               "aten::mm",
                                               "aten::linalg_vecdot",
                                               "aten::baddbmm",
                                               "aten::addmm",
                                               "aten::_addmm_activation",
                                               "aten::addbmm",
                                               "aten::linear",
                                               "aten::matmul",
                                               "aten::mkldnn_rnn_layer",
                                               "aten::prelu",
                                               "aten::scaled_dot_product_attention",
                                               "aten::_native_multi_head_attention"};
const std::set<std::string> kWidest = {"aten::stack", "aten::cat", "aten::index_copy"};

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, library) {
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const auto& name : dispatcher.getAllOpNames()) {
    if (name.name.rfind("aten::", 0) != 0) continue;
    const auto op = dispatcher.findOp(name);
    if (!op || !op->hasSchema() || !op->hasKernelForDispatchKey(c10::DispatchKey::AutocastCPU)) continue;
    const std::string full = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
    if (kLowerPrecision.count(name.name) != 0)
      library.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunction<&in_lower_precision>());
    else if (kWidest.count(name.name) != 0)
      library.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunction<&in_widest>());
    else
      library.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunction<&in_float32>());
  }
}

}  // namespace
}  // namespace sim_npu
