// One rule for the names in all lists: docs/configuration.md#names-of-apis.
#include "config/api_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <regex>

#include "config/chosen.h"
#include "config/standards.h"
#include "support/temp_folder.h"

namespace msprobe::config {
namespace {

using testing::ElementsAre;

struct Named {
  const char* type;
  const char* name;
  const char* entry;
  bool matches;
};

TEST(ApiListTest, AnEntryNamesAnApiWholeOrByParts) {
  constexpr Named kCases[] = {
      {"Functional", "conv2d", "conv2d", true},
      {"Functional", "conv2d", "Functional.conv2d", true},
      {"Functional", "conv2d", "Torch.conv2d", false},
      {"Functional", "conv2d", "Functional", false},
      {"Functional", "conv2d", "conv", false},
      {"Functional", "conv2d", "Conv2d", false},
      {"Torch", "linalg.norm", "Torch.linalg.norm", true},
      {"Torch", "linalg.norm", "linalg.norm", true},
      {"Torch", "linalg.norm", "norm", true},
      {"Torch", "linalg.norm", "linalg", true},
      {"Torch", "linalg.norm", "Torch.norm", false},  // another API
      {"Torch", "linalg.norm", "Torch.linalg", false},
      {"Torch", "norm", "linalg.norm", false},
      {"NPU", "atb.npu_mla_preprocess", "npu_mla_preprocess", true},
      {"NPU", "npu_swiglu.default", "npu_swiglu", true},
      {"Aten", "add.Tensor", "add", true},
      {"Aten", "add.Tensor", "add.Tensor", true},
      {"Aten", "add.Tensor", "Aten.add", true},
      {"Aten", "add.Tensor", "Aten.add.Tensor", true},
      {"Aten", "add.Tensor", "Tensor", false},  // an overload names nothing
      {"Aten", "add.Tensor", "Torch.add", false},
      {"Torch", "nn.functional.relu", "relu", true},
      {"Torch", "nn.functional.relu", "functional.relu", true},
      {"Torch", "nn.functional.relu", "Functional.relu", true},
      {"Torch", "_C._nn.gelu", "Torch.gelu", true},
      {"Torch", "ops.aten.add.Tensor", "Aten.add", true},
      {"Tensor", "add_", "add_", true},
      {"Tensor", "add_", "add", false},
      {"Tensor", "__add__", "add", false},
  };
  for (const Named& c : kCases) {
    EXPECT_EQ(ApiList{c.entry}.has({c.type, c.name}), c.matches) << c.entry << " of " << c.type << "." << c.name;
    ApiMap<int> map;
    EXPECT_TRUE(map.add(c.entry, 7));
    const int* found = map.find({c.type, c.name});
    EXPECT_EQ(found != nullptr && *found == 7, c.matches) << c.entry << " of " << c.type << "." << c.name;
  }
}

TEST(ApiListTest, TheMostExactEntryCounts) {
  ApiMap<int> map;
  for (const auto& [entry, value] :
       {std::pair("linalg", 1), std::pair("norm", 2), std::pair("linalg.norm", 3), std::pair("Torch.linalg.norm", 4)})
    EXPECT_TRUE(map.add(entry, value));
  EXPECT_FALSE(map.add("norm", 9));
  EXPECT_EQ(*map.find({"Torch", "linalg.norm"}), 4);
  EXPECT_EQ(*map.find({"Tensor", "linalg.norm"}), 3);
  EXPECT_EQ(*map.find({"Torch", "norm"}), 2);
  EXPECT_EQ(*map.find({"Torch", "linalg.eig"}), 1);
  EXPECT_EQ(map.find({"Torch", "eig"}), nullptr);
}

TEST(ApiListTest, WholeNamesAlone) {
  const ApiNames eig = ApiNames::whole("Torch", "linalg.eig");
  EXPECT_THAT(std::vector<std::string>(eig.begin(), eig.end()), ElementsAre("Torch.linalg.eig", "linalg.eig"));
}

TEST(ApiListTest, PlainFormsNameInPlaceOnesOnRequest) {
  const ApiList list = {"bernoulli"}, one_kind = {"Tensor.bernoulli"};
  const ApiNames in_place("Tensor", "bernoulli_"), dunder("Tensor", "__add__");
  EXPECT_FALSE(list.has(in_place));
  EXPECT_TRUE(list.has(in_place.with_plain_forms()));
  EXPECT_TRUE(one_kind.has(in_place.with_plain_forms()));
  EXPECT_FALSE(one_kind.has(ApiNames("Torch", "bernoulli_").with_plain_forms()));
  const ApiNames both = dunder.with_plain_forms();
  EXPECT_THAT(std::vector<std::string>(both.begin(), both.end()), ElementsAre("Tensor.__add__", "__add__"));
}

TEST(ApiNamesTest, DropoutIsAnyNameThatHoldsTheWord) {
  for (const char* name : {"dropout", "dropout_", "alpha_dropout", "npu_dropout_gen_mask", "Functional.dropout2d.0"})
    EXPECT_TRUE(is_dropout(name)) << name;
  for (const char* name : {"drop", "Dropout", "out", ""}) EXPECT_FALSE(is_dropout(name)) << name;
}

TEST(ApiListTest, EntriesStayAsTheyAreWritten) {
  const ApiList list = {"b", "a", "Torch.c", "a"};
  EXPECT_THAT(list.entries(), ElementsAre("b", "a", "Torch.c", "a"));
}

// ---- every list of both files

class AllListsTest : public testing::Test {
 protected:
  std::string write(const char* name, const std::string& text) const { return folder_.write(name, text); }
  /// Whole standards with another value of a key, at whatever depth it stands.
  Standards standards(const std::string& key, const std::string& value) {
    const std::regex section("(^|\n)( *)" + key + ":[^\n]*(\n\\2 [^\n]*|\n *#[^\n]*|\n(?=\n))*");
    std::smatch found;
    EXPECT_TRUE(std::regex_search(whole_, found, section)) << key;
    return load_standards(write("standard.yaml", found.prefix().str() + found[1].str() + found[2].str() + key + ": " +
                                                     value + "\n" + found.suffix().str()));
  }
  Settings settings(const std::string& key, const std::string& value) {
    return load_settings(write("config.yaml", key + ": " + value + "\n"));
  }

  const support::TempFolder folder_;
  const std::string whole_ = support::content(MSPROBE_TEST_DATA "/config/precision_standard.yaml");  // all sections
};

struct List {
  std::string key;
  std::string form;  ///< its value, % stands for the entry
  std::function<bool(const Standards&, const ApiNames&)> has;
};

const std::vector<List> kLists = {
    {"quantization_apis", "[%]", [](const auto& s, const auto& api) { return s.quantization_apis.has(api); }},
    {"index_apis", "[%]", [](const auto& s, const auto& api) { return s.index_apis.has(api); }},
    {"skip_apis", "[%]", [](const auto& s, const auto& api) { return s.skip_apis.has(api); }},
    {"random_apis", "[%]", [](const auto& s, const auto& api) { return s.random_apis.has(api); }},
    {"no_backward_apis", "[%]", [](const auto& s, const auto& api) { return s.no_backward_apis.has(api); }},
    {"not_raised", "[%]", [](const auto& s, const auto& api) { return s.not_raised.has(api); }},
    {"removed_apis", "[%]", [](const auto& s, const auto& api) { return s.removed_apis.has(api); }},
    {"random_by_argument", "{%: p}", [](const auto& s, const auto& api) { return s.random_by_argument.find(api); }},
    {"random_without_argument", "{%: p}",
     [](const auto& s, const auto& api) { return s.random_without_argument.find(api); }},
    {"random_below_one", "{%: p}", [](const auto& s, const auto& api) { return s.random_below_one.find(api); }},
    {"dtype_defaults", "{%: {eps: eps}}", [](const auto& s, const auto& api) { return s.dtype_defaults.find(api); }},
    {"judged_outputs", "{%: 1}", [](const auto& s, const auto& api) { return s.judged_outputs.find(api); }},
    {"unsupported", "{%: why}", [](const auto& s, const auto& api) { return s.unsupported.find(api); }},
    {"L1", "[%]", [](const auto& s, const auto& api) { return s.level(api) == 1; }},
    {"L2", "[%]", [](const auto& s, const auto& api) { return s.level(api) == 2; }},
    {"绝对阈值法", "[%]", [](const auto& s, const auto& api) { return s.algorithm(api) == Algorithm::kAbsolute; }},
    {"二进制一致法", "[%]", [](const auto& s, const auto& api) { return s.algorithm(api) == Algorithm::kBinary; }},
    {"ULP误差比对法", "[%]", [](const auto& s, const auto& api) { return s.algorithm(api) == Algorithm::kUlp; }},
    {"双千指标法", "[%]", [](const auto& s, const auto& api) { return s.algorithm(api) == Algorithm::kThousandth; }},
    {"累积误差比对法", "[%]",
     [](const auto& s, const auto& api) { return s.algorithm(api) == Algorithm::kAccumulative; }},
};

const ApiNames kApi("Functional", "an_api"), kNamesake("Torch", "an_api"), kAnother("Functional", "another_api");

TEST_F(AllListsTest, OfThePrecisionStandardTakeBareAndQualifiedNames) {
  for (const List& list : kLists) {
    const auto with = [&](const std::string& entry) {
      return standards(list.key, std::string(list.form).replace(list.form.find('%'), 1, entry));
    };
    const Standards bare = with("an_api"), qualified = with("Functional.an_api");
    EXPECT_TRUE(list.has(bare, kApi)) << list.key;
    EXPECT_TRUE(list.has(bare, kNamesake)) << list.key;
    EXPECT_FALSE(list.has(bare, kAnother)) << list.key;
    EXPECT_TRUE(list.has(qualified, kApi)) << list.key;
    EXPECT_FALSE(list.has(qualified, kNamesake)) << list.key;
  }
}

// A list that the table above does not have would not be tested.
TEST_F(AllListsTest, OfThePrecisionStandardAreAllHere) {
  std::set<std::string> known = {"dtypes", "acc_check", "api_precision_compare"};
  for (const List& list : kLists) known.insert(list.key);
  const std::regex top("(^|\n)(\\w+):");
  for (std::sregex_iterator at(whole_.begin(), whole_.end(), top), end; at != end; ++at)
    EXPECT_TRUE(known.contains((*at)[2])) << (*at)[2];
}

TEST_F(AllListsTest, OfTheConfigurationTakeBareAndQualifiedNames) {
  const Standards all = load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  const std::pair<const char*, std::function<const ApiList&(const Settings&)>> lists[] = {
      {"white_list", [](const Settings& s) -> const ApiList& { return s.white_list; }},
      {"black_list", [](const Settings& s) -> const ApiList& { return s.black_list; }},
      {"quantization_api_list", [&](const Settings& s) -> const ApiList& { return quantization_apis(s, all); }}};
  for (const auto& [key, list_of] : lists) {
    const Settings bare = settings(key, "[an_api]"), qualified = settings(key, "[Functional.an_api]");
    EXPECT_TRUE(list_of(bare).has(kApi)) << key;
    EXPECT_TRUE(list_of(bare).has(kNamesake)) << key;
    EXPECT_FALSE(list_of(bare).has(kAnother)) << key;
    EXPECT_TRUE(list_of(qualified).has(kApi)) << key;
    EXPECT_FALSE(list_of(qualified).has(kNamesake)) << key;
  }
}

TEST_F(AllListsTest, AnEmptyQuantizationListIsNone) {
  const Standards all = load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  const ApiNames api("NPU", "npu_dynamic_quant");
  EXPECT_TRUE(quantization_apis(Settings(), all).has(api));
  EXPECT_FALSE(quantization_apis(settings("quantization_api_list", "[]"), all).has(api));
}

}  // namespace
}  // namespace msprobe::config
