#include "dump/argument_reader.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "dump/dtype.h"
#include "util/error.h"

namespace msprobe::dump {
namespace {

/// Of an unknown form, quoted in a message.
constexpr size_t kMaxUnknownText = 200;

/// Carries what every level of an argument needs.
struct Context {
  const std::string& where;
  size_t level = 0;
};

Argument read(const JsonValue& json, Context context);

Argument of(Argument::Variant value, std::string numpy_type = {}) {
  Argument argument;
  argument.value = std::move(value);
  argument.numpy_type = std::move(numpy_type);
  return argument;
}

Argument unknown(const JsonValue& json) {
  return of(UnknownArg{json_text(json, kMaxUnknownText)});
}

Context deeper(Context context) {
  if (++context.level > kMaxNesting) {
    throw Error(context.where, "an argument is nested deeper than " + std::to_string(kMaxNesting) + " levels");
  }
  return context;
}

ArgumentList read_items(const JsonValue& list, Context context) {
  ArgumentList items;
  items.reserve(list.items.size());
  for (const JsonValue& item : list.items) items.push_back(read(item, context));
  return items;
}

// ---- numbers -------------------------------------------------------------------------------------------------------

/// As Python's float() of the recorded value: numbers, and the words that some versions write for what is not finite.
std::optional<double> as_double(const JsonValue& json) {
  switch (json.kind) {
    case JsonKind::kBool:
      return json.boolean;
    case JsonKind::kInteger:
      return static_cast<double>(json.integer);
    case JsonKind::kBigInteger:
      return std::strtod(json.text.c_str(), nullptr);
    case JsonKind::kReal:
      return json.real;
    case JsonKind::kString:
      for (const char* word : {"nan", "inf", "-inf", "NaN", "Infinity", "-Infinity"}) {
        if (json.text == word) return std::strtod(word, nullptr);
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> as_integer(const JsonValue& json) {
  constexpr double kExact =
      9007199254740992.0;  // 2^53: from here on a double no longer tells one integer from the next
  switch (json.kind) {
    case JsonKind::kBool:
      return json.boolean;
    case JsonKind::kInteger:
      return json.integer;
    case JsonKind::kReal:
      if (std::trunc(json.real) == json.real && std::abs(json.real) < kExact) return static_cast<int64_t>(json.real);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

Argument read_number(std::string_view kind, const JsonValue& json, const JsonValue& whole, std::string numpy_type) {
  if (kind == "float") {
    if (const auto value = as_double(json)) return of(*value, std::move(numpy_type));
  } else if (kind == "bool") {
    if (json.is(JsonKind::kBool)) return of(json.boolean, std::move(numpy_type));
    if (json.is(JsonKind::kInteger)) return of(json.integer != 0, std::move(numpy_type));
  } else {
    if (json.is(JsonKind::kBigInteger)) return of(BigIntArg{json.text}, std::move(numpy_type));
    if (const auto value = as_integer(json)) return of(*value, std::move(numpy_type));
  }
  return unknown(whole);
}

struct NumpyName {
  std::string_view name;  ///< as recorded, without "numpy."
  std::string_view dtype, kind;
};

constexpr std::array kNumpyNames = {
    NumpyName{"bool_", "bool", "bool"},        NumpyName{"bool8", "bool", "bool"},
    NumpyName{"int8", "int8", "int"},          NumpyName{"int16", "int16", "int"},
    NumpyName{"int32", "int32", "int"},        NumpyName{"int64", "int64", "int"},
    NumpyName{"uint8", "uint8", "int"},        NumpyName{"uint16", "uint16", "int"},
    NumpyName{"uint32", "uint32", "int"},      NumpyName{"uint64", "uint64", "int"},
    NumpyName{"byte", "int8", "int"},          NumpyName{"ubyte", "uint8", "int"},
    NumpyName{"short", "int16", "int"},        NumpyName{"ushort", "uint16", "int"},
    NumpyName{"intc", "int32", "int"},         NumpyName{"uintc", "uint32", "int"},
    NumpyName{"intp", "int64", "int"},         NumpyName{"uintp", "uint64", "int"},
    NumpyName{"int_", "int64", "int"},         NumpyName{"uint", "uint64", "int"},
    NumpyName{"longlong", "int64", "int"},     NumpyName{"ulonglong", "uint64", "int"},
    NumpyName{"float16", "float16", "float"},  NumpyName{"half", "float16", "float"},
    NumpyName{"float32", "float32", "float"},  NumpyName{"single", "float32", "float"},
    NumpyName{"float64", "float64", "float"},  NumpyName{"double", "float64", "float"},
    NumpyName{"float_", "float64", "float"},   NumpyName{"longdouble", "float64", "float"},
    NumpyName{"float128", "float64", "float"},
};

/// Only with "numpy." before them: alone they are Python's builtins.
constexpr std::array kPrefixedNumpyNames = {NumpyName{"bool", "bool", "bool"}, NumpyName{"long", "int64", "int"},
                                            NumpyName{"ulong", "uint64", "int"}};

const NumpyName* find_numpy(std::string_view type) {
  constexpr std::string_view kPrefix = "numpy.";
  const bool prefixed = type.starts_with(kPrefix);
  if (prefixed) type.remove_prefix(kPrefix.size());
  for (const NumpyName& row : kNumpyNames) {
    if (row.name == type) return &row;
  }
  if (!prefixed) return nullptr;
  for (const NumpyName& row : kPrefixedNumpyNames) {
    if (row.name == type) return &row;
  }
  return nullptr;
}

// ---- tensors -------------------------------------------------------------------------------------------------------

Statistic read_statistic(const JsonValue& tensor, std::string_view key) {
  const JsonValue* json = tensor.find(key);
  if (json == nullptr) return Absent{};
  switch (json->kind) {
    case JsonKind::kNull:
      return Null{};
    case JsonKind::kBool:
      return json->boolean;
    case JsonKind::kInteger:
      return json->integer;
    case JsonKind::kReal:
      return json->real;
    case JsonKind::kBigInteger:
      return std::strtod(json->text.c_str(), nullptr);
    default:
      return OtherText{json_text(*json, kMaxUnknownText)};
  }
}

std::optional<std::vector<int64_t>> read_shape(const JsonValue& json) {
  std::vector<int64_t> shape;
  shape.reserve(json.items.size());
  for (const JsonValue& size : json.items) {
    if (!size.is(JsonKind::kInteger) || size.integer < 0) return std::nullopt;
    shape.push_back(size.integer);
  }
  return shape;
}

std::string read_data_name(const JsonValue& tensor) {
  for (const char* key : {"data_name", "datapath"}) {
    const JsonValue* name = tensor.find(key);
    if (name != nullptr && name->is(JsonKind::kString)) return name->text;
  }
  return {};
}

/// Anything with a dtype and a shape is a tensor, whatever class it had.
bool is_tensor(const JsonValue& json) {
  const JsonValue *dtype = json.find("dtype"), *shape = json.find("shape");
  return dtype != nullptr && dtype->is(JsonKind::kString) && shape != nullptr && shape->is(JsonKind::kList);
}

Argument read_tensor(const std::string& type, const JsonValue& json) {
  TensorMeta meta;
  auto shape = read_shape(*json.find("shape"));
  if (!shape) return unknown(json);
  meta.type = type;
  meta.dtype = json.find("dtype")->text;
  meta.shape = std::move(*shape);
  meta.max = read_statistic(json, "Max");
  meta.min = read_statistic(json, "Min");
  meta.mean = read_statistic(json, "Mean");
  meta.norm = read_statistic(json, "Norm");
  meta.max_except_inf_nan = read_statistic(json, "Max_except_inf_nan");
  meta.min_except_inf_nan = read_statistic(json, "Min_except_inf_nan");
  const JsonValue* requires_grad = json.find("requires_grad");
  meta.requires_grad = requires_grad != nullptr && requires_grad->is(JsonKind::kBool) && requires_grad->boolean;
  meta.data_name = read_data_name(json);
  return of(std::move(meta));
}

// ---- forms with a "type" -------------------------------------------------------------------------------------------

struct Form {
  std::string_view type;
  JsonKind value_kind;  ///< of "value"; another kind is a form nobody has seen
  Argument (*read)(const JsonValue& value, Context context);
};

constexpr std::array kForms = {
    Form{"str", JsonKind::kString, [](const JsonValue& value, Context) { return of(value.text); }},
    Form{"numpy.str_", JsonKind::kString, [](const JsonValue& value, Context) { return of(value.text); }},
    Form{"ellipsis", JsonKind::kString, [](const JsonValue&, Context) { return of(EllipsisArg{}); }},
    Form{"torch.dtype", JsonKind::kString, [](const JsonValue& value, Context) { return of(DtypeArg{value.text}); }},
    Form{"torch.device", JsonKind::kString, [](const JsonValue& value, Context) { return of(DeviceArg{value.text}); }},
    Form{"slice", JsonKind::kList,
         [](const JsonValue& value, Context context) { return of(SliceArg{read_items(value, deeper(context))}); }},
    Form{"torch.Size", JsonKind::kList,
         [](const JsonValue& value, Context context) {
           return of(ListArg{read_items(value, deeper(context)), true});
         }},
    Form{"list", JsonKind::kList,
         [](const JsonValue& value, Context context) { return of(ListArg{read_items(value, deeper(context))}); }},
    Form{"tuple", JsonKind::kList,
         [](const JsonValue& value, Context context) { return of(ListArg{read_items(value, deeper(context))}); }},
    Form{"NoneType", JsonKind::kNull, [](const JsonValue&, Context) { return of(NoneArg{}); }},
};

Argument read_memory_format(const JsonValue& json) {
  constexpr std::string_view kPrefix = "torch.";
  for (const char* key : {"format", "value"}) {
    const JsonValue* name = json.find(key);
    if (name == nullptr || !name->is(JsonKind::kString)) continue;
    std::string_view text = name->text;
    if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
    return of(MemoryFormatArg{std::string(text)});
  }
  return unknown(json);
}

Argument read_typed(const std::string& type, const JsonValue& json, Context context) {
  if (is_tensor(json)) return read_tensor(type, json);
  if (type == "torch.memory_format") return read_memory_format(json);
  const JsonValue* value = json.find("value");
  if (value == nullptr) return unknown(json);
  if (type == "int" || type == "float" || type == "bool") return read_number(type, *value, json, {});
  if (const NumpyName* numpy = find_numpy(type)) {
    return read_number(numpy->kind, *value, json, std::string(numpy->dtype));
  }
  for (const Form& form : kForms) {
    if (form.type == type && value->is(form.value_kind)) return form.read(*value, context);
  }
  return unknown(json);
}

Argument read_object(const JsonValue& json, Context context) {
  if (json.items.empty()) return of(OpaqueArg{});
  const JsonValue* type = json.find("type");
  // A dict of the user's may well have a key "type"; its value is then described as an object, never a plain string.
  if (type != nullptr && type->is(JsonKind::kString)) return read_typed(type->text, json, context);
  DictArg dict;
  dict.items.reserve(json.items.size());
  const Context inner = deeper(context);
  for (size_t i = 0; i < json.items.size(); ++i) dict.items.emplace_back(json.keys[i], read(json.items[i], inner));
  return of(std::move(dict));
}

Argument read(const JsonValue& json, Context context) {
  switch (json.kind) {
    case JsonKind::kNull:
      return of(NoneArg{});
    case JsonKind::kBool:
      return of(json.boolean);
    case JsonKind::kInteger:
      return of(json.integer);
    case JsonKind::kBigInteger:
      return of(BigIntArg{json.text});
    case JsonKind::kReal:
      return of(json.real);
    case JsonKind::kString:
      return of(json.text);
    case JsonKind::kList:
      return of(ListArg{read_items(json, deeper(context))});
    case JsonKind::kObject:
      return read_object(json, context);
  }
  return unknown(json);
}

}  // namespace

Argument read_argument(const JsonValue& json, const std::string& where) {
  return read(json, Context{where});
}

ArgumentList read_arguments(const JsonValue& json, const std::string& where) {
  if (json.is(JsonKind::kNull)) return {};
  if (json.is(JsonKind::kList)) return read_items(json, Context{where});
  ArgumentList list;
  list.push_back(read_argument(json, where));
  return list;
}

}  // namespace msprobe::dump
