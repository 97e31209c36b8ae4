// Every entry of config/signatures.yaml against the schemas: those of the linked LibTorch, and those of
// torch_npu 2.13.0 (tests/data/README.md). Operators come and go between releases: an entry whose operator neither has
// is named and passed over, and a list says which may be missing from all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "config/api_facts.h"
#include "inputs/valid.h"
#include "signatures/aliases.h"
#include "signatures/find_argument.h"
#include "signatures/overload.h"

namespace msprobe::signatures {
namespace {

using config::ApiFacts;
using config::FactTable;
using testing::IsEmpty;

const FactTable& installed() {
  static const FactTable table = config::load_api_facts(MSPROBE_CONFIG_DIR "/signatures.yaml");
  return table;
}

using Parameters = std::vector<config::DeclaredName>;

// "npu::x.out(Tensor a, *, int b=1) -> ..." of each overload, by "x".
std::multimap<std::string, Parameters> read_npu_schemas() {
  std::multimap<std::string, Parameters> all;
  std::ifstream file(MSPROBE_TEST_DATA "/signatures/npu_schemas.txt");
  for (std::string line; std::getline(file, line);) {
    const size_t open = line.find('('), close = line.rfind(") ->");
    std::string name = line.substr(5, open - 5);
    name = name.substr(0, name.find('.'));
    Parameters parameters = config::parse_parameters(line.substr(open + 1, close - open - 1));
    for (auto& p : parameters) p.name = p.name.substr(p.name.rfind(' ') + 1);  // without its type
    all.emplace(std::move(name), std::move(parameters));
  }
  return all;
}

const std::multimap<std::string, Parameters>& npu_schemas() {
  static const auto all = read_npu_schemas();
  return all;
}

// The parameters that an entry speaks of.
std::vector<std::string> spoken_of(const ApiFacts& facts) {
  std::vector<std::string> names;
  for (const auto& value : facts.values) names.push_back(value.parameter);
  if (facts.index_output) names.insert(names.end(), {facts.index_output->dim, facts.index_output->inverse});
  if (facts.random) names.push_back(facts.random->parameter);
  if (facts.dtype_default) names.push_back(facts.dtype_default->first);
  if (facts.written_rows) {
    names.push_back(facts.written_rows->argument);
    const std::string& type = facts.written_rows->list_type;
    if (type != "ends" && type != "counts") names.push_back(type);
    for (const auto& [parameter, values] : facts.written_rows->unless) names.push_back(parameter);
  }
  names.push_back(facts.callable);
  std::erase(names, "");
  return names;
}

// The APIs that an entry may speak of: "Functional.x" itself, "x" of each type that may have it.
std::vector<dump::ApiName> apis_of(const std::string& entry) {
  const size_t dot = entry.find('.');
  if (dot != std::string::npos) return {{entry.substr(0, dot), entry.substr(dot + 1), "0", entry + ".0"}};
  std::vector<dump::ApiName> apis;
  for (const char* type : {"Torch", "Tensor", "Functional", "Aten", "NPU"})
    for (const char* suffix : {"", "_"})
      apis.push_back({type, entry + suffix, "0", type + ("." + entry) + suffix + ".0"});
  return apis;
}

std::string parameters_of(const dump::ApiName& api, std::vector<Overload>& all) {
  std::string text;
  for (Overload& overload : overloads(api)) {
    for (const Parameter* p : overload.parameters) text += " " + p->name;
    text += ";";
    all.push_back(std::move(overload));
  }
  return text;
}

bool has(const std::vector<Overload>& all, std::string_view parameter) {
  return std::any_of(all.begin(), all.end(), [&](const Overload& overload) {
    return any_name(parameter, [&](std::string_view name) { return overload.find(name).has_value(); });
  });
}

// APIs that neither LibTorch nor torch_npu's schemas show: Python's own, operators of other libraries, and those newer
// than the schemas.
const std::set<std::string> kShownNowhere = {"_npu_reshape_and_cache", "quantized_gru", "quantized_lstm"};

TEST(SignaturesFile, ParametersOfEveryEntryExist) {
  std::string passed_over;
  int checked = 0;
  for (const auto& [name, facts] : installed()) {
    const auto names = spoken_of(facts);
    if (names.empty() || !facts.parameters.empty())
      continue;  // with a list of its own the loader holds them against it
    std::vector<Overload> all;
    std::string shown;
    for (const auto& api : apis_of(name)) shown += parameters_of(api, all);
    bool declared = false;  // "Functional.x: {parameters: ...}" stands beside "x"
    for (const char* type : {"Functional.", "Torch.", "Tensor."}) {
      const ApiFacts* one_kind = installed().find(type + name);
      declared = declared || (one_kind != nullptr && !one_kind->parameters.empty());
    }
    if (all.empty()) {
      if (!declared) passed_over += " " + name;
      continue;
    }
    for (const std::string& parameter : names) {
      ++checked;
      EXPECT_TRUE(has(all, parameter)) << facts.where << ": " << name << " has no parameter " << parameter << ", but"
                                       << shown;
    }
  }
  std::cout << "no operator in this LibTorch:" << passed_over << "\n";
  EXPECT_GE(checked, 90);
}

TEST(SignaturesFile, ParametersOfTorchNpuStandWhereItsSchemasHaveThem) {
  ASSERT_EQ(npu_schemas().size(), 419u);
  int checked = 0;
  for (const auto& [name, facts] : installed()) {
    if (facts.parameters.empty() || name.find("npu_") == std::string::npos) continue;
    const auto [begin, end] = npu_schemas().equal_range(name);
    if (begin == end) {
      EXPECT_EQ(kShownNowhere.count(name), 1u) << facts.where << ": torch_npu has no operator " << name;
      continue;
    }
    // One overload at least has each parameter at its place.
    std::string missing;
    bool fits = false;
    for (auto schema = begin; schema != end && !fits; ++schema) {
      fits = true;
      for (size_t i = 0; i < facts.parameters.size(); ++i) {
        const auto& p = facts.parameters[i];
        const auto& theirs = schema->second;
        const bool there = p.keyword_only ? std::find(theirs.begin(), theirs.end(), p) != theirs.end()
                                          : i < theirs.size() && theirs[i] == p;
        if (!there) missing += " " + p.name;
        fits = fits && there;
      }
    }
    ++checked;
    EXPECT_TRUE(fits) << facts.where << ": " << name << " has not, or not at this place:" << missing;
  }
  EXPECT_GE(checked, 20);
}

TEST(SignaturesFile, ItsRulesAreKnown) {
  EXPECT_NO_THROW(inputs::require_known_rules(installed()));
}

}  // namespace
}  // namespace msprobe::signatures
