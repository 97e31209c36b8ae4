// Every entry of config/signatures.yaml against the schemas: those of the linked LibTorch, and those of
// torch_npu 2.13.0 (tests/data/README.md). What neither shows stands in a list here, with the reason.
#include "signatures/bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "inputs/valid.h"
#include "signatures/python_names.h"
#include "support/temp_folder.h"

namespace msprobe::signatures {
namespace {

using config::ApiFacts;
using config::FactTable;
using testing::ElementsAre;
using testing::IsEmpty;

using Lines = std::vector<std::string>;

/// Entries of operators that LibTorch 2.1 does not have yet.
const std::set<std::string_view> kNewer = {
    "_fused_rms_norm",
    "rms_norm",
    "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_fused_attention_overrideable",
};

/// Entries that no schema and no name of config/api_universe.txt shows.
const std::map<std::string_view, std::string_view> kShownNowhere = {
    {"lobpcg", "written in Python"},
    {"pca_lowrank", "written in Python"},
    {"svd_lowrank", "written in Python"},
    {"__getitem__", "Tensor's own, an adaptor calls aten::index"},
    {"element_size", "Tensor's own, an adaptor answers"},
    {"type", "Tensor's own, an adaptor converts"},
};

/// Entries that speak of a parameter where no schema has their API.
const std::map<std::string_view, std::string_view> kWithoutSchema = {
    {"quantized_gru", "TorchScript's"},
    {"quantized_lstm", "TorchScript's"},
    {"Functional.triplet_margin_with_distance_loss", "written in Python; its callable is a keyword"},
};

/// The parameters that an entry speaks of.
std::vector<std::string> spoken_of(const ApiFacts& facts) {
  std::vector<std::string> names;
  for (const auto& value : facts.values) names.push_back(value.parameter);
  if (facts.index_output)
    names.insert(names.end(), {facts.index_output->dim, facts.index_output->inverse, facts.index_output->stable});
  if (facts.random) names.push_back(facts.random->parameter);
  if (facts.dtype_default) names.push_back(facts.dtype_default->first);
  if (facts.written_rows) {
    names.push_back(facts.written_rows->argument);
    if (!facts.written_rows->list_type_is_fixed()) names.push_back(facts.written_rows->list_type);
    for (const auto& [parameter, values] : facts.written_rows->unless) names.push_back(parameter);
  }
  names.push_back(facts.callable);
  std::erase(names, "");
  return names;
}

/// Every name by which an API of config/api_universe.txt looks facts up.
std::set<std::string> names_in_universe() {
  std::set<std::string> names;
  std::ifstream file(MSPROBE_CONFIG_DIR "/api_universe.txt");
  for (std::string line; std::getline(file, line);) {
    const size_t dot = line.find('.');
    if (line.starts_with('#') || dot == std::string::npos) continue;
    const auto looked_up = config::ApiNames(line.substr(0, dot), line.substr(dot + 1)).with_plain_forms();
    names.insert(looked_up.begin(), looked_up.end());
  }
  return names;
}

/// Whether schemas, dunders or the list of all APIs show an entry's API. Lists of parameters in `table` do not count:
/// a misspelt entry has one as well.
bool is_shown(const std::string& entry) {
  static const std::set<std::string> universe = names_in_universe();
  if (universe.count(entry) != 0 || npu_schemas().count(entry) != 0 || find_dunder(entry) != nullptr) return true;
  const auto apis = apis_of(entry);
  return std::any_of(apis.begin(), apis.end(), [](const auto& api) { return !overloads(api).empty(); });
}

Lines sorted(Lines lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

// ---- the checks: what is wrong with a file, a line each

/// Entries of APIs that exist nowhere.
Lines unknown_entries(const FactTable& table) {
  Lines wrong;
  for (const auto& [name, facts] : table)
    if (!is_shown(name) && kShownNowhere.count(name) == 0 && kNewer.count(name) == 0)
      wrong.push_back("no API is called " + name);
  return sorted(std::move(wrong));
}

/// Parameters that no kind of the entry's API takes.
Lines unbound_parameters(const FactTable& table) {
  Lines wrong;
  for (const auto& [name, facts] : table) {
    std::vector<Taken> known;
    for (const auto& api : apis_of(name))
      if (Taken taken(table, api); taken.is_known()) known.push_back(std::move(taken));
    for (const std::string& parameter : spoken_of(facts)) {
      const auto has = [&](const Taken& taken) { return taken.has(parameter); };
      if (known.empty() && kWithoutSchema.count(name) == 0 && kNewer.count(name) == 0)
        wrong.push_back(name + ": nothing shows whether it has a parameter " + parameter);
      else if (!known.empty() && std::none_of(known.begin(), known.end(), has))
        wrong.push_back(name + " has no parameter " + parameter);
    }
  }
  return sorted(std::move(wrong));
}

/// The first of `ours` that is not where `theirs` has it; nullptr: each is.
const config::DeclaredName* misplaced(const Declared& ours, const Declared& theirs) {
  for (size_t i = 0; i < ours.size(); ++i) {
    const bool there = ours[i].keyword_only ? std::find(theirs.begin(), theirs.end(), ours[i]) != theirs.end()
                                            : i < theirs.size() && theirs[i] == ours[i];
    if (!there) return &ours[i];
  }
  return nullptr;
}

/// Listed parameters of torch_npu's operators that none of its overloads has at this place.
Lines misplaced_parameters(const FactTable& table) {
  Lines wrong;
  for (const auto& [name, facts] : table) {
    const auto [begin, end] = npu_schemas().equal_range(name);
    if (facts.parameters.empty() || begin == end) continue;
    const config::DeclaredName* first = nullptr;
    bool fits = false;
    for (auto schema = begin; schema != end && !fits; ++schema) {
      const auto* const found = misplaced(facts.parameters, schema->second);
      fits = found == nullptr;
      if (first == nullptr) first = found;
    }
    if (!fits) wrong.push_back(name + " has not, or not at this place, " + first->name);
  }
  return sorted(std::move(wrong));
}

// ---- the file

TEST(SignaturesFile, EveryEntryIsOfAnApi) {
  EXPECT_THAT(unknown_entries(installed()), IsEmpty());
}

TEST(SignaturesFile, ParametersOfEveryEntryExist) {
  EXPECT_THAT(unbound_parameters(installed()), IsEmpty());
}

TEST(SignaturesFile, ParametersOfTorchNpuStandWhereItsSchemasHaveThem) {
  ASSERT_EQ(npu_schemas().size(), 419u);
  EXPECT_THAT(misplaced_parameters(installed()), IsEmpty());
}

TEST(SignaturesFile, WhatIsPassedOverIsStillThere) {
  for (const auto& passed_over : {kShownNowhere, kWithoutSchema})
    for (const auto& [name, reason] : passed_over) EXPECT_NE(installed().find(name), nullptr) << name << ": " << reason;
  for (const std::string_view name : kNewer) EXPECT_NE(installed().find(name), nullptr) << name;
}

TEST(SignaturesFile, ItsRulesAreKnown) {
  EXPECT_NO_THROW(inputs::require_known_rules(installed()));
}

// ---- a file that is wrong, so that the checks are seen to see it

TEST(SignaturesFile, AWrongOneIsRefused) {
  const support::TempFolder folder;
  const FactTable wrong = config::load_api_facts(folder.write("wrong.yaml", R"(
bernouli: {random: always}
Functional.cosine_embeding_loss: {values: {target: minus one or one}}
npu_incre_flash_atention: {cost: attention}
npu_gruu: {parameters: "input, dropout", random: {above_zero: dropout}}
__rmodd__: {values: {self: no zero}}
bernoulli: {random: always}
dropout: {random: {above_zero: q}}
Functional.rrelu: {random: {above_zero: train}}
npu_fusion_attention: {random: {below_one: keep_prob}}
npu_grouped_matmul: {parameters: "x, weight, *, group_lists=None", values: {group_lists: groups}}
npu_moe_token_unpermute: {parameters: "sorted_indices, permuted_tokens", values: {sorted_indices: distinct}}
)"));
  EXPECT_THAT(unknown_entries(wrong),
              ElementsAre("no API is called Functional.cosine_embeding_loss", "no API is called __rmodd__",
                          "no API is called bernouli", "no API is called npu_gruu",
                          "no API is called npu_incre_flash_atention"));
  EXPECT_THAT(unbound_parameters(wrong),
              ElementsAre("Functional.cosine_embeding_loss: nothing shows whether it has a parameter target",
                          "Functional.rrelu has no parameter train",
                          "__rmodd__: nothing shows whether it has a parameter self", "dropout has no parameter q",
                          "npu_fusion_attention: nothing shows whether it has a parameter keep_prob"));
  EXPECT_THAT(misplaced_parameters(wrong),
              ElementsAre("npu_grouped_matmul has not, or not at this place, group_lists",
                          "npu_moe_token_unpermute has not, or not at this place, sorted_indices"));
}

}  // namespace
}  // namespace msprobe::signatures
