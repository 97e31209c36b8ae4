// How many of the names that a dump can hold are replayed, and how: coverage never falls unseen.
#include "run/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "goldens/built_in.h"
#include "goldens/registry.h"
#include "support/temp_folder.h"
#include "util/error.h"

namespace msprobe::run {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr bool kReferenceTorch = TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR == 13;

const config::Standards& standards() {
  static const auto loaded = config::load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  return loaded;
}

const std::vector<Coverage>& universe() {
  static const auto all = [] {
    std::vector<Coverage> covered;
    for (const auto& name : read_universe(MSPROBE_CONFIG_DIR "/api_universe.txt"))
      covered.push_back(cover(name, standards(), goldens::Registry()));
    return covered;
  }();
  return all;
}

std::string said(const std::string& name) {
  return text(cover(name, standards(), goldens::Registry()));
}

// by schema, by adaptor, fused golden, SKIP by policy, not possible
TEST(CoverageTest, TotalsOfEveryPrefix) {
  if (!kReferenceTorch) GTEST_SKIP() << "the totals are LibTorch 2.13's";
  const Totals expected = {
      {"Aten", {685, 1, 0, 37, 0}}, {"Distributed", {0, 0, 0, 18, 0}}, {"Functional", {38, 87, 0, 1, 0}},
      {"NPU", {0, 0, 16, 6, 213}},  {"Tensor", {449, 24, 0, 18, 0}},   {"Torch", {478, 18, 0, 10, 0}},
      {"VF", {8, 0, 0, 0, 0}},
  };
  EXPECT_EQ(totals(universe()), expected);
}

TEST(CoverageTest, OnlyNamesThatThisLibTorchLacksAreNotPossible) {
  size_t absent = 0;
  for (const Coverage& one : universe()) {
    if (one.way != Way::kNotPossible || one.name.starts_with("NPU.")) continue;
    EXPECT_TRUE(one.absent) << one.name << ": " << text(one);
    ++absent;
  }
  EXPECT_TRUE(absent == 0 || !kReferenceTorch) << absent;
}

TEST(CoverageTest, FusedOperatorsAreCoveredByTheirGoldens) {
  size_t goldens = 0;
  for (const Coverage& one : universe()) goldens += one.way == Way::kGolden;
  size_t known = 0;
  for (const auto& [name, golden] : goldens::built_in()) {
    const Coverage one = cover("NPU." + name, standards(), goldens::Registry());
    EXPECT_EQ(one.way, Way::kGolden) << name << ": " << text(one);
    known += std::any_of(universe().begin(), universe().end(), [&](const auto& c) { return c.name == one.name; });
  }
  EXPECT_EQ(goldens, known);
}

TEST(CoverageTest, SaysHow) {
  EXPECT_EQ(said("Torch.add"), "by schema (aten::add)");
  EXPECT_EQ(said("Torch.cross"), "by schema (aten::cross, aten::linalg_cross)");
  EXPECT_EQ(said("Tensor.__rpow__"), "by schema (aten::pow)");
  EXPECT_EQ(said("Aten.add.Tensor"), "by schema (aten::add.Tensor)");
  EXPECT_EQ(said("Functional.cross_entropy"), "by adaptor");
  EXPECT_EQ(said("NPU.npu_swiglu"), "fused golden (built in)");
  EXPECT_EQ(said("Distributed.all_reduce"),
            "SKIP by policy: Distributed APIs take part in more than one process and are not replayed");
}

TEST(CoverageTest, SaysWhyNot) {
  EXPECT_EQ(said("Torch.no_such_function"), "not possible: this LibTorch (" TORCH_VERSION ") has nothing of that name");
  EXPECT_EQ(said("Tensor.conv2d"), "not possible: conv2d is no method: no overload takes self");
  EXPECT_EQ(said("Aten.add.No_such"), "not possible: add has no overload No_such in this LibTorch");
  EXPECT_EQ(said("NPU.npu_no_such"), "not possible: no reference is known");
}

TEST(CoverageTest, UniverseTakesCommentsAndNamesTheBrokenLine) {
  const support::TempFolder folder;
  const fs::path path = folder.write("universe", "# a comment\n\nTorch.add\r\nAten.add.Tensor\n");
  EXPECT_THAT(read_universe(path), ElementsAre("Torch.add", "Aten.add.Tensor"));
  support::write(path, "Torch.add\nadd\n");
  try {
    read_universe(path);
    ADD_FAILURE() << "a name without its type was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), path.string() + ":2: \"add\", expected Type.name");
  }
  fs::remove(path);
  EXPECT_THROW(read_universe(path), Error);
}

}  // namespace
}  // namespace msprobe::run
