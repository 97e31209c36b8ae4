#include "ops/convert.h"

#include <sstream>

#include "ops/call.h"

namespace msprobe::ops {
namespace {

using inputs::List;

// LibTorch up to 2.4 has an optional of its own; whichever it is, this names it.
using OptionalTensor = decltype(std::declval<const c10::IValue&>().toOptional<at::Tensor>());

// A tensor that Python's parser reads as a number.
bool zero_dim(const at::Tensor& t) {
  return t.defined() && t.dim() == 0 && !t.requires_grad();
}

bool integral(const at::Tensor& t) {
  return c10::isIntegralType(t.scalar_type(), /*includeBool=*/false);
}

at::Scalar number_in(const at::Tensor& t) {
  if (DryRun::active()) return at::Scalar(1);  // its data is of no matter then, and may not exist
  return t.item();
}

bool as_scalar(const Value& value, at::Scalar& scalar) {
  if (const auto* t = value.get_if<at::Tensor>()) {
    if (!zero_dim(*t)) return false;
    scalar = number_in(*t);
  } else if (const auto* b = value.get_if<bool>()) {
    scalar = *b;
  } else if (const auto* i = value.get_if<int64_t>()) {
    scalar = *i;
  } else if (const auto* d = value.get_if<double>()) {
    scalar = *d;
  } else if (const auto* c = value.get_if<c10::complex<double>>()) {
    scalar = *c;
  } else {
    return false;
  }
  return true;
}

// Python's parser takes bool and int where a float is wanted, never complex.
bool as_double(const Value& value, double& number) {
  if (value.is<c10::complex<double>>()) return false;
  if (const auto* t = value.get_if<at::Tensor>(); t && t->is_complex()) return false;
  at::Scalar scalar;
  if (!as_scalar(value, scalar)) return false;
  number = scalar.toDouble();
  return true;
}

// bool is no int here: std(x, True) is `unbiased`, std(x, 1) is `dim`.
bool as_int(const Value& value, int64_t& number) {
  if (const auto* i = value.get_if<int64_t>()) {
    number = *i;
    return true;
  }
  const auto* t = value.get_if<at::Tensor>();
  if (!t || !zero_dim(*t) || !integral(*t)) return false;
  number = number_in(*t).toLong();
  return true;
}

bool as_reduction(const Value& value, int64_t& number) {
  static const std::map<std::string, int64_t, std::less<>> words = {
      {"none", at::Reduction::None},
      {"mean", at::Reduction::Mean},
      {"elementwise_mean", at::Reduction::Mean},
      {"sum", at::Reduction::Sum},
  };
  const auto* text = value.get_if<std::string>();
  const auto found = text ? words.find(*text) : words.end();
  if (found == words.end()) return false;
  number = found->second;
  return true;
}

template <class T, class Read>
bool convert_one(const Value& value, Read&& read, c10::IValue& result) {
  T converted{};
  if (!read(value, converted)) return false;
  result = c10::IValue(std::move(converted));
  return true;
}

// Turns every item of a list with `read`; false as soon as one does not fit.
template <class T, class Read>
bool convert_items(const Value& value, Read&& read, c10::IValue& result) {
  const auto* list = value.get_if<List>();
  if (!list) return false;
  c10::List<T> items;
  items.reserve(list->items.size());
  for (const Value& item : list->items) {
    T converted{};
    if (!read(item, converted)) return false;
    items.push_back(std::move(converted));
  }
  result = c10::IValue(std::move(items));
  return true;
}

bool convert_int_list(const Parameter& p, const Value& value, c10::IValue& result) {
  int64_t lone = 0;
  if (p.size && as_list_item(value, lone)) {
    result = c10::IValue(std::vector<int64_t>(static_cast<size_t>(p.size), lone));
    return true;
  }
  return convert_items<int64_t>(value, as_list_item, result);
}

bool convert_tensor_list(const Value& value, c10::IValue& result) {
  return convert_items<at::Tensor>(
      value,
      [](const Value& item, at::Tensor& t) {
        if (!item.is_tensor()) return false;
        t = item.get<at::Tensor>();
        return true;
      },
      result);
}

bool convert_optional_tensor_list(const Value& value, c10::IValue& result) {
  return convert_items<OptionalTensor>(
      value,
      [](const Value& item, OptionalTensor& t) {
        if (item.is_none()) return true;
        if (!item.is_tensor()) return false;
        t = item.get<at::Tensor>();
        return true;
      },
      result);
}

bool convert_bool(const Value& value, bool& result) {
  if (!value.is<bool>() || value.is_numpy) return false;  // numpy's bool is no bool to the parser
  result = value.get<bool>();
  return true;
}

bool convert_device(const Value& value, c10::IValue& result) {
  if (const auto* device = value.get_if<at::Device>()) {
    result = c10::IValue(*device);
    return true;
  }
  const auto* text = value.get_if<std::string>();
  if (!text) return false;
  try {
    result = c10::IValue(at::Device(*text));
  } catch (const c10::Error&) {  // no such device type: the value does not fit, and is quoted in the message
    return false;
  }
  return true;
}

// Enums travel as integers in boxed calls.
template <class Enum>
bool convert_enum(const Value& value, c10::IValue& result) {
  const auto* e = value.get_if<Enum>();
  if (!e) return false;
  result = c10::IValue(static_cast<int64_t>(*e));
  return true;
}

bool convert_tensor(const Value& value, bool numbers, c10::IValue& result) {
  if (const auto* t = value.get_if<at::Tensor>()) {
    result = c10::IValue(*t);
    return true;
  }
  at::Scalar number;
  if (!numbers || !as_scalar(value, number)) return false;
  result = c10::IValue(wrapped_number(number));
  return true;
}

// A number, a text or a flag.
bool convert_plain(const Parameter& p, const Value& value, c10::IValue& result) {
  switch (p.kind) {
    case Kind::kScalar:
      return convert_one<at::Scalar>(value, as_scalar, result);
    case Kind::kFloat:
      return convert_one<double>(value, as_double, result);
    case Kind::kInt:
      return convert_one<int64_t>(value, as_int, result) ||
             (p.name == "reduction" && convert_one<int64_t>(value, as_reduction, result));
    case Kind::kBool:
      return convert_one<bool>(value, convert_bool, result);
    default:
      if (!value.is<std::string>()) return false;
      result = c10::IValue(value.get<std::string>());
      return true;
  }
}

bool convert_list(const Parameter& p, const Value& value, c10::IValue& result) {
  switch (p.kind) {
    case Kind::kIntList:
      return convert_int_list(p, value, result);
    case Kind::kFloatList:
      return convert_items<double>(value, as_double, result);
    case Kind::kBoolList:
      return convert_items<bool>(value, convert_bool, result);
    case Kind::kScalarList:
      return convert_items<at::Scalar>(value, as_scalar, result);
    case Kind::kTensorList:
      return convert_tensor_list(value, result);
    default:
      return convert_optional_tensor_list(value, result);
  }
}

bool convert_present(const Parameter& p, const Value& value, bool numbers, c10::IValue& result) {
  switch (p.kind) {
    case Kind::kTensor:
      return convert_tensor(value, numbers, result);
    case Kind::kScalar:
    case Kind::kFloat:
    case Kind::kInt:
    case Kind::kBool:
    case Kind::kString:
      return convert_plain(p, value, result);
    case Kind::kIntList:
    case Kind::kFloatList:
    case Kind::kBoolList:
    case Kind::kScalarList:
    case Kind::kTensorList:
    case Kind::kOptionalTensorList:
      return convert_list(p, value, result);
    case Kind::kScalarType:
      return convert_enum<at::ScalarType>(value, result);
    case Kind::kLayout:
      return convert_enum<at::Layout>(value, result);
    case Kind::kMemoryFormat:
      return convert_enum<at::MemoryFormat>(value, result);
    case Kind::kDevice:
      return convert_device(value, result);
    case Kind::kGenerator:
    case Kind::kUnsupported:
      return false;
  }
  return false;
}

// LibTorch looks numbers of enums up in tables without looking at their ends.
bool names_member(Kind kind, int64_t number) {
  switch (kind) {
    case Kind::kScalarType:
      return 0 <= number && number < static_cast<int64_t>(at::ScalarType::Undefined);
    case Kind::kLayout:
      return 0 <= number && number < static_cast<int64_t>(at::Layout::NumOptions);
    case Kind::kMemoryFormat:
      return 0 <= number && number < static_cast<int64_t>(at::MemoryFormat::NumOptions);
    default:
      return true;
  }
}

bool is_recorded_object(Kind kind) {
  return kind == Kind::kScalarType || kind == Kind::kLayout || kind == Kind::kDevice || kind == Kind::kMemoryFormat ||
         kind == Kind::kGenerator;
}

// None and `{}`: absent, where the parameter can be.
bool convert_absent(const Parameter& p, c10::IValue& result) {
  if (p.optional || (p.has_default && p.default_value.isNone())) {
    result = c10::IValue();
    return true;
  }
  const bool empty_default = p.has_default && p.kind == Kind::kIntList && p.default_text == "[]";
  if (empty_default || (p.has_default && is_recorded_object(p.kind))) {
    result = p.default_value;
    return true;
  }
  return false;
}

std::string mismatch(const Parameter& p, const Value& value, bool numbers) {
  std::string type = p.type;
  if (p.size && type.ends_with("[]")) type.insert(type.size() - 1, std::to_string(p.size));
  if (p.optional) type += "?";
  std::string text = "takes " + type + ", got " + describe_value(value);
  if (value.is<inputs::Opaque>() && is_recorded_object(p.kind)) text += " (the dump does not say which " + p.type + ")";
  if (value.is<inputs::BigInt>()) text += ", which no 64-bit integer holds";
  const bool complex_fits = p.kind == Kind::kScalar || (p.kind == Kind::kTensor && numbers);
  if (value.is_none() && complex_fits) text += " (a Python complex number is recorded as null)";
  return text;
}

std::string describe_list(const List& list) {
  constexpr size_t kShown = 4;
  std::string text = list.is_size ? "Size [" : "list [";
  for (size_t i = 0; i < list.items.size() && i < kShown; ++i) {
    text.append(i ? ", " : "").append(describe_value(list.items[i]));
  }
  if (list.items.size() > kShown) text += ", ... " + std::to_string(list.items.size()) + " items";
  return text + "]";
}

std::string describe_tensor(const at::Tensor& t) {
  if (!t.defined()) return "undefined Tensor";
  std::string name = inputs::dtype_name(t.scalar_type());
  if (name.starts_with("torch.")) name.erase(0, 6);
  std::string text = "Tensor " + name + "[";
  for (int64_t d = 0; d < t.dim(); ++d) text.append(d ? ", " : "").append(std::to_string(t.size(d)));
  return text + "]";
}

std::string number_text(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

}  // namespace

bool convert(const Parameter& p, const Value& value, bool numbers, c10::IValue& result, std::string* why) {
  const bool absent = value.is_none() || (value.is<inputs::Opaque>() && is_recorded_object(p.kind));
  if (absent ? convert_absent(p, result) : convert_present(p, value, numbers, result)) return true;
  if (why) *why = mismatch(p, value, numbers);
  return false;
}

bool convert_for_packet(const Parameter& p, const Value& value, bool numbers, c10::IValue& result, std::string* why) {
  if (convert(p, value, numbers, result, why)) return true;
  at::Scalar number;
  switch (p.kind) {
    case Kind::kTensor:
      if (!value.is_none()) return false;
      result = c10::IValue(at::Tensor());
      return true;
    case Kind::kBool:
      if (!value.is_none() && !as_scalar(value, number)) return false;
      result = c10::IValue(!value.is_none() && !number.equal(0));
      return true;
    case Kind::kInt:
    case Kind::kScalarType:
    case Kind::kLayout:
    case Kind::kMemoryFormat: {
      const bool whole = value.is<bool>() || value.is<int64_t>();
      if (!whole || !as_scalar(value, number) || !names_member(p.kind, number.toLong())) return false;
      result = c10::IValue(number.toLong());
      return true;
    }
    default:
      return false;
  }
}

bool as_list_item(const Value& value, int64_t& item) {
  if (as_int(value, item)) return true;
  const auto* t = value.get_if<at::Tensor>();
  if (!t || !t->defined() || t->numel() != 1 || !integral(*t)) return false;
  item = number_in(*t).toLong();
  return true;
}

at::Tensor wrapped_number(const at::Scalar& number) {
  at::Tensor t = at::scalar_to_tensor(number);
  t.unsafeGetTensorImpl()->set_wrapped_number(true);
  return t;
}

Value to_value(const c10::IValue& result, bool is_dtype) {
  if (result.isNone()) return {};
  if (result.isTensor()) {
    const at::Tensor& t = result.toTensor();
    return t.defined() ? Value(t) : Value();
  }
  if (result.isInt()) {
    return is_dtype ? Value(static_cast<at::ScalarType>(result.toInt())) : Value(result.toInt());
  }
  if (result.isBool()) return Value(result.toBool());
  if (result.isDouble()) return Value(result.toDouble());
  if (result.isComplexDouble()) return Value(result.toComplexDouble());
  if (result.isString()) return Value(result.toStringRef());
  if (result.isDevice()) return Value(result.toDevice());
  if (result.isSymInt()) return Value(result.toSymInt().guard_int(__FILE__, __LINE__));
  if (result.isList()) {
    List list;
    for (const auto& item : result.toListRef()) list.items.push_back(to_value(item));
    return Value(std::move(list));
  }
  if (result.isTuple()) {
    List list;
    for (const auto& item : result.toTupleRef().elements()) list.items.push_back(to_value(item));
    return Value(std::move(list));
  }
  throw std::runtime_error("the operator returns " + result.tagKind() + ", which no dump records");
}

std::string describe_value(const Value& value) {
  struct Visitor {
    std::string operator()(const inputs::None&) const { return "None"; }
    std::string operator()(const inputs::Opaque&) const { return "{}"; }
    std::string operator()(bool b) const { return b ? "bool true" : "bool false"; }
    std::string operator()(int64_t i) const { return "int " + std::to_string(i); }
    std::string operator()(const inputs::BigInt& i) const { return "int " + i.digits; }
    std::string operator()(double d) const { return "float " + number_text(d); }
    std::string operator()(const c10::complex<double>& c) const {
      return "complex " + number_text(c.real()) + (c.imag() < 0 ? "" : "+") + number_text(c.imag()) + "j";
    }
    std::string operator()(const std::string& s) const { return "str '" + s + "'"; }
    std::string operator()(const inputs::Ellipsis&) const { return "..."; }
    std::string operator()(at::ScalarType t) const { return "dtype " + inputs::dtype_name(t); }
    std::string operator()(at::Layout) const { return "layout"; }
    std::string operator()(const at::Device& d) const { return "device " + d.str(); }
    std::string operator()(at::MemoryFormat) const { return "memory_format"; }
    std::string operator()(const inputs::Slice&) const { return "slice"; }
    std::string operator()(const List& l) const { return describe_list(l); }
    std::string operator()(const inputs::Dict&) const { return "dict"; }
    std::string operator()(const at::Tensor& t) const { return describe_tensor(t); }
  };
  return (value.is_numpy ? "numpy " : "") + std::visit(Visitor{}, value.v);
}

}  // namespace msprobe::ops
