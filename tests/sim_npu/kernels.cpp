// Kernels of the simulated cards: memory and copies here, the few that a device has to bring, and for all other
// operators the CPU's.
#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <set>
#include <string>

#include "device.h"
#include "fault_plan.h"
#include "faults.h"
#include "memory.h"
#include "stand_ins.h"
#include "twins.h"

namespace sim_npu {
namespace {

using c10::OperatorHandle;
using torch::jit::Stack;

/// Arguments of a boxed call by the names of the schema.
class Named {
 public:
  Named(const OperatorHandle& op, const Stack& stack) : op_(op), stack_(stack) {}
  const c10::IValue& operator[](const std::string& name) const {
    const auto& arguments = op_.schema().arguments();
    const auto index = op_.schema().argumentIndexWithName(name);
    TORCH_CHECK(index.has_value(), op_.operator_name().name, " has no argument ", name);
    return stack_[stack_.size() - arguments.size() + static_cast<size_t>(*index)];
  }

 private:
  const OperatorHandle& op_;
  const Stack& stack_;
};

// ---- memory

class CardGuard {
 public:
  explicit CardGuard(c10::DeviceIndex index) : before_(current_device()) { set_current_device(index); }
  ~CardGuard() { use_device(before_); }
  CardGuard(const CardGuard&) = delete;
  CardGuard& operator=(const CardGuard&) = delete;

 private:
  c10::DeviceIndex before_;
};

c10::DeviceIndex wanted_card(const c10::IValue& device) {
  if (device.isNone() || !device.toDevice().has_index()) return current_device();
  return device.toDevice().index();
}

at::ScalarType wanted_dtype(const c10::IValue& dtype) {
  return dtype.isNone() ? c10::get_default_dtype_as_scalartype() : dtype.toScalarType();
}

void empty(const OperatorHandle& op, Stack* stack) {
  const Named in(op, *stack);
  const CardGuard card(wanted_card(in["device"]));
  auto format = in["memory_format"].toOptional<at::MemoryFormat>();
  at::Tensor result =
      at::detail::empty_generic(in["size"].toDimVector(), allocator(),
                                c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), wanted_dtype(in["dtype"]), format);
  torch::jit::drop(*stack, op.schema().arguments().size());
  stack->push_back(std::move(result));
}

void empty_strided(const OperatorHandle& op, Stack* stack) {
  const Named in(op, *stack);
  const CardGuard card(wanted_card(in["device"]));
  at::Tensor result =
      at::detail::empty_strided_generic(in["size"].toDimVector(), in["stride"].toDimVector(), allocator(),
                                        c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), wanted_dtype(in["dtype"]));
  torch::jit::drop(*stack, op.schema().arguments().size());
  stack->push_back(std::move(result));
}

// Between the CPU and a card, or two cards: each side's twins on their own, since they may not meet in one call.
at::Tensor cpu_view(const OperatorHandle& op, const at::Tensor& t) {
  return Twins(op).to_cpu(t);
}

// A copy that the CPU has of a card's tensor.
void leave(at::Device card, const at::Tensor& to) {
  const Launch launch = Launch::of_copy_to_host(card.index());
  launch.start();
  if (!plan().stand_ins.empty()) stand_in(to);
  if (launch.changes_results()) launch.change(to, 0, true);
}

void copy(const OperatorHandle& op, const at::Tensor& from, const at::Tensor& to) {
  for (const at::Tensor& t : {from, to})
    if (t.device().type() == kNpu && (from.device().is_cpu() || to.device().is_cpu())) synchronize(t.device().index());
  cpu_view(op, to).copy_(cpu_view(op, from));
  if (from.device().type() == kNpu && to.device().is_cpu() && to.layout() == at::kStrided) leave(from.device(), to);
}

void copy_from(const OperatorHandle& op, Stack* stack) {
  const Named in(op, *stack);
  at::Tensor from = in["self"].toTensor(), to = in["dst"].toTensor();
  copy(op, from, to);
  torch::jit::drop(*stack, op.schema().arguments().size());
  stack->push_back(std::move(to));
}

void copy_from_and_resize(const OperatorHandle& op, Stack* stack) {
  const Named in(op, *stack);
  at::Tensor from = in["self"].toTensor(), to = in["dst"].toTensor();
  to.resize_(from.sizes());
  copy(op, from, to);
  torch::jit::drop(*stack, op.schema().arguments().size());
  stack->push_back(std::move(to));
}

// ---- operators that LibTorch leaves to the device

auto find(const char* name, const char* overload = "") {
  return c10::Dispatcher::singleton().findSchema({name, overload});
}

void call(const char* name, Stack& stack) {
  find(name)->callBoxed(stack);
}

void convolution(const OperatorHandle& op, Stack* stack) {
  run_as(op, stack, [](Stack& cpu) { call("aten::convolution", cpu); });
}

void convolution_backward(const OperatorHandle& op, Stack* stack) {
  run_as(op, stack, [&op](Stack& cpu) {
    const Named in(op, cpu);
    c10::IValue bias_sizes;
    if (in["output_mask"].toBoolList().get(2)) bias_sizes = std::vector<int64_t>{in["grad_output"].toTensor().size(1)};
    cpu.insert(cpu.begin() + 3, bias_sizes);
    call("aten::convolution_backward", cpu);
  });
}

constexpr const char* kFlash = "aten::_scaled_dot_product_flash_attention_for_cpu";
constexpr const char* kFlashBackward = "aten::_scaled_dot_product_flash_attention_for_cpu_backward";

void attention(const OperatorHandle& op, Stack* stack) {
  run_as(op, stack, [&op](Stack& cpu) {
    const Named in(op, cpu);
    Stack flash{in["query"], in["key"], in["value"], in["dropout_p"], in["is_causal"], in["attn_bias"], in["scale"]};
    const at::Tensor query = in["query"].toTensor();
    const int64_t longest_query = query.size(-2), longest_key = in["key"].toTensor().size(-2);
    call(kFlash, flash);
    const at::Tensor none = at::empty({0}, at::kLong);  // bookkeeping of packed sequences and of the random state
    cpu = {flash[0], flash[1], none, none, longest_query, longest_key, none, none, at::empty({0}, query.options())};
  });
}

void attention_backward(const OperatorHandle& op, Stack* stack) {
  run_as(op, stack, [&op](Stack& cpu) {
    const Named in(op, cpu);
    Stack flash{in["grad_out"],  in["query"],     in["key"],       in["value"],     in["out"],
                in["logsumexp"], in["dropout_p"], in["is_causal"], in["attn_bias"], in["scale"]};
    call(kFlashBackward, flash);
    flash.emplace_back(at::Tensor());  // the kernel is not chosen where the bias wants a gradient
    cpu = std::move(flash);
  });
}

// ---- registration

using Kernel = void(const OperatorHandle&, Stack*);

template <Kernel* kernel>
void put(torch::Library& library, std::set<std::string>& taken, const std::string& name) {
  const size_t dot = name.find('.');
  if (!find(name.substr(0, dot).c_str(), dot == std::string::npos ? "" : name.substr(dot + 1).c_str())) return;
  library.impl(name.c_str(), torch::CppFunction::makeFromBoxedFunction<kernel>());
  taken.insert(name);
}

// A composite would take an operator apart where the CPU has a kernel in one piece: figures would differ for no reason.
void put_cpu_kernels(torch::Library& library, const std::set<std::string>& taken) {
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const auto& name : dispatcher.getAllOpNames()) {
    if (name.name.rfind("aten::", 0) != 0) continue;
    const std::string full = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
    const auto op = dispatcher.findOp(name);
    if (taken.count(full) != 0 || !op || !op->hasSchema()) continue;
    if (op->hasKernelForDispatchKey(c10::DispatchKey::CPU) &&
        !op->hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1))
      library.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunction<&run_on_twins>());
  }
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_twins>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  std::set<std::string> taken;
  put<&empty>(library, taken, "aten::empty.memory_format");
  put<&empty_strided>(library, taken, "aten::empty_strided");
  put<&copy_from>(library, taken, "aten::_copy_from");
  put<&copy_from_and_resize>(library, taken, "aten::_copy_from_and_resize");
  put<&convolution>(library, taken, "aten::convolution_overrideable");
  put<&convolution_backward>(library, taken, "aten::convolution_backward_overrideable");
  put<&attention>(library, taken, "aten::_scaled_dot_product_fused_attention_overrideable");
  put<&attention_backward>(library, taken, "aten::_scaled_dot_product_fused_attention_overrideable_backward");
  put_cpu_kernels(library, taken);
}

// The copy itself conjugates and negates; LibTorch's fallback would do it by a copy, and so on without end.
TORCH_LIBRARY_IMPL(aten, Conjugate, library) {
  library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, library) {
  library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

}  // namespace
}  // namespace sim_npu
