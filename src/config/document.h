// A YAML or JSON document as a tree that remembers its lines, so that every complaint can name the place.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "util/error.h"

namespace msprobe::config {

struct Node {
  enum class Kind { kNull, kBool, kInteger, kFloat, kString, kList, kMap };
  Kind kind = Kind::kNull;
  std::string text;            ///< a scalar as it is written (without quotes)
  int line = 0;                ///< 1 = first line of the file
  std::string key;             ///< of an entry of a map
  int key_line = 0;            ///< line of `key`
  std::vector<Node> children;  ///< items of a list, entries of a map in file order

  const Node* find(std::string_view name) const;  ///< entry of a map, nullptr when absent
};

/// Documents larger than this are refused: no configuration comes near.
constexpr uint64_t kLargestDocument = 1 << 18;

/// Reads `path`: .json as JSON, .yaml and .yml as YAML, others as JSON when they start with '{', else as YAML. An empty
/// document is kNull. Throws Error with file and line: unreadable, larger than kLargestDocument, not UTF-8, malformed,
/// a key given twice, nested deeper than 100, an anchor used before its end, more than 100000 nodes once aliases are
/// put in place.
Node read_document(const std::string& path);
Node parse_yaml(std::string_view text, const std::string& path);
Node parse_json(std::string_view text, const std::string& path);

/// What a node is, for messages: `the text "abc"`, `the number 3.5`, `a list`, `nothing`.
std::string describe(const Node& node);
/// Error at the line of `node`: "path:line: key".
Error error_at(const std::string& path, const Node& node, const std::string& what, const std::string& remedy = "");

/// Typed reading of one value; each throws Error saying what was found and what was expected.
std::string as_text(const std::string& path, const Node& node);
int64_t as_integer(const std::string& path, const Node& node, int64_t least, int64_t most);
uint64_t as_unsigned(const std::string& path, const Node& node);
/// Finite numbers only; integers count as numbers.
double as_number(const std::string& path, const Node& node);
bool as_bool(const std::string& path, const Node& node);
std::vector<std::string> as_text_list(const std::string& path, const Node& node);

}  // namespace msprobe::config
