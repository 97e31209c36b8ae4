#include "inputs/build.h"

#include <cstring>

#include "dump/tensor_file.h"
#include "inputs/conversions.h"
#include "inputs/devices.h"
#include "inputs/places.h"
#include "inputs/random.h"
#include "inputs/valid.h"
#include "util/error.h"
#include "util/out_of_memory.h"

namespace msprobe::inputs {
namespace {

constexpr size_t kQuoted = 100;  // characters of an unknown form that a message shows

std::string shortened(const std::string& text) {
  return text.size() <= kQuoted ? text : text.substr(0, kQuoted) + "...";
}

std::string shape_text(at::IntArrayRef sizes) {
  constexpr size_t kMost = 16, kShown = 8;
  std::string text = "(";
  for (const int64_t size : sizes.slice(0, sizes.size() <= kMost ? sizes.size() : kShown))
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + (sizes.size() <= kMost ? ")" : ", ...) of " + std::to_string(sizes.size()) + " dimensions");
}

/// Builds the arguments of one API.
class Builder {
 public:
  Builder(const std::string& api, const BuildContext& context, std::vector<std::string>& notes)
      : api_(api), context_(context), notes_(notes) {}

  Value build(const dump::Argument& argument, const std::string& position) const;
  at::Tensor build_tensor(const dump::TensorMeta& meta, const std::string& position) const;

 private:
  std::vector<Value> build_items(const dump::ArgumentList& items, const std::string& position) const;
  at::Tensor read(const dump::TensorMeta& meta, const std::string& position) const;
  std::string where(const std::string& position) const { return api_ + ": " + readable(position); }

  const std::string& api_;
  const BuildContext& context_;
  std::vector<std::string>& notes_;
};

dump::Dtype known_dtype(const dump::TensorMeta& meta, const std::string& where) {
  if (const auto dtype = dump::parse_dtype(meta.dtype)) return *dtype;
  throw Error(where, "dtype \"" + shortened(meta.dtype) + "\" cannot be rebuilt, expected one like torch.float16");
}

void refuse_hifloat8(const dump::TensorMeta& meta, const std::string& where) {
  if (meta.dtype.find("HiFloat8") != std::string::npos)
    throw Error(where, shortened(meta.dtype) + " cannot be rebuilt: LibTorch has no such type, only an NPU has");
}

/// A tensor over the file's memory, which lives as long as the tensor.
at::Tensor over_file(dump::TensorFile file, at::ScalarType type) {
  const auto alignment = static_cast<uintptr_t>(std::min<int64_t>(dump::dtype_size(file.dtype), 16));
  if (reinterpret_cast<uintptr_t>(file.data) % alignment != 0) {  // operators load whole elements
    const std::shared_ptr<char[]> copy(new char[file.storage_bytes]);
    std::memcpy(copy.get(), file.data, file.storage_bytes);
    file.data = copy.get();
    file.owner = copy;
  }
  at::Tensor tensor = at::from_blob(
      file.data, file.sizes, file.strides, [owner = file.owner](void*) {}, at::TensorOptions().dtype(type));
  if (file.conj) tensor = tensor.conj().resolve_conj();
  if (file.neg) tensor = tensor.neg();
  return tensor;
}

at::Tensor Builder::read(const dump::TensorMeta& meta, const std::string& position) const {
  dump::TensorFile file = dump::read_tensor_file(context_.tensor_dir, meta.data_name);
  const std::string label = readable(position);
  const auto recorded = dump::parse_dtype(meta.dtype);
  if (recorded != file.dtype)
    notes_.push_back(label + ": recorded as " + shortened(meta.dtype) + ", its file holds " +
                     std::string(dump::dtype_name(file.dtype)) + ", which is used");
  if (meta.shape != file.sizes)
    notes_.push_back(label + ": recorded shape " + shape_text(meta.shape) + ", its file holds " +
                     shape_text(file.sizes) + ", which is used");
  const auto type = parse_scalar_type(dump::dtype_name(file.dtype));
  if (!type)
    throw Error(where(position), "this LibTorch has no " + std::string(dump::dtype_name(file.dtype)),
                "use a newer LibTorch");
  bool empty = false;
  for (const int64_t size : file.sizes) empty = empty || size == 0;
  return empty ? empty_tensor(file.sizes, file.dtype, where(position)) : over_file(std::move(file), *type);
}

at::Tensor Builder::build_tensor(const dump::TensorMeta& meta, const std::string& position) const {
  refuse_hifloat8(meta, where(position));
  at::Tensor tensor;
  if (context_.real_data && !meta.data_name.empty()) {
    tensor = read(meta, position);
  } else {
    const dump::Dtype dtype = known_dtype(meta, where(position));
    RangeContext range{context_.options.default_range, context_.options.profile, readable(position), &notes_};
    try {
      tensor = draw(meta, dtype, Words(context_.options.seed, api_, position), range);
    } catch (const OutOfMemoryError& error) {
      throw error.at(api_ + ": " + error.where());
    } catch (const Error& error) {
      throw Error(api_ + ": " + error.where(), error.message(), error.remedy());
    }
    if (context_.real_data && tensor.numel() > 0) notes_.push_back(range.label + ": no file recorded, drawn at random");
  }
  if (meta.requires_grad && (tensor.is_floating_point() || tensor.is_complex())) tensor.requires_grad_(true);
  return tensor;
}

std::vector<Value> Builder::build_items(const dump::ArgumentList& items, const std::string& position) const {
  std::vector<Value> values;
  values.reserve(items.size());
  for (size_t i = 0; i < items.size(); ++i) values.push_back(build(items[i], position + "." + std::to_string(i)));
  return values;
}

at::MemoryFormat parse_memory_format(std::string name, const std::string& where) {
  constexpr std::string_view kTorch = "torch.";
  if (name.compare(0, kTorch.size(), kTorch) == 0) name.erase(0, kTorch.size());
  if (name == "contiguous_format") return at::MemoryFormat::Contiguous;
  if (name == "preserve_format") return at::MemoryFormat::Preserve;
  if (name == "channels_last") return at::MemoryFormat::ChannelsLast;
  if (name == "channels_last_3d") return at::MemoryFormat::ChannelsLast3d;
  throw Error(where,
              "memory format \"" + shortened(name) +
                  "\" is unknown, expected contiguous_format, preserve_format, channels_last or channels_last_3d");
}

Value Builder::build(const dump::Argument& argument, const std::string& position) const {
  const auto convert = [&](const auto& x) -> Value {
    using T = std::decay_t<decltype(x)>;
    if constexpr (std::is_same_v<T, dump::NoneArg>) {
      return None{};
    } else if constexpr (std::is_same_v<T, dump::OpaqueArg>) {
      return Opaque{};
    } else if constexpr (std::is_same_v<T, dump::BigIntArg>) {
      return BigInt{x.digits};
    } else if constexpr (std::is_same_v<T, dump::EllipsisArg>) {
      return Ellipsis{};
    } else if constexpr (std::is_same_v<T, dump::DtypeArg>) {
      if (const auto type = parse_scalar_type(x.name)) return *type;
      throw Error(where(position), "dtype \"" + shortened(x.name) + "\" is unknown to this LibTorch");
    } else if constexpr (std::is_same_v<T, dump::DeviceArg>) {
      if (const auto device = parse_device(x.name)) return *device;
      throw Error(where(position), "device \"" + shortened(x.name) + "\" is unknown, expected one like npu:0");
    } else if constexpr (std::is_same_v<T, dump::MemoryFormatArg>) {
      return parse_memory_format(x.name, where(position));
    } else if constexpr (std::is_same_v<T, dump::SliceArg>) {
      return Slice{build_items(x.parts, position)};
    } else if constexpr (std::is_same_v<T, dump::ListArg>) {
      return List{build_items(x.items, position), x.is_size};
    } else if constexpr (std::is_same_v<T, dump::DictArg>) {
      Dict dict;
      for (const auto& [key, item] : x.items) dict.items.emplace_back(key, build(item, position + "." + key));
      return dict;
    } else if constexpr (std::is_same_v<T, dump::TensorMeta>) {
      return build_tensor(x, position);
    } else if constexpr (std::is_same_v<T, dump::UnknownArg>) {
      throw Error(where(position), "recorded in an unknown form: " + shortened(x.text));
    } else {
      return x;  // bool, int64_t, double, std::string
    }
  };
  Value value = std::visit(convert, argument.value);
  value.is_numpy = !argument.numpy_type.empty();
  return value;
}

}  // namespace

Built build_inputs(const dump::Record& record, const BuildContext& context) {
  Built built;
  const Builder builder(record.name.full, context, built.notes);
  const Conversions conversions(record, context);
  const auto build_at = [&](const dump::Argument& argument, Place place, const std::string& position) -> Value {
    if (auto tensor = conversions.substitute(place)) return *std::move(tensor);
    const auto* meta = argument.get_if<dump::TensorMeta>();
    if (meta && !(context.real_data && !meta->data_name.empty()))
      if (const auto narrowed = conversions.narrowed(place, *meta, built.notes))
        return builder.build_tensor(*narrowed, position);
    return builder.build(argument, position);
  };
  const auto& [args, kwargs, output] = record.forward;
  for (size_t i = 0; i < args.size(); ++i)
    built.arguments.args.push_back(build_at(args[i], {false, i}, "input." + std::to_string(i)));
  for (size_t i = 0; i < kwargs.size(); ++i)
    built.arguments.kwargs.emplace_back(kwargs[i].first,
                                        build_at(kwargs[i].second, {true, i}, "kwargs." + kwargs[i].first));
  make_valid(record, context, built.arguments, built.notes);
  conversions.apply(built.arguments, built.notes);
  return built;
}

std::vector<Value> build_output_gradients(const dump::Record& record, const BuildContext& context,
                                          std::vector<std::string>& notes) {
  std::vector<Value> gradients;
  if (!record.backward) return gradients;
  const Builder builder(record.name.full, context, notes);
  for (size_t i = 0; i < record.backward->input.size(); ++i) {
    gradients.push_back(builder.build(record.backward->input[i], "backward.input." + std::to_string(i)));
    // A gradient is a plain value: nobody asks for gradients of gradients here.
    for_each_tensor(gradients.back(), [](at::Tensor& tensor) { tensor.requires_grad_(false); });
  }
  Conversions(record, context).apply_to_gradients(gradients);
  return gradients;
}

Value build_value(const dump::Argument& argument, const std::string& api, const std::string& position,
                  const BuildContext& context, std::vector<std::string>& notes) {
  return Builder(api, context, notes).build(argument, position);
}

at::ScalarType scalar_type_of(const dump::TensorMeta& meta, const std::string& api, const std::string& position) {
  const std::string where = api + ": " + readable(position);
  refuse_hifloat8(meta, where);
  const auto name = dump::dtype_name(known_dtype(meta, where));
  if (const auto type = parse_scalar_type(name)) return *type;
  throw Error(where, "this LibTorch has no " + std::string(name), "use a newer LibTorch");
}

}  // namespace msprobe::inputs
