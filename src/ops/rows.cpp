// Adaptors that are one line: a Python signature and the operator whose arguments have the same names.
#include <sstream>

#include "ops/call.h"
#include "ops/python_declaration.h"
#include "ops/registry.h"

namespace msprobe::ops {
namespace {

struct Extra {
  std::string name;    ///< of the operator's argument
  std::string source;  ///< the Python parameter that it gets, or empty
  Value constant;
};

struct Row {
  std::string function;     ///< "Functional.dropout"
  std::string declaration;  ///< "input, p=0.5, training=True"
  std::string target;       ///< "dropout"
  std::vector<Extra> extras;
};

[[noreturn]] void broken(const std::string& line, const std::string& what) {
  throw std::logic_error("adaptor row '" + line + "': " + what);
}

Row parse_row(const std::string& line) {
  const auto open = line.find('(');
  const auto arrow = line.find(") -> ");
  if (open == std::string::npos || arrow == std::string::npos || arrow < open)
    broken(line, "expected name(...) -> operator");
  Row row;
  row.function = line.substr(0, open);
  row.declaration = line.substr(open + 1, arrow - open - 1);
  std::istringstream words(line.substr(arrow + 5));
  words >> row.target;
  const Declaration& declared = find_declaration(row.declaration);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) broken(line, "expected argument=value, got " + word);
    Extra extra{word.substr(0, equals), "", {}};
    const std::string value = word.substr(equals + 1);
    for (const auto& p : declared.parameters) {
      if (p.name == value) extra.source = value;
    }
    if (extra.source.empty()) extra.constant = parse_literal(value);
    row.extras.push_back(std::move(extra));
  }
  return row;
}

using Keywords = std::vector<std::pair<std::string, Value>>;

// Removes `name` and returns its value; None when it is not there.
Value take(Keywords& keywords, std::string_view name) {
  for (auto it = keywords.begin(); it != keywords.end(); ++it) {
    if (it->first != name) continue;
    Value value = std::move(it->second);
    keywords.erase(it);
    return value;
  }
  return {};
}

// size_average and reduce, where given, say what `reduction` says today.
void translate_legacy_reduction(Keywords& keywords) {
  const Value size_average = take(keywords, "size_average"), reduce = take(keywords, "reduce");
  if (size_average.is_none() && reduce.is_none()) return;
  const auto off = [](const Value& v) { return v.is<bool>() && !v.get<bool>(); };
  take(keywords, "reduction");
  keywords.emplace_back("reduction", off(reduce) ? "none" : off(size_average) ? "sum" : "mean");
}

Value call_row(const Row& row, const Arguments& arguments) {
  Arguments rest = arguments;
  const Declaration& declared = find_declaration(row.declaration);
  // `inplace` is the last parameter of every Python function that has it.
  Value inplace = take(rest.kwargs, "inplace");
  if (rest.args.size() == declared.positional + 1 && rest.args.back().is<bool>()) {
    inplace = rest.args.back();
    rest.args.pop_back();
  }
  const PythonCall call(row.function, row.declaration, rest);
  Arguments by_name;
  for (const auto& p : declared.parameters) by_name.kwargs.emplace_back(p.name, call[p.name]);
  translate_legacy_reduction(by_name.kwargs);
  for (auto& [name, value] : by_name.kwargs) {
    if (name == "align_corners" && value.is_none()) value = false;
  }
  for (const auto& extra : row.extras) {
    by_name.kwargs.emplace_back(extra.name, extra.source.empty() ? extra.constant : take(by_name.kwargs, extra.source));
  }
  Target target;
  target.shown = row.function;
  target.name = row.target;
  if (inplace.is<bool>() && inplace.get<bool>()) target.name += "_";
  return call_operator(target, by_name);
}

}  // namespace

RowRegistration::RowRegistration(const char* rows) {
  std::istringstream lines(rows);
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    Row row = parse_row(line.substr(begin));
    const std::string function = row.function;
    AdaptorRegistration({function.c_str()},
                        [row = std::move(row)](const Arguments& arguments) { return call_row(row, arguments); });
  }
}

}  // namespace msprobe::ops
