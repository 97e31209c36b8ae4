#include "config/diff_limits.h"

#include <gtest/gtest.h>

#include "config/mindstudio_facts.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace msprobe::config {
namespace {

TEST(DiffLimitsTest, FloorsAreNumbersOrLimitsOfTheDtype) {
  const DiffLimits limits = load_diff_limits(MSPROBE_CONFIG_DIR "/diff.yaml");
  const Standards standards = load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  EXPECT_EQ(limits.times, 2);
  const auto floor = [&](const char* figure, const char* dtype) {
    return limits.floors.at(figure).of(dtype, standards);
  };
  EXPECT_EQ(floor("最大绝对误差", "torch.float16"), 0x1p-16);  // the user guide's table
  EXPECT_EQ(floor("最大绝对误差", "torch.float32"), 0x1p-30);
  EXPECT_EQ(floor("ULP误差最大值", "torch.bfloat16"), 1);
  EXPECT_EQ(floor("ULP误差最大值", "torch.float64"), 32);  // a dtype without a row uses float32's
  EXPECT_EQ(floor("双千指标", "torch.float32"), 0.001);
}

TEST(DiffLimitsTest, WhatIsWrongIsNamedWithItsLine) {
  const support::TempFolder folder;
  const auto error = [&](const char* text) {
    const std::string path = folder.write("diff.yaml", text);
    std::string message = support::error_of([&] { load_diff_limits(path); });
    return message.starts_with(path) ? message.substr(path.size()) : message;
  };
  EXPECT_EQ(error("times: 2\n"), ": floors is missing; take the installed diff.yaml as a pattern");
  EXPECT_EQ(error("time: 2\n"), ":1: unknown key time; expected times or floors");
  EXPECT_EQ(error("times: 0.5\n"), ":1: times: found 0.5, expected a number of at least 1");
  EXPECT_EQ(error("times: 2\nfloors:\n  余弦相似度: eps\n"),
            ":3: 余弦相似度: found the text \"eps\", expected a number or a limit by dtype; write a number, "
            "small_value_atol, "
            "rtol or ulp_share_limit");
  EXPECT_EQ(error("times: 2\nfloors: {余弦相似度: -1}\n"), ":2: 余弦相似度: found -1, expected a number of at least 0");
}

// The subcommands of mindstudio-probe 26.2.0 that this program lacks, as its own -h lists them, and two older names.
TEST(MindstudioFactsTest, KnowsTheCommandsOfThePythonPackage) {
  const MindstudioFacts facts = load_mindstudio_facts(MSPROBE_CONFIG_DIR "/mindstudio.yaml");
  std::string names;
  for (const auto& [name, remedy] : facts.commands) names += name + " ";
  EXPECT_EQ(names,
            "compare config_check data2db graph_visualize install_deps merge_result multi_run_ut offline_dump "
            "overflow_check parse run_ut ");
  EXPECT_TRUE(facts.mindspore_kinds.contains("Mint"));
  EXPECT_FALSE(facts.mindspore_kinds.contains("Functional"));
}

}  // namespace
}  // namespace msprobe::config
