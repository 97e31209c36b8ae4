#include "config/api_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "config/document.h"
#include "config/settings.h"
#include "util/edit_distance.h"
#include "util/one_line.h"
#include "util/split.h"

namespace msprobe::config {
namespace {

/// Reads the file's entries; `path` names it in Errors.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  ApiFacts entry(const Node& node) const;
  std::vector<ValueRule> values(const Node& node) const;
  std::string place(const Node& node) const {
    return fmt::format("{}:{}", path_, node.key_line != 0 ? node.key_line : node.line);
  }

 private:
  using Read = void (*)(const Reader&, const Node&, ApiFacts&);
  struct Key {
    std::string_view name;
    Read read;
  };
  static const std::array<Key, 19> kKeys;

  IndexOutput index_output(const Node& node) const;
  Randomness random(const Node& node) const;
  Dropout dropout(const Node& node) const;
  std::vector<std::string> names(const Node& node) const;
  std::vector<std::pair<std::string, InFloat64>> in_float64(const Node& node) const;
  std::pair<std::string, DtypeDefault> dtype_default(const Node& node) const;
  RowsWritten written_rows(const Node& node) const;
  /// A list of integers, or one alone.
  std::vector<int64_t> integers(const Node& node) const;
  int count(const Node& node) const { return static_cast<int>(as_integer(path_, node, 1, 1000)); }
  bool flag(const Node& node) const { return as_bool(path_, node); }
  std::string text(const Node& node) const { return as_text(path_, node); }
  /// The place of the node's text among `words`.
  template <size_t n>
  size_t one_of(const Node& node, const std::array<std::string_view, n>& words) const;
  /// The only entry of a map.
  const Node& only(const Node& node) const;

  template <class Names>
  Error unknown(const Node& node, std::string_view what, const std::string& found, const Names& known) const {
    const std::vector<std::string> words(known.begin(), known.end());
    const std::string near = util::did_you_mean(found, words);
    return Error(place(node), fmt::format("unknown {} {}{}", what, util::one_line(found), near),
                 near.empty() ? fmt::format("expected one of {}", fmt::join(words, ", ")) : "");
  }
  void expect_map(const Node& node) const {
    if (node.kind == Node::Kind::kMap) return;
    throw error_at(path_, node, fmt::format("found {}, expected keys with values", describe(node)));
  }
  void expect_declared(const ApiFacts& facts, const Node& node, const std::string& parameter) const {
    const auto named = [&](const DeclaredName& declared) { return declared.name == parameter; };
    if (parameter.empty() || facts.parameters.empty() ||
        std::any_of(facts.parameters.begin(), facts.parameters.end(), named))
      return;
    throw Error(place(node), fmt::format("{}: its parameters have no {}", node.key, util::one_line(parameter)),
                "correct the name, or add it to `parameters`");
  }
  /// Each parameter that a fact speaks of is among the entry's own, where it lists them.
  void expect_all_declared(const ApiFacts& facts, const Node& node) const;

  const std::string& path_;
};

const std::array<Reader::Key, 19> Reader::kKeys = {{
    {"parameters", [](auto& r, auto& n, auto& f) { f.parameters = parse_parameters(r.text(n)); }},
    {"values", [](auto& r, auto& n, auto& f) { f.values = r.values(n); }},
    {"index_output", [](auto& r, auto& n, auto& f) { f.index_output = r.index_output(n); }},
    {"random", [](auto& r, auto& n, auto& f) { f.random = r.random(n); }},
    {"dropout", [](auto& r, auto& n, auto& f) { f.dropout = r.dropout(n); }},
    {"changes", [](auto& r, auto& n, auto& f) { f.changes = r.names(n); }},
    {"in_float64", [](auto& r, auto& n, auto& f) { f.in_float64 = r.in_float64(n); }},
    {"dtype_default", [](auto& r, auto& n, auto& f) { f.dtype_default = r.dtype_default(n); }},
    {"not_raised", [](auto& r, auto& n, auto& f) { f.not_raised = r.flag(n); }},
    {"hf32", [](auto& r, auto& n, auto& f) { f.hf32 = r.flag(n); }},
    {"judged_outputs", [](auto& r, auto& n, auto& f) { f.judged_outputs = r.count(n); }},
    {"written_rows", [](auto& r, auto& n, auto& f) { f.written_rows = r.written_rows(n); }},
    {"host", [](auto& r, auto& n, auto& f) { f.host = r.text(n); }},
    {"callable", [](auto& r, auto& n, auto& f) { f.callable = r.text(n); }},
    {"no_backward", [](auto& r, auto& n, auto& f) { f.no_backward = r.flag(n); }},
    {"skip", [](auto& r, auto& n, auto& f) { f.skip = r.flag(n); }},
    {"removed", [](auto& r, auto& n, auto& f) { f.removed = r.flag(n); }},
    {"unsupported", [](auto& r, auto& n, auto& f) { f.unsupported = r.text(n); }},
    {"cost", [](auto& r, auto& n, auto& f) { f.cost = r.text(n); }},
}};

ApiFacts Reader::entry(const Node& node) const {
  expect_map(node);
  ApiFacts facts;
  facts.where = place(node);
  for (const Node& fact : node.children) {
    const auto* const key =
        std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& known) { return known.name == fact.key; });
    if (key == kKeys.end()) {
      std::vector<std::string_view> known;
      for (const Key& k : kKeys) known.push_back(k.name);
      throw unknown(fact, "key", fact.key, known);
    }
    key->read(*this, fact, facts);
  }
  expect_all_declared(facts, node);
  return facts;
}

void Reader::expect_all_declared(const ApiFacts& facts, const Node& node) const {
  const auto expect = [&](const std::string& parameter) { expect_declared(facts, node, parameter); };
  for (const ValueRule& value : facts.values) expect(value.parameter);
  if (facts.index_output) expect(facts.index_output->dim);
  if (facts.index_output) expect(facts.index_output->inverse);
  if (facts.index_output) expect(facts.index_output->stable);
  if (facts.random) expect(facts.random->parameter);
  if (facts.dropout) expect(facts.dropout->probability);
  if (facts.dropout) expect(facts.dropout->training);
  for (const std::string& parameter : facts.changes) expect(parameter);
  for (const auto& [parameter, rule] : facts.in_float64) expect(parameter);
  if (facts.dtype_default) expect(facts.dtype_default->first);
  if (facts.written_rows) {
    const RowsWritten& rows = *facts.written_rows;
    expect(rows.argument);
    if (!rows.list_type_is_fixed()) expect(rows.list_type);
    for (const auto& [parameter, values] : rows.unless) expect(parameter);
  }
  expect(facts.callable);
}

std::vector<ValueRule> Reader::values(const Node& node) const {
  expect_map(node);
  std::vector<ValueRule> rules;
  for (const Node& rule : node.children) rules.push_back({rule.key, text(rule), place(rule)});
  return rules;
}

template <size_t n>
size_t Reader::one_of(const Node& node, const std::array<std::string_view, n>& words) const {
  const std::string found = text(node);
  const auto at = std::find(words.begin(), words.end(), found);
  if (at == words.end()) throw unknown(node, node.key, found, words);
  return static_cast<size_t>(at - words.begin());
}

const Node& Reader::only(const Node& node) const {
  expect_map(node);
  if (node.children.size() == 1) return node.children.front();
  throw error_at(path_, node, fmt::format("found {} entries, expected one", node.children.size()));
}

IndexOutput Reader::index_output(const Node& node) const {
  static constexpr std::array<std::string_view, 3> kWithoutDim = {"last", "flattened", "values"};
  static constexpr std::array<std::string_view, 4> kWindows = {"none", "kernel", "adaptive", "fractional"};
  static constexpr std::array<std::string_view, 8> kNames = {"output",  "dim",    "without_dim", "distinct",
                                                             "inverse", "stable", "window",      "plane"};
  expect_map(node);
  IndexOutput fact;
  for (const Node& part : node.children) {
    if (part.key == "output")
      fact.output = static_cast<size_t>(as_integer(path_, part, 0, 1000));
    else if (part.key == "dim")
      fact.dim = text(part);
    else if (part.key == "without_dim")
      fact.without_dim = static_cast<IndexOutput::WithoutDim>(one_of(part, kWithoutDim));
    else if (part.key == "distinct")
      fact.distinct = flag(part);
    else if (part.key == "inverse")
      fact.inverse = text(part);
    else if (part.key == "stable")
      fact.stable = text(part);
    else if (part.key == "window")
      fact.window = static_cast<IndexOutput::Window>(one_of(part, kWindows));
    else if (part.key == "plane")
      fact.plane = static_cast<int>(as_integer(path_, part, 1, 3));
    else
      throw unknown(part, "key", part.key, kNames);
  }
  return fact;
}

Randomness Reader::random(const Node& node) const {
  static constexpr std::array<std::string_view, 4> kWhen = {"always", "above_zero", "below_one", "without"};
  if (node.kind == Node::Kind::kString && node.text == kWhen[0]) return {};
  const Node& when = only(node);
  const auto found = std::find(kWhen.begin() + 1, kWhen.end(), when.key);
  if (found == kWhen.end()) throw unknown(when, "condition", when.key, kWhen);
  return {static_cast<Randomness::When>(found - kWhen.begin()), text(when)};
}

Dropout Reader::dropout(const Node& node) const {
  static constexpr std::array<std::string_view, 3> kNames = {"probability", "training", "by_default"};
  expect_map(node);
  Dropout fact;
  for (const Node& part : node.children) {
    if (part.key == "probability")
      fact.probability = text(part);
    else if (part.key == "training")
      fact.training = text(part);
    else if (part.key == "by_default")
      fact.trains_by_default = flag(part);
    else
      throw unknown(part, "key", part.key, kNames);
  }
  if (fact.probability.empty()) throw error_at(path_, node, "found no probability, expected the parameter's name");
  return fact;
}

std::vector<std::string> Reader::names(const Node& node) const {
  if (node.kind != Node::Kind::kList) return {text(node)};
  std::vector<std::string> names;
  for (Node name : node.children) {
    name.key = node.key;  // for the message
    names.push_back(text(name));
  }
  return names;
}

std::vector<std::pair<std::string, InFloat64>> Reader::in_float64(const Node& node) const {
  static constexpr std::array<std::string_view, 2> kRules = {"not set", "left out"};
  expect_map(node);
  std::vector<std::pair<std::string, InFloat64>> rules;
  for (const Node& rule : node.children) rules.emplace_back(rule.key, static_cast<InFloat64>(one_of(rule, kRules)));
  return rules;
}

std::pair<std::string, DtypeDefault> Reader::dtype_default(const Node& node) const {
  const Node& parameter = only(node);
  const std::string rule = text(parameter);
  const auto found = std::find(kDtypeDefaultNames.begin(), kDtypeDefaultNames.end(), rule);
  if (found == kDtypeDefaultNames.end()) throw unknown(parameter, "rule for a default", rule, kDtypeDefaultNames);
  return {parameter.key, static_cast<DtypeDefault>(found - kDtypeDefaultNames.begin())};
}

std::vector<int64_t> Reader::integers(const Node& node) const {
  const auto integer = [&](const Node& value) { return as_integer(path_, value, INT64_MIN, INT64_MAX); };
  if (node.kind != Node::Kind::kList) return {integer(node)};
  std::vector<int64_t> values;
  for (Node value : node.children) {
    value.key = node.key;  // for the message
    values.push_back(integer(value));
  }
  return values;
}

RowsWritten Reader::written_rows(const Node& node) const {
  static constexpr std::array<std::string_view, 3> kNames = {"argument", "list_type", "unless"};
  expect_map(node);
  RowsWritten fact;
  for (const Node& part : node.children) {
    if (part.key == "argument") {
      fact.argument = text(part);
    } else if (part.key == "list_type") {
      fact.list_type = text(part);
    } else if (part.key == "unless") {
      expect_map(part);
      for (const Node& parameter : part.children) fact.unless[parameter.key] = integers(parameter);
    } else {
      throw unknown(part, "key", part.key, kNames);
    }
  }
  return fact;
}

}  // namespace

std::vector<DeclaredName> parse_parameters(std::string_view declaration) {
  std::vector<DeclaredName> parameters;
  bool keyword_only = false;
  for (const std::string_view part : util::split_list(declaration)) {
    const std::string_view name = util::trimmed(part.substr(0, part.find('=')));
    if (name == "*")
      keyword_only = true;
    else if (!name.empty())
      parameters.push_back({std::string(name), keyword_only});
  }
  return parameters;
}

FactTable load_api_facts(const std::string& path) {
  const Node document = read_document(path);
  const Reader reader(path);
  FactTable table;
  if (document.kind != Node::Kind::kMap) throw error_at(path, document, "expected names of APIs with what is known");
  table.entries_.reserve(document.children.size());
  for (const Node& node : document.children) {
    if (node.key == "*")
      table.values_of_all_ = reader.entry(node).values;
    else
      table.entries_.emplace(node.key, reader.entry(node));
  }
  return table;
}

const FactTable& installed_api_facts() {
  static const FactTable table = load_api_facts(installed_config("signatures.yaml"));
  return table;
}

}  // namespace msprobe::config
