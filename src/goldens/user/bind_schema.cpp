#include "goldens/user/bind_schema.h"

#include <ATen/core/jit_type.h>

#include "goldens/first_argument.h"
#include "ops/convert.h"
#include "ops/registry.h"

namespace msprobe::goldens {
namespace {

using inputs::Value;

// nullopt: the value is not of that type. Python's own ease holds: an int where a float stands, a tensor of one element
// where a number stands.
std::optional<c10::IValue> as_type(const Value& value, const c10::TypePtr& type);

std::optional<c10::IValue> as_list(const Value& value, const c10::TypePtr& element) {
  const auto* list = value.get_if<inputs::List>();
  if (list == nullptr) return std::nullopt;
  c10::impl::GenericList out(element);
  out.reserve(list->items.size());
  for (const Value& item : list->items) {
    auto converted = as_type(item, element);
    if (!converted) return std::nullopt;
    out.push_back(std::move(*converted));
  }
  return c10::IValue(std::move(out));
}

std::optional<c10::IValue> as_tuple(const Value& value, const c10::TupleType& type) {
  const auto* list = value.get_if<inputs::List>();
  if (list == nullptr || list->items.size() != type.elements().size()) return std::nullopt;
  std::vector<c10::IValue> items;
  for (size_t i = 0; i < list->items.size(); ++i) {
    auto converted = as_type(list->items[i], type.elements()[i]);
    if (!converted) return std::nullopt;
    items.push_back(std::move(*converted));
  }
  return c10::IValue(c10::ivalue::Tuple::create(std::move(items)));
}

// A tensor of one element reads as the number that it holds.
Value number_of(const Value& value) {
  const auto* t = value.get_if<at::Tensor>();
  if (t == nullptr || !t->defined() || t->numel() != 1 || t->is_meta()) return value;
  const at::Scalar s = t->item();
  if (s.isBoolean()) return Value(s.toBool());
  if (s.isIntegral(false)) return Value(static_cast<int64_t>(s.toLong()));
  if (s.isComplex()) return Value(s.toComplexDouble());
  return Value(s.toDouble());
}

std::optional<c10::IValue> as_number(const Value& given, c10::TypeKind kind) {
  const Value value = number_of(given);
  const auto* b = value.get_if<bool>();
  const auto* i = value.get_if<int64_t>();
  const auto* d = value.get_if<double>();
  const auto* c = value.get_if<c10::complex<double>>();
  switch (kind) {
    case c10::TypeKind::BoolType:
      if (b != nullptr) return c10::IValue(*b);
      if (i != nullptr && (*i == 0 || *i == 1)) return c10::IValue(*i == 1);
      return std::nullopt;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      if (i != nullptr) return c10::IValue(*i);
      if (b != nullptr) return c10::IValue(static_cast<int64_t>(*b));
      if (const auto* dtype = value.get_if<at::ScalarType>()) return c10::IValue(static_cast<int64_t>(*dtype));
      return std::nullopt;
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType:
      if (d != nullptr) return c10::IValue(*d);
      if (i != nullptr) return c10::IValue(static_cast<double>(*i));
      if (b != nullptr) return c10::IValue(*b ? 1.0 : 0.0);
      return std::nullopt;
    case c10::TypeKind::ComplexType:
      if (c != nullptr) return c10::IValue(*c);
      if (d != nullptr) return c10::IValue(c10::complex<double>(*d, 0));
      if (i != nullptr) return c10::IValue(c10::complex<double>(static_cast<double>(*i), 0));
      return std::nullopt;
    default:  // Scalar
      if (b != nullptr) return c10::IValue(*b);
      if (i != nullptr) return c10::IValue(*i);
      if (d != nullptr) return c10::IValue(*d);
      if (c != nullptr) return c10::IValue(*c);
      return std::nullopt;
  }
}

std::optional<c10::IValue> as_type(const Value& value, const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::OptionalType:
      if (value.is_none()) return c10::IValue();
      return as_type(value, type->expectRef<c10::OptionalType>().getElementType());
    case c10::TypeKind::TensorType:
      if (const auto* t = value.get_if<at::Tensor>()) return c10::IValue(*t);
      return std::nullopt;
    case c10::TypeKind::ListType: {
      const c10::TypePtr element = type->expectRef<c10::ListType>().getElementType();
      if (auto list = as_list(value, element)) return list;
      // A lone number stands for a list of one, as in `dim=1` for `int[1] dim`.
      if (value.is<inputs::List>() || value.is_none()) return std::nullopt;
      return as_list(Value(inputs::List{{value}, false}), element);
    }
    case c10::TypeKind::TupleType:
      return as_tuple(value, type->expectRef<c10::TupleType>());
    case c10::TypeKind::BoolType:
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType:
    case c10::TypeKind::ComplexType:
    case c10::TypeKind::NumberType:
      return as_number(value, type->kind());
    case c10::TypeKind::StringType:
      if (const auto* s = value.get_if<std::string>()) return c10::IValue(*s);
      return std::nullopt;
    case c10::TypeKind::DeviceObjType:
      if (const auto* d = value.get_if<at::Device>()) return c10::IValue(*d);
      return std::nullopt;
    case c10::TypeKind::NoneType:
      return value.is_none() ? std::optional<c10::IValue>(c10::IValue()) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// self, input and x are one name to callers where the first argument has one of them.
bool is_named(const std::string& keyword, const std::string& argument, bool first, bool by_position) {
  return keyword == argument || (first && !by_position && names_the_first(keyword) && names_the_first(argument));
}

}  // namespace

std::vector<c10::IValue> bind_schema(const std::string& function, const c10::FunctionSchema& schema,
                                     const inputs::Arguments& arguments, size_t skip) {
  const auto& declared = schema.arguments();
  std::vector<bool> used(arguments.kwargs.size());
  std::vector<c10::IValue> stack;
  size_t next = 0, positional = 0;
  for (size_t i = skip; i < declared.size(); ++i) {
    const c10::Argument& a = declared[i];
    positional += !a.kwarg_only();
    const bool by_position = !a.kwarg_only() && next < arguments.args.size();
    const Value* value = by_position ? &arguments.args[next++] : nullptr;
    for (size_t k = 0; k < arguments.kwargs.size(); ++k) {
      if (used[k] || !is_named(arguments.kwargs[k].first, a.name(), i == skip, !arguments.args.empty())) continue;
      if (value != nullptr) throw ops::NoMatch(function + ": " + a.name() + " is given twice");
      value = &arguments.kwargs[k].second;
      used[k] = true;
    }
    if (value == nullptr) {
      if (!a.default_value().has_value()) throw ops::NoMatch(function + ": argument " + a.name() + " is missing");
      stack.push_back(*a.default_value());
      continue;
    }
    auto converted = as_type(*value, a.type());
    if (!converted)
      throw ops::NoMatch(function + ": argument " + a.name() + " takes " + a.type()->annotation_str() + ", got " +
                         ops::describe_value(*value));
    stack.push_back(std::move(*converted));
  }
  if (next < arguments.args.size())
    throw ops::NoMatch(function + " takes " + std::to_string(positional) + " arguments by position, got " +
                       std::to_string(arguments.args.size()));
  for (size_t k = 0; k < used.size(); ++k)
    if (!used[k]) throw ops::NoMatch(function + " has no argument of the name " + arguments.kwargs[k].first);
  return stack;
}

inputs::Arguments gradients_first(const std::vector<at::Tensor>& gradients, const inputs::Arguments& arguments) {
  inputs::Arguments all;
  for (const auto& g : gradients) all.args.emplace_back(g);
  all.args.insert(all.args.end(), arguments.args.begin(), arguments.args.end());
  all.kwargs = arguments.kwargs;
  return all;
}

}  // namespace msprobe::goldens
