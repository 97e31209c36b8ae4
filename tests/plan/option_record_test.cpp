// The options that result files keep: their bytes, and which of them forbid going on.
#include "plan/option_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/version.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "support/files.h"
#include "support/temp_folder.h"
#include "util/error.h"
#include "util/hash.h"

namespace msprobe::plan {
namespace {

namespace fs = std::filesystem;
using config::Declaration;
using config::Parts;
using config::Rows;

class OptionRecordTest : public testing::Test {
 protected:
  OptionRecordTest() {
    folder_.write("standard.yaml", "a");
    folder_.write("dump.json", R"({"task": "statistics", "level": "L1", "framework": "pytorch",)"
                               R"( "dump_data_dir": null, "data": {}})");
  }
  dump::Index dump() const { return dump::Index::open(folder_ / "dump.json"); }

  const support::TempFolder folder_;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Names, order and spelling are a format: runs that other versions began are compared by them. The hashes of standards
// and goldens are of the installed files too: they differ where a version installs other ones.
TEST_F(OptionRecordTest, IsWrittenAsEver) {
  config::Settings s;
  s.precision_standard = folder_ / "standard.yaml";
  s.seed = 7;
  s.profile = config::Profile::kMindstudio;
  s.default_range = {-0.1, 1};
  s.hf32_inputs = config::Hf32::kOff;
  s.device_type = "npu";
  s.torch_npu = "/opt/torch_npu";
  s.threads = 8;
  s.timeout = 0.1;
  s.jit_compile = s.filter_api = true;
  s.save_data = config::SaveData::kAll;
  s.max_errors = 3;
  s.only = "a\nb";
  s.except = "c d";
  s.rerun_failed = "r.csv";
  s.shard = 1, s.shards = 4;
  s.white_list = {"conv2d", "Torch.add"};
  s.black_list = std::vector<std::string>(30, "mul");
  s.quantization_api_list = {"b", "a"};
  const dump::Index index = dump();
  std::vector<std::string> lines = lines_of(option_record(s, index, 12));
  ASSERT_EQ(lines.size(), 28u);
  EXPECT_EQ(lines.back(), "assess=auto");  // new ones stand behind those that other versions know
  lines.pop_back();
  EXPECT_THAT(lines.back(), testing::MatchesRegex("fused_operators=fused_operators.yaml [0-9a-f]{16}"));
  lines.pop_back();
  // What is known of APIs is part of the standard: rows depend on both.
  const std::string facts = support::content(MSPROBE_CONFIG_DIR "/signatures.yaml");
  EXPECT_THAT(lines, testing::ElementsAreArray(
                         {std::string("apis=12"),
                          "dump_bytes=" + std::to_string(fs::file_size(folder_ / "dump.json")),
                          "dump=" + util::hexadecimal(index.digest()),
                          std::string("seed=7"),
                          std::string("precision=14"),
                          std::string("precision_profile=mindstudio"),
                          std::string("default_range=-0.10000000000000001 1"),
                          std::string("hf32_inputs=off"),
                          std::string("device_type=npu"),
                          std::string("libtorch=" TORCH_VERSION),
                          std::string("torch_npu=/opt/torch_npu"),
                          std::string("threads=8"),
                          std::string("timeout=0.10000000000000001"),
                          std::string("jit_compile=on"),
                          std::string("save_data=all"),
                          std::string("error_data_path=./"),
                          std::string("max_errors=3"),
                          std::string("filter_api=on"),
                          std::string("only=a b"),
                          std::string("except=c d"),
                          std::string("rerun_failed=r.csv"),
                          std::string("shard=1/4"),
                          std::string("white_list=conv2d Torch.add"),
                          std::string("black_list=mul mul mul mul mul mul mul mul mul mul ... (554c7fdac51296bb)"),
                          std::string("quantization_api_list=b a"),
                          "precision_standard=standard.yaml " + util::hexadecimal(util::fnv1a64(facts + "a"))}));
}

TEST_F(OptionRecordTest, WhatNothingDependsOnIsLeftOut) {
  config::Settings s;
  s.torch_npu = "/opt/torch_npu";  // of another device
  s.error_data_path = "elsewhere";
  const auto lines = lines_of(option_record(s, dump(), 0));
  EXPECT_THAT(lines, testing::Contains("torch_npu="));
  EXPECT_THAT(lines, testing::Contains("error_data_path="));
}

TEST_F(OptionRecordTest, EverySettingThatCountsIsThere) {
  const std::string record = option_record({}, dump(), 0);
  const std::vector<std::string> lines = lines_of(record);
  size_t counted = 4;  // apis, dump_bytes, dump, libtorch
  for (const Declaration& setting : config::declarations()) {
    const bool there = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.starts_with(setting.record_key() + "=");
    });
    EXPECT_EQ(there, setting.rows != Rows::kNotAsked) << setting.key;
    counted += there;
  }
  EXPECT_EQ(lines.size(), counted);
}

TEST_F(OptionRecordTest, GoingOnIsRefusedWhereRowsDepend) {
  const std::set<std::string> depend = {
      "dump_bytes",           "dump",   "seed",        "precision", "precision_profile",  "default_range",
      "hf32_inputs",          "assess", "device_type", "libtorch",  "precision_standard", "fused_operators",
      "quantization_api_list"};
  for (const std::string& line : lines_of(option_record({}, dump(), 0))) {
    const std::string key = line.substr(0, line.find('='));
    EXPECT_EQ(rows_depend_on(key), depend.contains(key)) << key;
  }
  EXPECT_TRUE(rows_depend_on("a setting that nobody declared"));
}

TEST_F(OptionRecordTest, PartsMustBeAlikeButForWhatMakesThemParts) {
  const std::pair<const char*, Parts> rules[] = {{"apis", Parts::kAny},
                                                 {"shard", Parts::kAny},
                                                 {"torch_npu", Parts::kAny},
                                                 {"save_data", Parts::kAny},
                                                 {"error_data_path", Parts::kAny},
                                                 {"max_errors", Parts::kAny},
                                                 {"threads", Parts::kWarned},
                                                 {"only", Parts::kAlikeWhenSharded},
                                                 {"except", Parts::kAlikeWhenSharded},
                                                 {"rerun_failed", Parts::kAlikeWhenSharded}};
  const std::map<std::string, Parts> expected(std::begin(rules), std::end(rules));
  for (const std::string& line : lines_of(option_record({}, dump(), 0))) {
    const std::string key = line.substr(0, line.find('='));
    const auto rule = expected.find(key);
    EXPECT_EQ(parts_rule(key), rule == expected.end() ? Parts::kAlike : rule->second) << key;
  }
  EXPECT_EQ(parts_rule("a setting that nobody declared"), Parts::kAlike);
}

}  // namespace
}  // namespace msprobe::plan
