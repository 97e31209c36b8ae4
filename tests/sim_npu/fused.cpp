// torch_npu's fused operators on the simulated cards: its schemas, and for kernels the goldens of src/goldens in
// recorded precision.
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/library.h>

#include <map>
#include <memory>
#include <string>

#include "device.h"
#include "faults.h"
#include "goldens/built_in.h"
#include "ops/convert.h"
#include "twins.h"

namespace sim_npu {
namespace {

using c10::OperatorHandle;
using msprobe::inputs::Value;
using torch::jit::Stack;

constexpr const char* kSchemas[] = {
    "fast_gelu(Tensor input) -> Tensor",
    "npu_apply_adam(Scalar beta1_power, Scalar beta2_power, Scalar lr, Scalar beta1, Scalar beta2, Scalar epsilon, "
    "Tensor grad, bool? use_locking, bool? use_nesterov) -> (Tensor, Tensor, Tensor)",
    "npu_apply_adam.out(Scalar beta1_power, Scalar beta2_power, Scalar lr, Scalar beta1, Scalar beta2, Scalar epsilon, "
    "Tensor grad, bool? use_locking, bool? use_nesterov, *, Tensor[] out) -> (Tensor, Tensor, Tensor)",
    "npu_apply_adam_w(Scalar beta1_power, Scalar beta2_power, Scalar lr, Scalar weight_decay, Scalar beta1, Scalar "
    "beta2, Scalar epsilon, Tensor grad, Tensor? max_grad_norm, bool? amsgrad, bool? maximize) -> (Tensor, Tensor, "
    "Tensor)",
    "npu_apply_adam_w.out(Scalar beta1_power, Scalar beta2_power, Scalar lr, Scalar weight_decay, Scalar beta1, Scalar "
    "beta2, Scalar epsilon, Tensor grad, Tensor? max_grad_norm, bool? amsgrad, bool? maximize, *, Tensor[] out) -> "
    "(Tensor, Tensor, Tensor)",
    "npu_confusion_transpose(Tensor input, int[] perm, int[] shape, bool transpose_first) -> Tensor",
    "npu_confusion_transpose_backward(Tensor grad, int[] perm, SymInt[] shape, bool transpose_first) -> Tensor",
    "npu_fast_gelu(Tensor input) -> Tensor",
    "npu_fast_gelu_backward(Tensor grad, Tensor input) -> Tensor",
    "npu_fusion_attention(Tensor query, Tensor key, Tensor value, int head_num, str input_layout, Tensor? pse=None, "
    "Tensor? padding_mask=None, Tensor? atten_mask=None, float scale=1., float keep_prob=1., int "
    "pre_tockens=2147483647, int next_tockens=2147483647, int inner_precise=0, int[]? prefix=None, int[]? "
    "actual_seq_qlen=None, int[]? actual_seq_kvlen=None, int sparse_mode=0, bool gen_mask_parallel=True, bool "
    "sync=False, str softmax_layout=\"\", Tensor? sink=None, Tensor? dropout_mask=None, int seed=0, int offset=0) -> "
    "(Tensor, Tensor, Tensor, Tensor, int, int, int)",
    "npu_fusion_attention_grad(Tensor query, Tensor key, Tensor value, Tensor dy, int head_num, str input_layout, *, "
    "Tensor? pse=None, Tensor? padding_mask=None, Tensor? atten_mask=None, Tensor? softmax_max=None, Tensor? "
    "softmax_sum=None, Tensor? softmax_in=None, Tensor? attention_in=None, float scale_value=1., float keep_prob=1., "
    "int pre_tockens=2147483647, int next_tockens=2147483647, int inner_precise=0, int seed=0, int offset=0, int "
    "numels=0, int[]? prefix=None, int[]? actual_seq_qlen=None, int[]? actual_seq_kvlen=None, int sparse_mode=0, bool "
    "gen_mask_parallel=True, bool sync=False, str softmax_layout=\"\", Tensor? sink=None) -> (Tensor, Tensor, Tensor, "
    "Tensor, Tensor)",
    "npu_group_norm_silu(Tensor input, Tensor? weight, Tensor? bias, int group, float eps=1.0000000000000001e-05) -> "
    "(Tensor, Tensor, Tensor)",
    "npu_layer_norm_eval(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float "
    "eps=1.0000000000000001e-05) -> Tensor",
    "npu_linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
    "npu_linear_backward(Tensor grad, Tensor input, Tensor weight) -> (Tensor, Tensor)",
    "npu_mish(Tensor input) -> Tensor",
    "npu_mish_backward(Tensor grad, Tensor input) -> Tensor",
    "npu_moe_gating_top_k_softmax(Tensor x, Tensor? finished=None, int k=1) -> (Tensor, Tensor, Tensor)",
    "npu_rms_norm(Tensor input, Tensor gamma, float epsilon=9.9999999999999995e-07) -> (Tensor, Tensor)",
    "npu_rms_norm_backward(Tensor dy, Tensor input, Tensor gamma, Tensor rstd) -> (Tensor, Tensor)",
    "npu_rotary_mul(Tensor input, Tensor r1, Tensor r2, str rotary_mode=\"half\", Tensor? rotate=None) -> Tensor",
    "npu_rotary_mul_backward(Tensor grad, Tensor input, Tensor r1, Tensor r2, str rotary_mode=\"half\") -> (Tensor, "
    "Tensor, Tensor)",
    "npu_scaled_masked_softmax(Tensor x, Tensor mask, Scalar scale=1, bool fixed_triu_mask=False) -> Tensor",
    "npu_scaled_masked_softmax_backward(Tensor y_grad, Tensor y, Tensor mask, Scalar scale, bool fixed_triu_mask) -> "
    "Tensor",
    "npu_sort_v2(Tensor input, int dim=-1, bool descending=False) -> Tensor",
    "npu_sort_v2.out(Tensor input, int dim=-1, bool descending=False, *, Tensor(a!) out) -> Tensor(a!)",
    "npu_swiglu(Tensor input, int dim=-1) -> Tensor",
    "npu_swiglu_backward(Tensor grad_output, Tensor input, int dim=-1) -> Tensor",
};

// The operators that autograd runs through, and the operator that is their backward pass.
const std::map<std::string, std::string> kBackward = {
    {"fast_gelu", "npu_fast_gelu_backward"},
    {"npu_confusion_transpose", "npu_confusion_transpose_backward"},
    {"npu_fast_gelu", "npu_fast_gelu_backward"},
    {"npu_fusion_attention", "npu_fusion_attention_grad"},
    {"npu_linear", "npu_linear_backward"},
    {"npu_mish", "npu_mish_backward"},
    {"npu_rms_norm", "npu_rms_norm_backward"},
    {"npu_rotary_mul", "npu_rotary_mul_backward"},
    {"npu_scaled_masked_softmax", "npu_scaled_masked_softmax_backward"},
    {"npu_swiglu", "npu_swiglu_backward"},
};

std::string short_name(const OperatorHandle& op) {
  const std::string& name = op.operator_name().name;
  return name.substr(name.find("::") + 2);
}

// As at the start of a program: kernels run with autograd's keys masked, and a golden may use autograd itself.
class FreshDispatch {
 public:
  FreshDispatch() : guard_(at_start()) {}

 private:
  static c10::impl::LocalDispatchKeySet at_start() {
    auto keys = c10::impl::tls_local_dispatch_key_set();
    keys.included_ = c10::default_included_set;
    keys.excluded_ = c10::default_excluded_set;
    return keys;
  }

  c10::impl::ForceDispatchKeyGuard guard_;
};

Value call_golden(const OperatorHandle& op, const Stack& arguments) {
  const std::string name = short_name(op);
  const auto* golden = msprobe::goldens::find_built_in(name);
  TORCH_CHECK(golden != nullptr, "no golden of ", name);
  msprobe::inputs::Arguments named;
  const auto& declared = op.schema().arguments();
  for (size_t i = 0; i < declared.size(); ++i)
    named.kwargs.emplace_back(declared[i].name(), msprobe::ops::to_value(arguments[i]));
  return golden->call(named);
}

c10::IValue to_ivalue(const Value& value) {
  if (const auto* t = value.get_if<at::Tensor>()) return *t;
  if (const auto* n = value.get_if<int64_t>()) return *n;
  return at::Tensor();
}

// What an out= overload was given, to be filled.
std::vector<at::Tensor> out_arguments(const OperatorHandle& op, const Stack& arguments) {
  if (op.operator_name().overload_name != "out") return {};
  const c10::IValue& out = arguments.back();
  return out.isTensor() ? std::vector<at::Tensor>{out.toTensor()} : out.toTensorVector();
}

void golden_kernel(const OperatorHandle& op, Stack* stack) {
  TORCH_CHECK(short_name(op).rfind("npu_apply_adam", 0) != 0 || op.operator_name().overload_name == "out",
              short_name(op), " works on the tensors of out=, which are missing");
  run_as(op, stack, [&op](Stack& cpu) {
    const FreshDispatch dispatch;
    const at::AutoGradMode no_grad(false);
    const std::vector<at::Tensor> out = out_arguments(op, cpu);
    Value result = call_golden(op, cpu);
    std::vector<Value> items =
        result.is<msprobe::inputs::List>() ? result.get<msprobe::inputs::List>().items : std::vector<Value>{result};
    items.resize(op.schema().returns().size());
    cpu.clear();
    for (size_t i = 0; i < items.size(); ++i) {
      cpu.push_back(to_ivalue(items[i]));
      if (i >= out.size()) continue;
      const at::Tensor computed = cpu.back().toTensor();
      out[i].resize_(computed.sizes()).copy_(computed);
      cpu.back() = out[i];
    }
  });
}

/// Backward of a fused operator: the golden once more, and autograd through it.
class FusedBackward final : public torch::autograd::Node {
 public:
  FusedBackward(const OperatorHandle& op, Stack arguments, std::vector<at::Tensor> wanted)
      : op_(op), arguments_(std::move(arguments)), wanted_(std::move(wanted)) {}
  std::string name() const override { return op_.operator_name().name + "_backward"; }

 private:
  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    if (gradients.empty() || !gradients[0].defined()) return torch::autograd::variable_list(wanted_.size());
    Twins twins(op_);
    Stack cpu;
    const auto& declared = op_.schema().arguments();
    for (size_t i = 0; i < declared.size(); ++i) cpu.push_back(twins.to_cpu(arguments_[i], declared[i]));
    const at::Tensor gradient = twins.to_cpu(gradients[0]);
    const Launch launch({"npu::" + kBackward.at(short_name(op_)), ""}, twins.card());
    launch.start();
    torch::autograd::variable_list results = differentiate(twins, cpu, gradient);
    const at::AutoGradMode no_grad(false);
    for (size_t i = 0; i < results.size(); ++i) {
      if (!results[i].defined()) continue;
      if (launch.changes(i)) results[i] = launch.change(results[i].clone(), i, /*is_argument=*/false);
      results[i] = twins.to_card(results[i]);
    }
    return results;
  }

  torch::autograd::variable_list differentiate(Twins& twins, Stack cpu, const at::Tensor& gradient) const {
    const FreshDispatch dispatch;
    const at::AutoGradMode grad(true);
    std::vector<at::Tensor> leaves;
    for (const at::Tensor& wanted : wanted_) {
      const at::Tensor twin = twins.to_cpu(wanted), leaf = twin.detach().requires_grad_(true);
      leaves.push_back(leaf);
      for (auto& argument : cpu)
        if (argument.isTensor() && argument.toTensor().is_same(twin)) argument = leaf;
    }
    Value result = call_golden(op_, cpu);
    if (const auto* list = result.get_if<msprobe::inputs::List>()) result = Value(list->items.at(0));
    const at::Tensor output = result.get<at::Tensor>();
    return torch::autograd::grad({output}, leaves, {gradient.to(output.scalar_type())}, /*retain_graph=*/false,
                                 /*create_graph=*/false, /*allow_unused=*/true);
  }

  OperatorHandle op_;
  Stack arguments_;
  std::vector<at::Tensor> wanted_;  // whose gradients go to the next edges, in order
};

// LibTorch counts references to a node in the node itself in later versions.
template <class NodePointer = decltype(torch::autograd::Edge::function)>
auto make_node(const OperatorHandle& op, Stack arguments, std::vector<at::Tensor> wanted) {
  if constexpr (std::is_same_v<NodePointer, std::shared_ptr<torch::autograd::Node>>)
    return std::make_shared<FusedBackward>(op, std::move(arguments), std::move(wanted));
  else
    return c10::make_intrusive<FusedBackward>(op, std::move(arguments), std::move(wanted));
}

void autograd_kernel(const OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
  const size_t count = op.schema().arguments().size();
  Stack arguments(stack->end() - static_cast<std::ptrdiff_t>(count), stack->end());
  std::vector<at::Tensor> wanted;
  torch::autograd::edge_list edges;
  for (auto& argument : arguments) {
    if (!argument.isTensor() || !argument.toTensor().defined()) continue;
    const at::Tensor t = argument.toTensor(), data = t.detach();
    argument = data;
    if (!at::GradMode::is_enabled() || !t.requires_grad()) continue;
    wanted.push_back(data);
    edges.push_back(torch::autograd::impl::gradient_edge(t));
  }
  {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
  }
  if (wanted.empty()) return;
  auto node = make_node(op, std::move(arguments), std::move(wanted));
  node->set_next_edges(std::move(edges));
  // Only the first output has a gradient; the others are what torch_npu keeps for its backward pass.
  const at::Tensor output = (*stack)[stack->size() - op.schema().returns().size()].toTensor();
  torch::autograd::impl::set_gradient_edge(output, {node, node->add_input_metadata(output)});
}

TORCH_LIBRARY_FRAGMENT(npu, library) {
  for (const char* schema : kSchemas) library.def(schema);
}

TORCH_LIBRARY_IMPL(npu, PrivateUse1, library) {
  for (const char* schema : kSchemas) {
    const std::string text(schema);
    library.impl(("npu::" + text.substr(0, text.find('('))).c_str(),
                 torch::CppFunction::makeFromBoxedFunction<&golden_kernel>());
  }
}

// ATen declares it, and only devices have it.
TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("matmul_backward", torch::CppFunction::makeFromBoxedFunction<&golden_kernel>());
}

TORCH_LIBRARY_IMPL(npu, AutogradPrivateUse1, library) {
  for (const auto& [name, backward] : kBackward)
    library.impl(("npu::" + name).c_str(), torch::CppFunction::makeFromBoxedFunction<&autograd_kernel>());
}

// Operators without a gradient pass the autograd key by. Later releases of LibTorch see to that themselves.
const std::unique_ptr<torch::Library> kPassBy = [] {
  constexpr auto kKey = c10::DispatchKey::AutogradPrivateUse1;
  if (c10::Dispatcher::singleton().hasBackendFallbackForDispatchKey(kKey)) return std::unique_ptr<torch::Library>();
  auto library = std::make_unique<torch::Library>(torch::Library::IMPL, "_", kKey, __FILE__, __LINE__);
  library->fallback(torch::CppFunction::makeFallthrough());
  return library;
}();

}  // namespace
}  // namespace sim_npu
