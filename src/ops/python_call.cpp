// Parameters of Python functions: declarations as text, arguments by position and keyword.
#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "ops/convert.h"
#include "ops/python_declaration.h"
#include "ops/registry.h"
#include "util/split.h"

namespace msprobe::ops {
namespace {

Declaration parse_declaration(std::string_view text) {
  Declaration declaration;
  bool keyword_only = false;
  for (const auto part : util::split_list(text)) {
    if (part == "*") {
      keyword_only = true;
      continue;
    }
    const auto equals = part.find('=');
    DeclaredParameter p;
    p.name = util::trimmed(part.substr(0, equals));
    p.keyword_only = keyword_only;
    if (equals != std::string_view::npos) {
      p.has_default = true;
      p.default_value = parse_literal(part.substr(equals + 1));
    }
    declaration.positional += !keyword_only;
    declaration.parameters.push_back(std::move(p));
  }
  return declaration;
}

}  // namespace

Value parse_literal(std::string_view text) {
  text = util::trimmed(text);
  if (text == "None") return {};
  if (text == "True") return true;
  if (text == "False") return false;
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front()) {
    return std::string(text.substr(1, text.size() - 2));
  }
  if (text.size() >= 2 &&
      ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')'))) {
    inputs::List list;
    for (const auto item : util::split_list(text.substr(1, text.size() - 2))) list.items.push_back(parse_literal(item));
    return list;
  }
  const std::string number(text);
  try {
    size_t used = 0;
    const bool floating = number.find_first_of(".eEn") != std::string::npos;  // "inf" and "nan" have an n
    const Value value =
        floating ? Value(std::stod(number, &used)) : Value(static_cast<int64_t>(std::stoll(number, &used)));
    if (used == number.size()) return value;
  } catch (const std::logic_error&) {  // std::stod's and std::stoll's; reported below
  }
  throw std::logic_error("declaration of a Python function: '" + number + "' is no literal");
}

const Declaration& find_declaration(std::string_view text) {
  static std::shared_mutex mutex;
  static std::map<std::string, Declaration, std::less<>> declarations;
  {
    std::shared_lock lock(mutex);
    const auto found = declarations.find(text);
    if (found != declarations.end()) return found->second;
  }
  auto declaration = parse_declaration(text);
  std::unique_lock lock(mutex);
  return declarations.try_emplace(std::string(text), std::move(declaration)).first->second;
}

PythonCall::PythonCall(std::string_view function, std::string_view declaration, const Arguments& arguments)
    : function_(function) {
  const Declaration& declared = find_declaration(declaration);
  if (arguments.args.size() > declared.positional) {
    throw NoMatch(function_ + "(" + std::string(declaration) + ") takes " + std::to_string(declared.positional) +
                  " arguments by position, got " + std::to_string(arguments.args.size()));
  }
  size_t keywords = 0;
  values_.reserve(declared.parameters.size());
  for (size_t i = 0; i < declared.parameters.size(); ++i) {
    const DeclaredParameter& p = declared.parameters[i];
    const Value* keyword = arguments.kwarg(p.name);
    keywords += keyword != nullptr;
    const bool by_position = i < arguments.args.size();
    if (by_position && keyword) throw NoMatch(function_ + ": " + p.name + " is given by position and by keyword");
    if (!by_position && !keyword && !p.has_default) throw NoMatch(function_ + ": " + p.name + " is missing");
    values_.emplace_back(p.name, by_position ? arguments.args[i] : keyword ? *keyword : p.default_value);
  }
  if (keywords == arguments.kwargs.size()) return;
  for (const auto& [name, value] : arguments.kwargs) {
    const auto same = [&, &name = name](const DeclaredParameter& p) { return p.name == name; };
    if (std::none_of(declared.parameters.begin(), declared.parameters.end(), same)) {
      throw NoMatch(function_ + "(" + std::string(declaration) + ") has no argument of the name " + name);
    }
  }
  throw NoMatch(function_ + ": a keyword is given twice");
}

const Value& PythonCall::operator[](std::string_view parameter) const {
  for (const auto& [name, value] : values_) {
    if (name == parameter) return value;
  }
  throw std::logic_error(function_ + " declares no parameter " + std::string(parameter));
}

bool PythonCall::has(std::string_view parameter) const {
  for (const auto& [name, value] : values_) {
    if (name == parameter) return !value.is_none();
  }
  return false;
}

at::Tensor PythonCall::tensor(std::string_view parameter) const {
  const auto* t = (*this)[parameter].get_if<at::Tensor>();
  if (!t) wrong(parameter, "a tensor");
  return *t;
}

int64_t PythonCall::integer(std::string_view parameter) const {
  int64_t number = 0;
  if (!as_list_item((*this)[parameter], number)) wrong(parameter, "an integer");
  return number;
}

double PythonCall::number(std::string_view parameter) const {
  const Value& value = (*this)[parameter];
  if (const auto* d = value.get_if<double>()) return *d;
  if (const auto* i = value.get_if<int64_t>()) return static_cast<double>(*i);
  if (const auto* b = value.get_if<bool>()) return *b ? 1 : 0;
  const auto* t = value.get_if<at::Tensor>();
  if (!t || t->dim() != 0 || t->is_complex()) wrong(parameter, "a number");
  return t->item().toDouble();
}

bool PythonCall::boolean(std::string_view parameter) const {
  const Value& value = (*this)[parameter];
  if (value.is_none()) return false;
  if (const auto* b = value.get_if<bool>()) return *b;
  if (const auto* i = value.get_if<int64_t>()) return *i != 0;
  wrong(parameter, "a bool");
}

std::string PythonCall::string(std::string_view parameter) const {
  const auto* text = (*this)[parameter].get_if<std::string>();
  if (!text) wrong(parameter, "a string");
  return *text;
}

std::vector<int64_t> PythonCall::integers(std::string_view parameter, size_t n) const {
  const Value& value = (*this)[parameter];
  int64_t item = 0;
  if (const auto* list = value.get_if<inputs::List>()) {
    std::vector<int64_t> numbers;
    for (const Value& v : list->items) {
      if (!as_list_item(v, item)) wrong(parameter, "a list of integers");
      numbers.push_back(item);
    }
    return numbers;
  }
  if (!as_list_item(value, item)) wrong(parameter, "an integer or a list of integers");
  return std::vector<int64_t>(std::max<size_t>(n, 1), item);
}

void PythonCall::wrong(std::string_view parameter, std::string_view expected) const {
  throw NoMatch(function_ + ": " + std::string(parameter) + " takes " + std::string(expected) + ", got " +
                describe_value((*this)[parameter]));
}

}  // namespace msprobe::ops
