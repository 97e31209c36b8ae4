#include "inputs/precision.h"

#include <algorithm>
#include <set>

#include "config/api_facts.h"
#include "inputs/devices.h"
#include "inputs/places.h"
#include "signatures/find_argument.h"
#include "util/error.h"

namespace msprobe::inputs {
namespace {

using at::ScalarType;

/// Devices that a recorded text is taken for; other names may be any operator's own words.
bool is_replayed(at::Device device) {
  return device.is_cpu() || device.is_cuda() || device.is_privateuseone();
}

/// A copy of `value` in which f has replaced each tensor, dtype and device.
template <class F>
Value transformed(const Value& value, const F& f) {
  const auto convert_items = [&](const std::vector<Value>& items) {
    std::vector<Value> converted;
    converted.reserve(items.size());
    for (const Value& item : items) converted.push_back(transformed(item, f));
    return converted;
  };
  if (const auto* tensor = value.get_if<at::Tensor>()) return f(*tensor);
  if (const auto* dtype = value.get_if<ScalarType>()) return f(*dtype);
  if (const auto* device = value.get_if<at::Device>()) return f(*device);
  if (const auto* list = value.get_if<List>()) return List{convert_items(list->items), list->is_size};
  if (const auto* slice = value.get_if<Slice>()) return Slice{convert_items(slice->parts)};
  if (const auto* dict = value.get_if<Dict>()) {
    Dict converted;
    for (const auto& [key, item] : dict->items) converted.items.emplace_back(key, transformed(item, f));
    return converted;
  }
  // A device given by position arrives as text.
  if (const auto* text = value.get_if<std::string>())
    if (const auto device = parse_device(*text); device && is_replayed(*device)) return f(*device);
  return value;
}

/// A keyword `device` becomes `keyword_device`; nullopt drops it.
template <class F>
Arguments transformed(const Arguments& arguments, std::optional<at::Device> keyword_device, const F& f) {
  Arguments result;
  result.args.reserve(arguments.args.size());
  for (const Value& value : arguments.args) result.args.push_back(transformed(value, f));
  for (const auto& [key, value] : arguments.kwargs) {
    if (key != "device")
      result.kwargs.emplace_back(key, transformed(value, f));
    else if (keyword_device)
      result.kwargs.emplace_back(key, Value(*keyword_device));
  }
  return result;
}

/// A copy that nothing else sees, and a leaf where `from` asked for gradients. Never shares storage: an operator may
/// write to any argument (running statistics, renormalised embeddings, views), and recorded arguments are used again.
at::Tensor fresh(const at::Tensor& from, at::Device device, ScalarType dtype) {
  at::Tensor copy = from.detach().to(device, dtype, /*non_blocking=*/false, /*copy=*/true);
  if (from.requires_grad()) copy.requires_grad_(true);
  return copy;
}

bool is_float8(ScalarType dtype) {
  return at::isFloatingType(dtype) && c10::elementSize(dtype) == 1;
}

/// Floating and complex numbers as such; quantised integers and bit fields are neither.
ScalarType raised_fully(ScalarType dtype) {
  if (at::isComplexType(dtype)) return at::kComplexDouble;
  return at::isFloatingType(dtype) ? at::kDouble : dtype;
}

/// Profile mindstudio: the types that its table of raised types knows, found among all arguments; what each becomes
/// depends on how many of them there are.
class MindstudioRaise {
 public:
  explicit MindstudioRaise(const Arguments& arguments) {
    std::set<ScalarType> found;
    const auto look = [&](const Value& value, const auto& self) -> void {
      if (const auto* tensor = value.get_if<at::Tensor>())
        found.insert(tensor->scalar_type());
      else if (const auto* dtype = value.get_if<ScalarType>())
        found.insert(*dtype);
      else if (const auto* list = value.get_if<List>())
        for (const Value& item : list->items) self(item, self);
      else if (const auto* dict = value.get_if<Dict>())
        for (const auto& [key, item] : dict->items) self(item, self);
    };
    for (const Value& value : arguments.args) look(value, look);
    for (const auto& [key, value] : arguments.kwargs) look(value, look);
    const auto raised = std::count_if(found.begin(), found.end(), raises);
    target_ = raised == 1 && found.count(at::kFloat) ? at::kDouble : at::kFloat;
  }
  ScalarType operator()(ScalarType dtype) const {
    if (is_float8(dtype)) return at::kFloat;
    return raises(dtype) ? target_ : dtype;
  }

 private:
  static bool raises(ScalarType dtype) { return dtype == at::kHalf || dtype == at::kBFloat16 || dtype == at::kFloat; }
  ScalarType target_ = at::kFloat;
};

template <class Raise>
Arguments golden_with(const Arguments& recorded, const Raise& raise) {
  struct Convert {
    const Raise& raise;
    Value operator()(const at::Tensor& tensor) const { return fresh(tensor, at::kCPU, raise(tensor.scalar_type())); }
    Value operator()(ScalarType dtype) const { return raise(dtype); }
    Value operator()(at::Device) const { return at::Device(at::kCPU); }
  };
  return transformed(recorded, std::nullopt, Convert{raise});
}

void collect_dtypes(const Value& value, std::vector<ScalarType>& dtypes) {
  Value copy = value;  // tensors are shared, not copied
  for_each_tensor(copy, [&](at::Tensor& tensor) {
    const ScalarType dtype = tensor.scalar_type();
    const bool counts = at::isFloatingType(dtype) && !is_float8(dtype);
    if (counts && std::find(dtypes.begin(), dtypes.end(), dtype) == dtypes.end()) dtypes.push_back(dtype);
  });
}

/// The first tensor among the outputs, nested ones included.
const dump::TensorMeta* first_tensor(const dump::Argument& argument) {
  if (const auto* meta = argument.get_if<dump::TensorMeta>()) return meta;
  if (const auto* list = argument.get_if<dump::ListArg>())
    for (const dump::Argument& item : list->items)
      if (const auto* meta = first_tensor(item)) return meta;
  return nullptr;
}

std::optional<ScalarType> first_output_dtype(const std::vector<dump::Argument>* outputs) {
  if (!outputs) return std::nullopt;
  for (const dump::Argument& output : *outputs)
    if (const auto* meta = first_tensor(output)) return parse_scalar_type(meta->dtype);
  return std::nullopt;
}

/// Of lstm and its like, the form without packed sequences has a floating tensor or a list in that place.
bool lists_lengths(const Value& value) {
  const auto* tensor = value.get_if<at::Tensor>();
  return tensor != nullptr && tensor->dim() <= 1 && tensor->scalar_type() == at::kLong;
}

// Tensors that LibTorch reads on the host (`host` of signatures.yaml).
void keep_on_host(const Arguments& recorded, const dump::ApiName& api, Arguments& moved) {
  const config::FactTable& known = config::installed_api_facts();
  const std::string* const parameter = known.find(config::ApiNames(api), &config::ApiFacts::host);
  if (parameter == nullptr) return;
  const auto place = signatures::find_argument(known, api, shape_of(recorded), *parameter).place;
  if (!place || !lists_lengths(inputs::at(recorded, *place))) return;
  inputs::at(moved, *place) = fresh(inputs::at(recorded, *place).get<at::Tensor>(), at::kCPU, at::kLong);
}

/// The types that autocast can run in.
bool is_autocast_dtype(ScalarType dtype) {
  return dtype == at::kHalf || dtype == at::kBFloat16;
}

}  // namespace

Arguments golden_arguments(const Arguments& recorded, const dump::ApiName& name, config::Profile profile,
                           bool not_raised) {
  if (not_raised || name.last() == "type_as") return golden_with(recorded, [](ScalarType dtype) { return dtype; });
  // MindStudio takes an NPU's conv1d and conv2d for HF32 and leaves their float32 golden in float32.
  if (profile == config::Profile::kMindstudio && (name.last() == "conv1d" || name.last() == "conv2d")) {
    return golden_with(recorded, [raise = MindstudioRaise(recorded)](ScalarType dtype) {
      return dtype == at::kFloat ? dtype : raise(dtype);
    });
  }
  if (profile == config::Profile::kMindstudio) return golden_with(recorded, MindstudioRaise(recorded));
  return golden_with(recorded, raised_fully);
}

ScalarType second_dtype(ScalarType dtype) {
  if (at::isComplexType(dtype)) return at::kComplexFloat;
  return at::isFloatingType(dtype) ? at::kFloat : dtype;
}

Arguments second_arguments(const Arguments& recorded) {
  return golden_with(recorded, second_dtype);
}

bool is_second(const Arguments& recorded) {
  bool same = true;
  const auto look = [&](const Value& value) {
    Value shared = value;  // tensors are shared, not copied
    for_each_tensor(shared, [&](const at::Tensor& t) { same &= second_dtype(t.scalar_type()) == t.scalar_type(); });
    if (const auto* dtype = value.get_if<ScalarType>()) same &= second_dtype(*dtype) == *dtype;
  };
  for (const Value& value : recorded.args) look(value);
  for (const auto& [key, value] : recorded.kwargs) look(value);
  return same;
}

Arguments single_arguments(const Arguments& recorded) {
  return golden_with(
      recorded, [](ScalarType dtype) { return dtype == at::kHalf || dtype == at::kBFloat16 ? at::kFloat : dtype; });
}

Arguments device_arguments(const Arguments& recorded, const dump::ApiName& name, at::Device device) {
  struct Convert {
    const std::string& api;
    at::Device device;
    Value operator()(const at::Tensor& tensor) const {
      if (device.is_cuda() && is_float8(tensor.scalar_type()))
        throw Error(api, dtype_name(tensor.scalar_type()) + " arguments are not replayed on a GPU");
      return fresh(tensor, device, tensor.scalar_type());
    }
    Value operator()(ScalarType dtype) const { return dtype; }
    Value operator()(at::Device) const { return device; }
  };
  const auto keyword = device.is_cpu() ? std::optional<at::Device>() : device;
  Arguments moved = transformed(recorded, keyword, Convert{name.full, device});
  if (!device.is_cpu()) keep_on_host(recorded, name, moved);
  return moved;
}

std::optional<at::ScalarType> autocast_dtype(const Arguments& recorded,
                                             const std::vector<dump::Argument>* recorded_output) {
  std::vector<ScalarType> dtypes;
  for (const Value& value : recorded.args) collect_dtypes(value, dtypes);
  for (const auto& [key, value] : recorded.kwargs) collect_dtypes(value, dtypes);
  if (dtypes.empty()) return std::nullopt;
  const auto output = first_output_dtype(recorded_output);

  // A dtype= keyword, or an out_dtype= that is given, explains the output's type without autocast.
  const Value* const out_dtype = recorded.kwarg("out_dtype");
  const bool asked_for = recorded.kwarg("dtype") != nullptr || (out_dtype != nullptr && !out_dtype->is_none());
  const bool one_type = dtypes.size() == 1;
  if (output && is_autocast_dtype(*output) && !(one_type && (dtypes[0] == *output || asked_for))) return output;
  const auto reduced = std::find_if(dtypes.begin(), dtypes.end(), is_autocast_dtype);
  if (reduced == dtypes.end()) return std::nullopt;
  if (!one_type) return *reduced;
  // All arguments in one reduced type and a float32 output: an operator that autocast runs in float32 (softmax,
  // losses). The region's own type is the arguments'.
  return output == at::kFloat && !asked_for ? std::optional(*reduced) : std::nullopt;
}

}  // namespace msprobe::inputs
