// Which attention scaled_dot_product_attention takes on a card: the one fused kernel where the CPU would take its own.
#include <torch/version.h>

// LibTorch 2.5 brought the device's own fused attention; before it such calls are taken apart.
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 5
#include <ATen/SDPBackend.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/transformers/attention.h>

#include "twins.h"

namespace at::native {
namespace {

int64_t choose_attention(const Tensor& query, const Tensor& key, const Tensor& value, const std::optional<Tensor>& mask,
                         double dropout, bool causal, std::optional<double> scale, bool grouped) {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::_fused_sdp_choice", "");
  sim_npu::Twins twins(op);
  const auto twin = [&](const Tensor& t) {
    return twins.to_cpu(t).requires_grad_(t.requires_grad());  // the choice depends on it
  };
  torch::jit::Stack stack{twin(query), twin(key), twin(value), mask ? c10::IValue(twin(*mask)) : c10::IValue(),
                          dropout,     causal,    scale,       grouped};
  op.callBoxed(stack);
  const bool fused = stack.back().toInt() == static_cast<int64_t>(SDPBackend::flash_attention);
  return static_cast<int64_t>(fused ? SDPBackend::overrideable : SDPBackend::math);
}

}  // namespace

REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &choose_attention)

}  // namespace at::native
#endif
