#include "config/document.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "util/atomic_file.h"
#include "util/one_line.h"
#include "util/utf8.h"

namespace msprobe::config {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

Error unexpected(const std::string& path, const Node& node, const std::string& expected) {
  return error_at(path, node, fmt::format("found {}, expected {}", describe(node), expected));
}

/// Decimal with an optional sign, or 0x…; `T` decides the range. from_chars knows no plus sign and no prefix.
template <typename T>
std::optional<T> parse_integer(std::string_view text) {
  int base = 10;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with("0x") || text.starts_with("0X")) base = 16, text.remove_prefix(2);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

const Node* Node::find(std::string_view name) const {
  for (const Node& child : children)
    if (kind == Kind::kMap && child.key == name) return &child;
  return nullptr;
}

Node read_document(const std::string& path) {
  const std::string text = util::read_file(path, kLargestDocument);
  if (!util::is_utf8(text)) throw Error(path, "is not UTF-8", "save it as UTF-8");
  if (text.find('\0') != std::string::npos) throw Error(path, "holds a NUL character, expected text");
  if (ends_with(path, ".json")) return parse_json(text, path);
  if (ends_with(path, ".yaml") || ends_with(path, ".yml")) return parse_yaml(text, path);
  const size_t start = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return start != std::string::npos && text[start] == '{' ? parse_json(text, path) : parse_yaml(text, path);
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kBool:
      return node.text + " (yes or no)";
    case Node::Kind::kInteger:
    case Node::Kind::kFloat:
      return "the number " + node.text;
    case Node::Kind::kString:
      return fmt::format("the text \"{}\"", util::fit_width(util::one_line(node.text), 60));
    case Node::Kind::kList:
      return node.children.empty() ? "an empty list" : fmt::format("a list of {}", node.children.size());
    case Node::Kind::kMap:
      return "a group of keys";
  }
  return "";
}

Error error_at(const std::string& path, const Node& node, const std::string& what, const std::string& remedy) {
  const std::string place = node.line > 0 ? fmt::format("{}:{}", path, node.line) : path;
  return Error(node.key.empty() ? place : place + ": " + node.key, util::one_line(what), util::one_line(remedy));
}

std::string as_text(const std::string& path, const Node& node) {
  if (node.kind == Node::Kind::kString) return node.text;
  const bool scalar =
      node.kind == Node::Kind::kBool || node.kind == Node::Kind::kInteger || node.kind == Node::Kind::kFloat;
  throw error_at(path, node, fmt::format("found {}, expected text", describe(node)),
                 scalar ? fmt::format("if that is meant as text, write \"{}\"", node.text) : "");
}

int64_t as_integer(const std::string& path, const Node& node, int64_t least, int64_t most) {
  const std::string expected = most == std::numeric_limits<int64_t>::max()
                                   ? fmt::format("a whole number, {} or more", least)
                                   : fmt::format("a whole number from {} to {}", least, most);
  if (node.kind != Node::Kind::kInteger) throw unexpected(path, node, expected);
  const auto value = parse_integer<int64_t>(node.text);
  if (!value || *value < least || *value > most) throw unexpected(path, node, expected);
  return *value;
}

uint64_t as_unsigned(const std::string& path, const Node& node) {
  const auto value = node.kind == Node::Kind::kInteger ? parse_integer<uint64_t>(node.text) : std::nullopt;
  if (!value)
    throw unexpected(path, node, fmt::format("a whole number from 0 to {}", std::numeric_limits<uint64_t>::max()));
  return *value;
}

double as_number(const std::string& path, const Node& node) {
  if (node.kind == Node::Kind::kInteger) {
    if (const auto whole = parse_integer<int64_t>(node.text)) return static_cast<double>(*whole);
  }
  double value = std::numeric_limits<double>::quiet_NaN();
  if (node.kind == Node::Kind::kInteger || node.kind == Node::Kind::kFloat) {
    const char* begin = node.text.data() + (node.text.starts_with('+') ? 1 : 0);
    const char* end = node.text.data() + node.text.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || stop != end) value = std::numeric_limits<double>::quiet_NaN();
  }
  if (!std::isfinite(value)) throw unexpected(path, node, "a finite number");
  return value;
}

bool as_bool(const std::string& path, const Node& node) {
  if (node.kind != Node::Kind::kBool) throw unexpected(path, node, "true or false");
  const char first = node.text.empty() ? '\0' : node.text[0];
  const bool on = node.text.size() == 2 && (node.text[1] == 'n' || node.text[1] == 'N');  // "on", not "off" or "no"
  return first == 't' || first == 'T' || first == 'y' || first == 'Y' || on;
}

std::vector<std::string> as_text_list(const std::string& path, const Node& node) {
  if (node.kind != Node::Kind::kList)
    throw error_at(
        path, node, fmt::format("found {}, expected a list of names", describe(node)),
        node.kind == Node::Kind::kString ? fmt::format("write [\"{}\"]", node.text) : "write [\"name\", \"name\"]");
  std::vector<std::string> out;
  for (const Node& item : node.children) {
    Node named = item;
    named.key = node.key;
    out.push_back(as_text(path, named));
  }
  return out;
}

}  // namespace msprobe::config
