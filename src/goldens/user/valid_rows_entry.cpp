#include "goldens/user/valid_rows_entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "goldens/built_in.h"
#include "goldens/schema_text.h"
#include "goldens/user/entry.h"
#include "ops/python_declaration.h"
#include "util/edit_distance.h"

namespace msprobe::goldens {
namespace {

using config::Node;

// A misspelt word, or an argument that the operator does not have, would change what is judged without a word.
void check_list_type(const std::string& path, const std::string& api, const Node& node,
                     const std::vector<UserOperator>& operators) {
  constexpr const char* kRemedy = "write counts, ends, or the name of the argument that says which";
  if (const std::string meant = util::did_you_mean(node.text, {"counts", "ends"}); !meant.empty())
    throw error_at(path, node, fmt::format("found {}{}", node.text, meant), kRemedy);
  const Golden* golden = find_built_in(api);
  std::string schema = golden != nullptr ? golden->schema : "";
  for (const auto& user : operators)
    if (user.name == api && !user.schema.empty()) schema = user.schema;
  if (schema.empty()) return;
  std::vector<std::string> known;
  for (const auto& p : ops::find_declaration(python_parameters(schema)).parameters) known.push_back(p.name);
  if (std::find(known.begin(), known.end(), node.text) == known.end())
    throw error_at(
        path, node,
        fmt::format("found {}, which is no argument of {}{}", node.text, api, util::did_you_mean(node.text, known)),
        kRemedy);
}

ValidRows::Count count_of(const std::string& list_type) {
  if (list_type == "ends") return ValidRows::Count::kEnds;
  return list_type == "counts" ? ValidRows::Count::kCounts : ValidRows::Count::kByArgument;
}

void read_unless(const std::string& path, const Node& node, ValidRows& rule) {
  if (node.kind != Node::Kind::kMap)
    throw error_at(path, node, fmt::format("found {}, expected arguments with their values", describe(node)),
                   "write `unless: {group_type: [2]}`");
  for (const Node& entry : node.children) {
    std::vector<int64_t>& values = rule.unless[entry.key];
    if (entry.kind != Node::Kind::kList) {
      values.push_back(config::as_integer(path, entry, INT64_MIN, INT64_MAX));
      continue;
    }
    for (Node item : entry.children) {
      item.key = entry.key;
      values.push_back(config::as_integer(path, item, INT64_MIN, INT64_MAX));
    }
  }
}

ValidRows read_rule(const std::string& path, const std::string& api, const Node& entry,
                    const std::vector<UserOperator>& operators) {
  ValidRows rule;
  const Node* by_argument = nullptr;
  for (const Node& value : entry.children) {
    if (value.key == "argument") {
      rule.argument = config::as_text(path, value);
    } else if (value.key == "position") {
      rule.position = static_cast<int>(config::as_integer(path, value, 0, 1000));
    } else if (value.key == "list_type") {
      const std::string text = config::as_text(path, value);
      rule.count = count_of(text);
      if (rule.count == ValidRows::Count::kByArgument) rule.list_type = text, by_argument = &value;
    } else if (value.key == "unless") {
      read_unless(path, value, rule);
    } else {
      throw unknown_key(path, value, {"argument", "position", "list_type", "unless"});
    }
  }
  if (by_argument != nullptr) check_list_type(path, api, *by_argument, operators);
  if (rule.argument.empty())
    throw at_key(path, entry, "names no argument", "add `argument: group_list`, or whatever tells the rows");
  return rule;
}

}  // namespace

void read_valid_rows(const std::string& path, const Node& section, Configuration& out) {
  if (section.kind == Node::Kind::kNull) return;
  constexpr const char* kForm = "write `npu_x: {argument: group_list, list_type: counts}`";
  if (section.kind != Node::Kind::kMap)
    throw error_at(path, section, fmt::format("found {}, expected names of APIs", describe(section)), kForm);
  Once once(path);
  for (const Node& entry : section.children) {
    const std::string api = api_of(path, entry);
    once.see(api, entry);
    if (entry.kind == Node::Kind::kNull) {
      out.judged_whole.push_back(api);
      continue;
    }
    if (entry.kind != Node::Kind::kMap)
      throw error_at(path, entry, fmt::format("found {}, expected the argument that tells the rows", describe(entry)),
                     kForm);
    out.valid_rows[api] = read_rule(path, api, entry, out.operators);
  }
}

}  // namespace msprobe::goldens
