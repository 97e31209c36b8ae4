#include "signatures/signature.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <sstream>

#include "signatures/overloads.h"

namespace msprobe::signatures {
namespace {

struct NamedKind {
  std::string_view type;  ///< the schema's word
  Kind kind;
  std::string_view python;  ///< the word that Python's generated signatures are sorted by
};

constexpr NamedKind kKinds[] = {
    {"Tensor", Kind::kTensor, "Tensor"},
    {"Scalar", Kind::kScalar, "Scalar"},
    {"float", Kind::kFloat, "double"},
    {"int", Kind::kInt, "int64_t"},
    {"SymInt", Kind::kInt, "SymInt"},
    {"bool", Kind::kBool, "bool"},
    {"str", Kind::kString, "c10::string_view"},
    {"int[]", Kind::kIntList, "IntArrayRef"},
    {"SymInt[]", Kind::kIntList, "SymIntArrayRef"},
    {"float[]", Kind::kFloatList, "ArrayRef<double>"},
    {"bool[]", Kind::kBoolList, "bool[]"},
    {"Scalar[]", Kind::kScalarList, "ScalarList"},
    {"Tensor[]", Kind::kTensorList, "TensorList"},
    {"Tensor?[]", Kind::kOptionalTensorList, "Tensor?[]"},
    {"ScalarType", Kind::kScalarType, "ScalarType"},
    {"Layout", Kind::kLayout, "Layout"},
    {"Device", Kind::kDevice, "Device"},
    {"MemoryFormat", Kind::kMemoryFormat, "MemoryFormat"},
    {"Generator", Kind::kGenerator, "Generator"},
};

const NamedKind* named_kind(std::string_view type) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds), [&](auto& k) { return k.type == type; });
  return found == std::end(kKinds) ? nullptr : found;
}

// These overloads exist in the dispatcher but not in Python: a number there becomes a wrapped 0-dim tensor.
bool hidden_from_python(const Schema& s) {
  static const std::set<std::string_view> names = {"add", "add_", "sub", "sub_", "mul", "mul_", "div", "div_"};
  return s.overload == "Scalar" && names.count(s.name) > 0;
}

bool number_for_tensor(std::string_view name) {
  static const std::set<std::string_view> names = {"add",      "sub",      "mul",         "div",          "divide",
                                                   "multiply", "subtract", "true_divide", "floor_divide", "copy"};
  if (name.ends_with('_')) name.remove_suffix(1);
  return names.count(name) > 0;
}

// The type in the schema language, "?" of an optional split off.
std::string type_text(const c10::TypePtr& type, bool& optional) {
  optional = type->kind() == c10::TypeKind::OptionalType;
  const auto inner = optional ? type->expectRef<c10::OptionalType>().getElementType() : type;
  if (inner->kind() == c10::TypeKind::NumberType) return "Scalar";
  if (inner->kind() == c10::TypeKind::ListType) {
    bool items_optional = false;
    const std::string items = type_text(inner->expectRef<c10::ListType>().getElementType(), items_optional);
    return items + (items_optional ? "?[]" : "[]");
  }
  return inner->str();
}

// Of a list the mark is that of its items.
bool is_written(const c10::AliasInfo* alias) {
  if (alias == nullptr) return false;
  const auto& items = alias->containedTypes();
  return alias->isWrite() || std::any_of(items.begin(), items.end(), [](const auto& item) { return item.isWrite(); });
}

Parameter read_parameter(const c10::Argument& argument) {
  Parameter p;
  p.name = argument.name();
  p.type = type_text(argument.real_type(), p.optional);
  if (const auto* kind = named_kind(p.type)) p.kind = kind->kind;
  p.symbolic = p.type.starts_with("SymInt");
  p.keyword_only = argument.kwarg_only();
  p.written = is_written(argument.alias_info());
  p.is_out = p.keyword_only && argument.alias_info() && argument.alias_info()->isWrite();
  if (argument.N()) p.size = *argument.N();
  if (argument.default_value()) {
    p.has_default = true;
    p.default_value = *argument.default_value();
    std::ostringstream text;
    if (p.default_value.isString()) {
      text << '"' << p.default_value.toStringRef() << '"';
    } else {
      text << p.default_value;
    }
    p.default_text = text.str();
  }
  return p;
}

std::unique_ptr<Schema> read_schema(const c10::OperatorHandle& handle, std::string_view shown) {
  const c10::FunctionSchema& schema = handle.schema();
  auto s = std::make_unique<Schema>(handle);
  s->name = shown;
  s->overload = schema.overload_name();
  for (const auto& argument : schema.arguments()) {
    s->parameters.push_back(read_parameter(argument));
    s->outs += s->parameters.back().is_out;
  }
  s->is_out = s->outs > 0 && !shown.ends_with('_');
  if (!s->is_out) {
    for (auto& p : s->parameters) p.is_out = false;
    s->outs = 0;
  }
  for (const auto tag : handle.getTags()) s->generated |= tag == at::Tag::generated;
  for (size_t i = 0; i < schema.returns().size() && i < 31; ++i) {
    if (schema.returns()[i].real_type()->kind() == c10::TypeKind::ScalarTypeType) s->result_dtypes |= 1 << i;
  }
  return s;
}

// What must be equal between a functional schema and its out= twin.
std::string shape_of(const Schema& s, bool without_options) {
  std::string shape;
  for (const auto& p : s.parameters) {
    if (p.is_out || (without_options && p.is_tensor_option())) continue;
    shape += p.type + (p.optional ? "?" : "") + std::to_string(p.size) + " " + p.name + ",";
  }
  return shape;
}

// "name(a, b, *, c)": every parameter by `word`, the out= twin by `out_word`.
template <class Word>
std::string signature_text(const Signature& s, Word&& word, const std::string& out_word) {
  std::string text = s.base->name;
  bool star = false;
  const char* separator = "(";
  const auto add = [&](std::string_view part) {
    text += separator;
    text += part;
    separator = ", ";
  };
  for (const int i : s.order) {
    const Parameter& p = s.base->parameters[i];
    if (p.keyword_only && !std::exchange(star, true)) add("*");
    add(word(p));
  }
  if (s.out) {
    if (!star) add("*");
    add(out_word);
  }
  if (*separator == '(') text += "(";
  text += ")";
  return text;
}

// Signatures are sorted by this text before the rules of `yields` apply.
std::string sort_key(const Signature& s) {
  const auto word = [&](const Parameter& p) {
    std::string text(named_kind(p.type)->python);
    if (p.size) text += "[" + std::to_string(p.size) + "]";
    if (p.optional) text += "?";
    text += " ";
    text += s.shown_name(p);
    if (p.has_default) text += "=" + p.default_text;
    return text;
  };
  const bool several = s.out && s.out->outs > 1;
  return signature_text(s, word,
                        several ? "TensorList[" + std::to_string(s.out->outs) + "] out=None" : "Tensor out=None");
}

std::string shown_text(const Signature& s) {
  return signature_text(
      s, [&](const Parameter& p) { return p.text(s.shown_name(p)); }, "Tensor out=None");
}

// True when an argument of type a is tried after one of type b.
bool weaker(const Parameter& a, const Parameter& b) {
  const auto is = [](const Parameter& p, std::string_view type, bool optional = false) {
    return p.type == type && p.optional == optional;
  };
  return (is(a, "Scalar") && is(b, "Tensor")) || (is(a, "Scalar", true) && is(b, "Tensor", true)) ||
         (is(a, "int[]") && b.type == "int") || (is(a, "Tensor[]") && b.type.ends_with("[]")) ||
         (is(a, "SymInt[]") && is(b, "int[]")) || ((is(a, "SymInt") || is(a, "int")) && is(b, "Tensor"));
}

// True when signature a has to come after b.
bool yields(const Signature& a, const Signature& b) {
  if (a.order.size() != b.order.size()) return false;
  bool differ = false;
  for (size_t i = 0; i < a.order.size(); ++i) {
    const Parameter& p = a.base->parameters[a.order[i]];
    const Parameter& q = b.base->parameters[b.order[i]];
    if (p.type == q.type && p.optional == q.optional) continue;
    if (!weaker(p, q)) return false;
    differ = true;
  }
  return differ;
}

void sort_as_python(std::vector<Signature>& signatures) {
  std::vector<std::pair<std::string, size_t>> keys;
  for (size_t i = 0; i < signatures.size(); ++i) keys.emplace_back(sort_key(signatures[i]), i);
  std::stable_sort(keys.begin(), keys.end(), [](auto& a, auto& b) { return a.first < b.first; });
  std::vector<size_t> ids;
  std::map<size_t, std::set<size_t>> after;  // rank -> ranks that have to come first
  for (size_t a = 0; a < keys.size(); ++a) {
    for (size_t b = 0; b < keys.size(); ++b) {
      if (yields(signatures[keys[a].second], signatures[keys[b].second])) after[a].insert(b);
    }
    if (!after.count(a)) ids.push_back(a);
  }
  // Each signature that is placed may free others; those follow at the end, as PyTorch's code generator places them.
  for (size_t k = 0; k < ids.size(); ++k) {
    for (auto it = after.begin(); it != after.end();) {
      it->second.erase(ids[k]);
      if (it->second.empty()) {
        ids.push_back(it->first);
        it = after.erase(it);
      } else {
        ++it;
      }
    }
  }
  std::vector<Signature> sorted;
  for (const size_t id : ids) sorted.push_back(std::move(signatures[keys[id].second]));
  signatures = std::move(sorted);
}

// Fills what follows from base, out and method. False: a method without a tensor `self`.
bool complete(Signature& s) {
  const auto& parameters = s.base->parameters;
  for (const bool keyword_only : {false, true}) {
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Parameter& p = parameters[i];
      if (p.is_out || p.keyword_only != keyword_only) continue;
      if (s.method && s.self < 0 && p.name == "self") {
        s.self = static_cast<int>(i);
      } else {
        s.order.push_back(static_cast<int>(i));
      }
    }
    if (!keyword_only) s.max_positional = s.order.size();
  }
  if (s.method) {
    if (s.self < 0) return false;
    const Kind kind = parameters[s.self].kind;
    if (kind != Kind::kTensor && kind != Kind::kTensorList) return false;
  }
  int lists = 0;
  for (size_t n = 0; n < s.max_positional; ++n) {
    if (parameters[s.order[n]].kind != Kind::kTensorList) continue;
    s.tensor_list = static_cast<int>(n);
    ++lists;
  }
  if (lists != 1) s.tensor_list = -1;
  s.varargs = s.max_positional == 1 && parameters[s.order[0]].kind == Kind::kIntList;
  if (s.out) {
    for (const auto& p : parameters) {
      const auto same = [&](const Parameter& q) { return q.name == p.name; };
      const auto& q = s.out->parameters;
      const auto found = std::find_if(q.begin(), q.end(), same);
      s.to_out.push_back(found == q.end() ? -1 : static_cast<int>(found - q.begin()));
    }
    for (size_t i = 0; i < s.out->parameters.size(); ++i) {
      if (s.out->parameters[i].is_out) s.out_places.push_back(static_cast<int>(i));
    }
  }
  s.text = shown_text(s);
  return true;
}

std::vector<Signature> signatures_of(const Operator& op, bool method) {
  std::map<std::string, const Schema*> twins;
  for (const auto& s : op.schemas) {
    // Generated out= schemas are the compiler's alone, but for those of view_copy and its like.
    if (s->is_out && (!s->generated || s->name.ends_with("_copy"))) twins[shape_of(*s, false)] = s.get();
  }
  const auto take_twin = [&](const Schema& s) -> const Schema* {
    for (const bool without_options : {false, true}) {
      const auto found = twins.find(shape_of(s, without_options));
      if (found == twins.end()) continue;
      const Schema* twin = found->second;
      twins.erase(found);
      return twin;
    }
    return nullptr;
  };
  std::vector<Signature> signatures;
  const auto add = [&](const Schema* base, const Schema* out) {
    Signature s;
    s.base = base;
    s.out = out;
    s.method = method;
    if (complete(s)) signatures.push_back(std::move(s));
  };
  for (const auto& s : op.schemas) {
    if (!s->is_out && !s->generated && !hidden_from_python(*s)) add(s.get(), take_twin(*s));
  }
  for (const auto& [shape, out] : twins) add(out, out);
  sort_as_python(signatures);
  return signatures;
}

}  // namespace

bool Parameter::is_tensor_option() const {
  return name == "dtype" || name == "layout" || name == "device" || name == "pin_memory";
}

std::string Parameter::text(std::string_view shown_name) const {
  std::string text = type;
  if (size && text.ends_with("[]")) text.insert(text.size() - 1, std::to_string(size));
  if (optional) text += "?";
  text += " ";
  text += shown_name;
  if (has_default) text += "=" + default_text;
  return text;
}

std::string Schema::full_name() const {
  std::string text = name.find("::") == std::string::npos ? "aten::" + name : name;
  if (!overload.empty()) text += "." + overload;
  return text;
}

std::string_view Signature::shown_name(const Parameter& p) const {
  if (!method && p.kind == Kind::kTensor && p.name == "self") return "input";
  return p.name;
}

std::unique_ptr<Operator> read_operator(std::string_view name) {
  const bool in_aten = name.find("::") == std::string_view::npos;
  auto op = std::make_unique<Operator>();
  for (const auto& handle : overloads_of(in_aten ? "aten::" + std::string(name) : std::string(name))) {
    auto schema = read_schema(handle, name);
    const bool supported = std::all_of(schema->parameters.begin(), schema->parameters.end(),
                                       [](const Parameter& p) { return p.kind != Kind::kUnsupported; });
    if (supported) op->schemas.push_back(std::move(schema));
  }
  if (op->schemas.empty()) return nullptr;
  op->takes_numbers = number_for_tensor(name);
  op->functions = signatures_of(*op, false);
  op->methods = signatures_of(*op, true);
  for (const auto& s : op->functions) op->most_positional = std::max(op->most_positional, s.max_positional);
  return op;
}

const Operator* find_operator(std::string_view name) {
  static std::shared_mutex mutex;
  static std::map<std::string, std::unique_ptr<Operator>, std::less<>> operators;
  {
    std::shared_lock lock(mutex);
    const auto found = operators.find(name);
    if (found != operators.end()) return found->second.get();
  }
  auto op = read_operator(name);
  if (!op) return nullptr;  // not remembered: a library loaded later may bring the name
  std::unique_lock lock(mutex);
  return operators.try_emplace(std::string(name), std::move(op)).first->second.get();
}

}  // namespace msprobe::signatures
