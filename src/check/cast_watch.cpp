#include "check/cast_watch.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <map>
#include <string_view>

namespace msprobe::check {

struct WatchedCasts {
  std::map<const c10::StorageImpl*, size_t> places;  // each argument has a storage of its own (inputs/precision.cpp)
  c10::DispatchKey key;
  Rounded rounded;
  at::CallbackHandle handle = 0;

  // `source`: what is cast.
  void note(const c10::IValue& source) {
    if (!source.isTensor()) return;
    const at::Tensor& t = source.toTensor();
    if (!t.defined() || !t.has_storage() || t.scalar_type() == rounded.dtype || !at::isFloatingType(t.scalar_type()))
      return;
    const auto place = places.find(t.storage().unsafeGetStorageImpl());
    if (place != places.end()) rounded.tensors.insert(place->second);
  }

  void see(std::string_view name, c10::ArrayRef<const c10::IValue> inputs) {
    // Autocast's wrappers keep autocast out of what they call, their own casts first of all; a cast that the program
    // makes is met with autocast still on.
    if (inputs.size() < 2 || !c10::impl::tls_is_dispatch_key_excluded(key)) return;
    if (name == "aten::to" || name == "aten::_to_copy") {
      if (inputs[1].isInt() && inputs[1].toInt() == static_cast<int64_t>(rounded.dtype)) note(inputs[0]);
    } else if (name == "aten::copy_") {  // weights of cuDNN's RNNs are copied into one block
      if (inputs[0].isTensor() && inputs[0].toTensor().scalar_type() == rounded.dtype) note(inputs[1]);
    }
  }
};

namespace {

thread_local WatchedCasts* watching = nullptr;  // the callback is a plain function

std::unique_ptr<at::ObserverContext> on_operator(const at::RecordFunction& function) {
  if (watching != nullptr) watching->see(function.name(), function.inputs());
  return nullptr;
}

}  // namespace

CastWatch::CastWatch(inputs::Arguments& arguments, c10::DeviceType type, at::ScalarType dtype)
    : watched_(std::make_unique<WatchedCasts>()) {
  watched_->key = at::autocast::get_autocast_dispatch_key_from_device_type(type);
  watched_->rounded.dtype = dtype;
  size_t place = 0;
  for_each_tensor(arguments, [&](at::Tensor& t) {
    if (t.defined() && t.has_storage()) watched_->places.emplace(t.storage().unsafeGetStorageImpl(), place);
    ++place;
  });
  watching = watched_.get();
  watched_->handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(on_operator).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
}

CastWatch::~CastWatch() {
  at::removeCallback(watched_->handle);
  watching = nullptr;
}

const Rounded& CastWatch::rounded() const {
  return watched_->rounded;
}

Rounded with_twins(const inputs::Arguments& recorded, Rounded rounded) {
  if (rounded.tensors.empty()) return rounded;
  inputs::Arguments shared = recorded;
  std::vector<at::Tensor> tensors;
  for_each_tensor(shared, [&](at::Tensor& t) { tensors.push_back(t.detach()); });
  const auto cast = rounded.tensors;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (cast.count(i) != 0) continue;
    for (const size_t other : cast) {
      const at::Tensor &a = tensors[i], &b = tensors[other];
      if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes() || !at::equal(a, b)) continue;
      rounded.tensors.insert(i);
      break;
    }
  }
  return rounded;
}

void round_as_autocast(const Rounded& rounded, inputs::Arguments& golden) {
  size_t place = 0;
  for_each_tensor(golden, [&](at::Tensor& t) {
    if (rounded.tensors.count(place++) == 0) return;
    const at::Tensor values = t.detach();  // the same memory
    values.copy_(values.to(rounded.dtype));
  });
}

}  // namespace msprobe::check
