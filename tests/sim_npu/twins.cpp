#include "twins.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <set>

#include "device.h"
#include "faults.h"
#include "generator.h"
#include "memory.h"

namespace sim_npu {
namespace {

// Layouts that one storage does not hold stay on the CPU.
bool is_plain(const at::Tensor& t) {
  return t.defined() && t.layout() == at::kStrided && !t.is_quantized() && !t.is_nested() && t.has_storage();
}

// Operators that take tensors of the CPU beside those of a device by design.
bool takes_host_tensors(const std::string& name) {
  static const std::set<std::string> names = {"aten::_copy_from",
                                              "aten::_copy_from_and_resize",
                                              "aten::index",
                                              "aten::index_put_",
                                              "aten::index_put",
                                              "aten::_index_put_impl_",
                                              "aten::_unsafe_index",
                                              "aten::_unsafe_index_put",
                                              "aten::_ctc_loss",
                                              "aten::_ctc_loss_backward",
                                              "aten::_pack_padded_sequence",
                                              "aten::_pad_packed_sequence"};
  return names.count(name) != 0;
}

at::Tensor over(c10::Storage storage, const at::Tensor& model, c10::DispatchKey key) {
  at::Tensor t = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key), model.dtype());
  auto* impl = t.unsafeGetTensorImpl();
  impl->set_storage_offset(model.storage_offset());
  impl->set_sizes_and_strides(model.sizes(), model.strides());
  if (model.is_complex()) impl->_set_conj(model.is_conj());
  impl->_set_neg(model.is_neg());
  if (model._is_zerotensor()) impl->_set_zero(true);
  if (model.unsafeGetTensorImpl()->is_wrapped_number()) impl->set_wrapped_number(true);
  return t;
}

bool takes_generator(const c10::Argument& declared) {
  const auto* optional = declared.type()->castRaw<c10::OptionalType>();
  return optional != nullptr && optional->getElementType()->kind() == c10::TypeKind::GeneratorType;
}

}  // namespace

void Twins::meet(at::Device device) {
  const c10::DeviceIndex index = device.has_index() ? device.index() : current_device();
  const bool host_fits = takes_host_tensors(op_.operator_name().name);
  TORCH_CHECK(card_ < 0 || card_ == index,
              "Expected all tensors to be on the same device, but found npu:", static_cast<int>(card_),
              " and npu:", static_cast<int>(index), " among the arguments of ", op_.operator_name().name);
  TORCH_CHECK(!host_tensor_ || host_fits,
              "Expected all tensors to be on the same device, but found npu:", static_cast<int>(index),
              " and cpu among the arguments of ", op_.operator_name().name);
  card_ = index;
}

at::Tensor Twins::to_cpu(const at::Tensor& t) {
  if (!is_plain(t)) return t;
  if (t.device().type() != kNpu) {
    if (t.device().is_cpu() && t.dim() > 0) {
      host_tensor_ = true;
      if (card_ >= 0) meet(at::Device(kNpu, card_));
    }
    return t;
  }
  meet(t.device());
  for (const auto& [card, cpu] : tensors_)
    if (card.is_same(t)) return cpu;
  at::Tensor twin = over(storage_to_cpu(t.storage()), t, c10::DispatchKey::CPU);
  tensors_.emplace_back(t, twin);
  return twin;
}

at::Tensor Twins::to_card(const at::Tensor& t) {
  if (!is_plain(t) || !t.device().is_cpu()) return t;
  for (const auto& [card, cpu] : tensors_)
    if (cpu.is_same(t)) return card;
  return over(storage_to_card(t.storage()), t, c10::DispatchKey::PrivateUse1);
}

c10::Storage Twins::storage_to_cpu(const c10::Storage& s) {
  c10::Storage twin = twin_of(s);
  on_card_.emplace(twin.unsafeGetStorageImpl(), s);
  return twin;
}

c10::Storage Twins::storage_to_card(const c10::Storage& s) {
  auto found = on_card_.find(s.unsafeGetStorageImpl());
  if (found == on_card_.end()) found = on_card_.emplace(s.unsafeGetStorageImpl(), on_card(s, card())).first;
  return found->second;
}

c10::IValue Twins::to_cpu(const c10::IValue& v, const c10::Argument& declared) {
  if (v.isTensor()) return to_cpu(v.toTensor());
  if (v.isTensorList()) {
    auto tensors = v.toTensorVector();
    for (auto& t : tensors) t = to_cpu(t);
    return c10::IValue(std::move(tensors));
  }
  if (v.isOptionalTensorList()) {
    auto tensors = v.toOptionalTensorVector();
    for (auto& t : tensors)
      if (t.has_value()) t = to_cpu(*t);
    return c10::IValue(std::move(tensors));
  }
  if (v.isStorage()) return c10::IValue(storage_to_cpu(v.toStorage()));
  if (v.isDevice() && v.toDevice().type() == kNpu) {
    meet(v.toDevice());
    return c10::IValue(at::Device(at::kCPU));
  }
  if (v.isGenerator() && v.toGenerator().device().type() == kNpu) return c10::IValue(twin_of(v.toGenerator()));
  if (v.isNone() && takes_generator(declared)) return c10::IValue(twin_of(default_generator(card())));
  return v;
}

c10::IValue Twins::to_card(const c10::IValue& v) {
  if (v.isTensor()) return to_card(v.toTensor());
  if (v.isTensorList()) {
    auto tensors = v.toTensorVector();
    for (auto& t : tensors) t = to_card(t);
    return c10::IValue(std::move(tensors));
  }
  return v;
}

bool Twins::is_argument(const at::Tensor& cpu) const {
  return std::any_of(tensors_.begin(), tensors_.end(), [&](const auto& pair) { return pair.second.is_same(cpu); });
}

bool Twins::shares_memory(const at::Tensor& cpu) const {
  return is_plain(cpu) && on_card_.count(cpu.storage().unsafeGetStorageImpl()) != 0;
}

void Twins::settle() {
  for (auto& [twin, card] : std::vector(on_card_.begin(), on_card_.end())) follow_twin(card, twin_of(card));
  for (auto& [card, cpu] : tensors_) {
    auto* impl = card.unsafeGetTensorImpl();
    const c10::Storage storage = storage_to_card(cpu.storage());
    if (storage.unsafeGetStorageImpl() != card.storage().unsafeGetStorageImpl()) impl->set_storage_keep_dtype(storage);
    if (card.storage_offset() != cpu.storage_offset()) impl->set_storage_offset(cpu.storage_offset());
    if (card.sizes() != cpu.sizes() || card.strides() != cpu.strides())
      impl->set_sizes_and_strides(cpu.sizes(), cpu.strides());
  }
}

c10::DeviceIndex Twins::card() const {
  return card_ < 0 ? current_device() : card_;
}

namespace {

// What a fault changes must not be the memory of an argument that the operator only reads.
at::Tensor struck(const Launch& launch, const Twins& twins, at::Tensor result, size_t output) {
  if (!is_plain(result)) return result;
  const bool argument = twins.is_argument(result);
  if (!argument && twins.shares_memory(result)) result = result.clone();
  return launch.change(std::move(result), output, argument);
}

void strike(const Launch& launch, const Twins& twins, torch::jit::Stack& stack) {
  for (size_t i = 0; i < stack.size(); ++i) {
    if (!launch.changes(i)) continue;
    if (stack[i].isTensor()) {
      stack[i] = struck(launch, twins, stack[i].toTensor(), i);
    } else if (stack[i].isTensorList()) {
      auto tensors = stack[i].toTensorVector();
      for (auto& t : tensors) t = struck(launch, twins, t, i);
      stack[i] = c10::IValue(std::move(tensors));
    }
  }
}

bool waits_for_results(const c10::FunctionSchema& schema) {
  return std::any_of(schema.returns().begin(), schema.returns().end(), [](const c10::Argument& r) {
    const auto kind = r.type()->kind();
    return kind != c10::TypeKind::TensorType && kind != c10::TypeKind::ListType;
  });
}

}  // namespace

void run_as(const c10::OperatorHandle& op, torch::jit::Stack* stack,
            const std::function<void(torch::jit::Stack&)>& kernel) {
  const auto& declared = op.schema().arguments();
  Twins twins(op);
  torch::jit::Stack cpu;
  for (size_t i = 0; i < declared.size(); ++i)
    cpu.push_back(twins.to_cpu((*stack)[stack->size() - declared.size() + i], declared[i]));
  const Launch launch(op.operator_name(), twins.card());
  launch.start();
  {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    c10::impl::ExcludeDispatchKeyGuard no_autocast(
        c10::DispatchKeySet({c10::DispatchKey::AutocastCPU, c10::DispatchKey::AutocastPrivateUse1}));
    kernel(cpu);
    if (launch.changes_results()) strike(launch, twins, cpu);
  }
  twins.settle();
  torch::jit::drop(*stack, declared.size());
  for (const auto& result : cpu) stack->push_back(twins.to_card(result));
  if (waits_for_results(op.schema())) synchronize(twins.card());
}

void run_on_twins(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  run_as(op, stack, [&op](torch::jit::Stack& cpu) { op.callBoxed(cpu); });
}

}  // namespace sim_npu
