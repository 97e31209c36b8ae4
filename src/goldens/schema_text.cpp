#include "goldens/schema_text.h"

namespace msprobe::goldens {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// "Tensor? pse=None" -> "pse=None"; `""` and `1.` are written as Python does.
std::string python_parameter(std::string_view text) {
  text = trimmed(text);
  if (text == "*") return "*";
  size_t equals = text.find('=');
  std::string_view head = trimmed(text.substr(0, equals));
  std::string name(head.substr(head.rfind(' ') + 1));
  if (equals == std::string_view::npos) return name;
  std::string value(trimmed(text.substr(equals + 1)));
  for (char& c : value)
    if (c == '"') c = '\'';
  if (!value.empty() && value.back() == '.') value += '0';
  return name + "=" + value;
}

}  // namespace

std::string python_parameters(std::string_view schema) {
  size_t open = schema.find('('), close = schema.rfind(") ->");
  std::string_view body = schema.substr(open + 1, close - open - 1);
  std::string out;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= body.size(); ++i) {
    if (i < body.size() && (body[i] == '(' || body[i] == '[')) ++depth;
    if (i < body.size() && (body[i] == ')' || body[i] == ']')) --depth;
    if (i == body.size() || (body[i] == ',' && depth == 0)) {
      if (auto part = trimmed(body.substr(start, i - start)); !part.empty())
        out += (out.empty() ? "" : ", ") + python_parameter(part);
      start = i + 1;
    }
  }
  return out;
}

}  // namespace msprobe::goldens
