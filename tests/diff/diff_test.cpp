#include "diff/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/xattr.h>

#include <sstream>

#include "diff/summary.h"
#include "diff/support.h"
#include "report/csv_reader.h"
#include "support/error_of.h"
#include "util/utf8.h"

namespace msprobe::diff {
namespace {

using testing::Cells;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Line;
using testing::names;

const std::string kDetails = "accuracy_checking_details_20250101120000.csv",
                  kResult = "accuracy_checking_result_20250101120000.csv";

/// One output of each kind of change.
const std::vector<Line> kOld = {
    {"Torch.same.0.forward.output.0", "pass", "", "torch.float32", {{"最大绝对误差", "0.00000000000100"}}},
    {"Torch.moved.0.forward.output.0", "pass", "", "torch.float32", {{"最大绝对误差", "0.0001"}, {"余弦相似度", "1"}}},
    {"Torch.broken.0.forward.output.0", "pass", "", "torch.bfloat16", {{"最大绝对误差", "0.0001"}}},
    {"Torch.broken.0.backward.output.0", "pass"},
    {"Torch.crashes.0.forward.output.0", "pass"},
    {"Torch.suspected.0.forward.output.0", "error", "rounding to bfloat16 alone has as much"},
    {"Torch.mended.0.forward.output.0", "error", "suspect: 9 times the CPU"},
    {"Torch.otherwise.0.forward.output.0", "error", "rounding to bfloat16 alone has as much"},
    {"Torch.gone.0.forward.output.0", "pass"},
};
const std::vector<Line> kNew = {
    {"Torch.same.0.forward.output.0", "pass", "", "torch.float32", {{"最大绝对误差", "0.00000000000300"}}},
    {"Torch.moved.0.forward.output.0", "pass", "", "torch.float32", {{"最大绝对误差", "0.0005"}, {"余弦相似度", "1"}}},
    {"Torch.broken.0.forward.output.0",
     "error",
     "suspect: 4.1 times the CPU",
     "torch.bfloat16",
     {{"最大绝对误差", "0.25"}}},
    {"Torch.broken.0.backward.output.0", "pass"},
    {"Torch.crashes.0.forward.output.0", "SKIP", "crashed: SIGSEGV (segmentation fault)"},
    {"Torch.suspected.0.forward.output.0", "error", "suspect: 4.1 times the CPU"},
    {"Torch.mended.0.forward.output.0", "pass"},
    {"Torch.otherwise.0.forward.output.0", "error", "as the CPU in float32 arithmetic"},
    {"Torch.fresh.0.forward.output.0", "pass"},
};

class DiffTest : public ::testing::Test {
 protected:
  DiffReport diff(const std::vector<Line>& before, const std::vector<Line>& after, const std::string& out = "") {
    folder_.write("old/" + kDetails, testing::details(before));
    folder_.write("new/" + kDetails, testing::details(after));
    Options o = testing::options(folder_ / "old", folder_ / "new");
    o.out_path = out;
    return run(o);
  }
  const support::TempFolder folder_;
};

TEST_F(DiffTest, SortsOutputsByWhatBecameOfThem) {
  const DiffReport report = diff(kOld, kNew);
  EXPECT_THAT(names(report, Change::kWorse),
              ElementsAre("Torch.broken.0.forward.output.0", "Torch.suspected.0.forward.output.0",
                          "Torch.crashes.0.forward.output.0"));
  EXPECT_THAT(names(report, Change::kBetter), ElementsAre("Torch.mended.0.forward.output.0"));
  EXPECT_THAT(names(report, Change::kMoved), ElementsAre("Torch.moved.0.forward.output.0"));
  EXPECT_THAT(names(report, Change::kChanged), ElementsAre("Torch.otherwise.0.forward.output.0"));
  EXPECT_THAT(names(report, Change::kOnlyOld), ElementsAre("Torch.gone.0.forward.output.0"));
  EXPECT_THAT(names(report, Change::kOnlyNew), ElementsAre("Torch.fresh.0.forward.output.0"));
  EXPECT_THAT(report.outputs,
              ElementsAre(2, 1, 1, 1, 3, 1, 1));  // same, moved, changed, better, worse, only OLD, only NEW
  EXPECT_THAT(report.apis, ElementsAre(1, 1, 1, 1, 3, 1, 1));
  EXPECT_TRUE(fails_on_worse(report));
}

TEST_F(DiffTest, TheScreenShowsCountsThenTheWorstFirst) {
  const DiffReport report = diff(kOld, kNew);
  const std::string counts =
      "APIs     better 1, worse 3, moved 1, changed 1, same 1, only in OLD 1, only in NEW 1\n"
      "outputs  better 1, worse 3, moved 1, changed 1, same 2, only in OLD 1, only in NEW 1\n";
  EXPECT_EQ(summary(report, true, false, 200), counts);
  EXPECT_EQ(summary(report, false, false, 200), counts + R"(
Worse
  Torch.broken.0.forward.output.0     pass -> error, suspect             最大绝对误差 0.0001 -> 0.25 (2.5e+03 times)
  Torch.suspected.0.forward.output.0  error, rounding -> error, suspect  suspect: 4.1 times the CPU
  Torch.crashes.0.forward.output.0    pass -> SKIP, crashed              crashed: SIGSEGV (segmentation fault)

Figures that moved
  Torch.moved.0.forward.output.0  pass  最大绝对误差 0.0001 -> 0.0005 (5 times)

Changed
  Torch.otherwise.0.forward.output.0  error, rounding -> error, arithmetic  as the CPU in float32 arithmetic

Better
  Torch.mended.0.forward.output.0  error, suspect -> pass

Only in OLD
  Torch.gone.0.forward.output.0  pass

Only in NEW
  Torch.fresh.0.forward.output.0  pass
)");
}

TEST_F(DiffTest, LinesFitNarrowTerminals) {
  const std::string text = summary(diff(kOld, kNew), false, false, 80);
  EXPECT_THAT(text, ::testing::HasSubstr("…"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ")) {
      EXPECT_LE(util::display_width(line), 80u) << line;
    }
  }
}

TEST_F(DiffTest, TheCsvHasARowAChangedOutput) {
  const DiffReport report = diff(kOld, kNew, folder_ / "out");
  const report::Table table = report::read_table(report.csv_path, {});
  EXPECT_THAT(table.columns,
              ElementsAre("Place", "API Name", "DEVICE Dtype", "Change", "OLD Status", "NEW Status", "OLD Assessment",
                          "NEW Assessment", "Figure", "OLD Value", "NEW Value", "Times", "Moved", "Message"));
  std::vector<Cells> rows;
  for (const report::TableRow row : table.rows) {
    Cells& cells = rows.emplace_back();
    for (size_t i = 0; i < row.size(); ++i)
      cells.emplace_back(row[static_cast<int>(i)] == " " ? "" : row[static_cast<int>(i)]);
  }
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_THAT(rows[0], ElementsAre("", "Torch.moved.0.forward.output.0", "torch.float32", "moved", "pass", "pass",
                                   "fine", "fine", "最大绝对误差", "0.0001", "0.0005", "5",
                                   "最大绝对误差 0.0001 -> 0.0005 (5 times)", ""));
  EXPECT_THAT(rows[1], ElementsAre("", "Torch.broken.0.forward.output.0", "torch.bfloat16", "worse", "pass", "error",
                                   "fine", "suspect", "最大绝对误差", "0.0001", "0.25", "2500",
                                   "最大绝对误差 0.0001 -> 0.25 (2.5e+03 times)", "suspect: 4.1 times the CPU"));
  EXPECT_THAT(rows[7], ElementsAre("", "Torch.gone.0.forward.output.0", "torch.float32", "only in OLD", "pass", "",
                                   "fine", "", "", "", "", "", "", ""));
  EXPECT_THAT(summary(report, true, false, 80), ::testing::HasSubstr("\nChanges  " + report.csv_path + "\n"));
}

TEST_F(DiffTest, EqualRunsAreTheSame) {
  const DiffReport report = diff(kOld, kOld);
  EXPECT_THAT(report.outputs, ElementsAre(9, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(summary(report, false, false, 80),
            "APIs     better 0, worse 0, same 8\noutputs  better 0, worse 0, same 9\n");
  EXPECT_FALSE(fails_on_worse(report));
}

TEST_F(DiffTest, NothingInBothFailsAndSaysSo) {
  const DiffReport report = diff({{"Torch.a.0.forward.output.0"}}, {{"Torch.b.0.forward.output.0"}});
  EXPECT_TRUE(fails_on_worse(report));
  EXPECT_THAT(summary(report, true, false, 80),
              ::testing::HasSubstr("Nothing was compared: no output stands in both."));
}

TEST_F(DiffTest, ARunWithoutAssessmentsMakesNoSuspectAppear) {
  std::vector<Line> plain = kOld;
  for (Line& line : plain) line.message = "";
  const DiffReport report = diff(plain, kNew);
  EXPECT_THAT(names(report, Change::kWorse),
              ElementsAre("Torch.broken.0.forward.output.0", "Torch.crashes.0.forward.output.0"));
  EXPECT_THAT(warnings(report),
              ElementsAre((folder_ / "old" / kDetails).string() + " holds no assessments: suspects are not compared"));
}

TEST_F(DiffTest, AWholeApiThatIsSkippedIsOneWorseApi) {
  const DiffReport report =
      diff({{"Torch.a.0.forward.output.0"}, {"Torch.a.0.forward.output.1"}, {"Torch.a.0.backward.output.0"}},
           {{"Torch.a.0.forward.output.0", "SKIP", "timed out after 600 s"}});
  EXPECT_THAT(report.apis, ElementsAre(0, 0, 0, 0, 1, 0, 0));
  EXPECT_THAT(report.outputs, ElementsAre(0, 0, 0, 0, 1, 2, 0));
}

TEST_F(DiffTest, RanksAreToldApart) {
  folder_.write("old/step0/rank0/" + kDetails, testing::details({{"Torch.a.0.forward.output.0"}}));
  folder_.write("old/step0/rank1/" + kDetails, testing::details({{"Torch.a.0.forward.output.0"}}));
  folder_.write("new/step0/rank0/" + kDetails, testing::details({{"Torch.a.0.forward.output.0"}}));
  folder_.write("new/step0/rank1/" + kDetails, testing::details({{"Torch.a.0.forward.output.0", "error"}}));
  folder_.write("new/step1/rank0/" + kDetails, testing::details({}));
  EXPECT_EQ(summary(run(testing::options(folder_ / "old", folder_ / "new")), false, false, 80),
            "ranks    2\n"
            "APIs     better 0, worse 1, same 1\n"
            "outputs  better 0, worse 1, same 1\n"
            "only in NEW: step1/rank0\n"
            "\nWorse\n  step0/rank1 Torch.a.0.forward.output.0  pass -> error\n");
}

TEST_F(DiffTest, OtherDumpsSeedsAndProfilesAreWarnedOf) {
  const std::vector<Line> rows = {{"Torch.a.0.forward.output.0"}};
  const auto options = [&](const char* side, const std::string& text) {
    const std::string path = folder_.write(std::string(side) + "/" + kResult, "");
    return setxattr(path.c_str(), "user.msprobe.options", text.data(), text.size(), 0) == 0;
  };
  const std::string then = "apis=3\ndump=aa\nseed=1234\ndevice_type=npu\nlibtorch=2.5.0\nthreads=1\n",
                    now = "apis=4\ndump=bb\nseed=99\ndevice_type=cuda\nlibtorch=2.7.0\nthreads=2\n";
  if (!options("old", then) || !options("new", now)) GTEST_SKIP() << "no extended attributes here";
  EXPECT_THAT(
      warnings(diff(rows, rows)),
      ElementsAre("the two runs had other options, so that rows may differ for that alone: dump: aa then, bb now, "
                  "seed: 1234 then, 99 now"));
  options("new", then);
  EXPECT_THAT(warnings(diff(rows, rows)), IsEmpty());
}

TEST_F(DiffTest, WhatCannotBeComparedIsAnError) {
  const std::string old_file = (folder_ / "old" / kDetails).string();
  EXPECT_EQ(
      support::error_of([&] {
        diff({{"Torch.a.0.forward.output.0"}, {"Torch.b.0.forward.output.0"}, {"Torch.a.0.forward.output.0"}}, {});
      }),
      old_file + ":4: Torch.a.0.forward.output.0 stands on line 2 already; keep the row that is meant");
  const std::string other = folder_.write("result.csv", "API Name,Forward Test Success\nTorch.a.0,pass\n");
  EXPECT_EQ(support::error_of([&] { run(testing::options(other, other)); }),
            other +
                ":1: these columns are missing: Status; check that this is the right file, and that its first line "
                "holds the names of the columns");
}

}  // namespace
}  // namespace msprobe::diff
