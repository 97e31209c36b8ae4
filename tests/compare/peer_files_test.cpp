// Profile mindstudio against files that MindStudio msprobe's api_precision_compare wrote: equal cell by cell, but for
// the rows of departures.csv, which are the consequences of its faults (docs/compare.md) and hold what stands there
// instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "compare/columns.h"
#include "compare/support.h"

namespace msprobe::compare::testing {
namespace {

using config::Profile;

struct Departure {
  std::string change;  ///< absent: MindStudio's row is not there; changed, added: ours
  Cells cells;
};

Cells split(const std::string& text) {
  Cells cells(1);
  for (const char c : text)
    if (c == '|')
      cells.emplace_back();
    else
      cells.back() += c;
  return cells;
}

/// By first cell of the row.
std::multimap<std::string, Departure> departures(const std::string& wanted_case, const std::string& file) {
  std::multimap<std::string, Departure> found;
  for (const Cells& row : rows_of(kData + "/departures.csv"))
    if (row[0] == wanted_case && row[1] == file) {
      Departure departure{row[2], split(row[4])};
      const std::string name = departure.cells[0];
      found.emplace(name, std::move(departure));
    }
  return found;
}

CompareReport compare_case(const std::string& name, const TempFolder& folder) {
  const std::string base = kData + "/" + name;
  return run(options(base + "/npu.csv", base + "/gpu.csv", folder / "out", Profile::kMindstudio));
}

/// What is expected: MindStudio's rows, changed as departures.csv says, by first cell.
std::map<std::string, Cells> expected_rows(const std::string& name, const std::string& file) {
  auto changes = departures(name, file);
  std::map<std::string, Cells> expected;
  for (Cells& row : rows_of(kData + "/" + name + "/expected_" + file + ".csv")) {
    const auto [first, last] = changes.equal_range(row[0]);
    bool absent = false;
    for (auto change = first; change != last; ++change)
      absent |= change->second.change == "absent" && change->second.cells == row;
    if (absent) continue;
    const std::string key = row[0];
    EXPECT_TRUE(expected.emplace(key, std::move(row)).second) << key;
  }
  for (const auto& [key, change] : changes) {
    if (change.change == "absent") continue;
    EXPECT_EQ(expected.count(key), change.change == "changed" ? 1u : 0u) << key;
    expected[key] = change.cells;
  }
  return expected;
}

void expect_rows(const std::string& name, const std::string& file, const std::string& path) {
  std::map<std::string, Cells> expected = expected_rows(name, file);
  const std::vector<Cells> rows = rows_of(path);
  EXPECT_EQ(rows.size(), expected.size()) << name << " " << file;
  for (const Cells& row : rows) {
    ASSERT_EQ(expected.count(row[0]), 1u) << name << " " << file << ": " << row[0];
    EXPECT_EQ(row, expected[row[0]]) << name << " " << file;
  }
}

class PeerFilesTest : public ::testing::TestWithParam<const char*> {};

TEST_P(PeerFilesTest, VerdictsFiguresAndMessagesAreTheSame) {
  const TempFolder folder;
  const CompareReport report = compare_case(GetParam(), folder);
  expect_rows(GetParam(), "details", report.details_path);
  expect_rows(GetParam(), "result", report.result_path);
}

TEST_P(PeerFilesTest, OutputsStandInTheOrderOfTheNpusFile) {
  const TempFolder folder;
  const CompareReport report = compare_case(GetParam(), folder);
  const report::Table npu = report::read_table(kData + "/" + GetParam() + "/npu.csv", {});
  const std::vector<Cells> rows = rows_of(report.details_path);
  ASSERT_EQ(rows.size(), npu.rows.size());
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i][0], npu.rows[i][npu.column("API Name")]);
}

INSTANTIATE_TEST_SUITE_P(Cases, PeerFilesTest,
                         ::testing::Values("column_order", "empty_npu", "gpt2_amp_bf16_tensor", "identical",
                                           "mix_level_statistics", "no_mark_lf", "overflow_fp16_statistics",
                                           "resnet_fp32_tensor", "segnet_fp64_tensor", "vit_fp16_tensor"),
                         [](const auto& info) { return std::string(info.param); });

TEST(PeerFilesTest, MessagesAreEqualByteForByteWithLineBreaksAsSpaces) {
  const TempFolder folder;
  const CompareReport report = compare_case("vit_fp16_tensor", folder);
  const report::Table theirs = report::read_table(kData + "/vit_fp16_tensor/expected_details.csv", {});
  const report::Table ours = report::read_table(report.details_path, {});
  std::map<std::string, std::string> messages;
  for (const report::TableRow row : theirs.rows) {
    std::string text(row[theirs.column("Message")]);
    std::replace(text.begin(), text.end(), '\n', ' ');
    messages[std::string(row[0])] = text;
  }
  const auto changed = departures("vit_fp16_tensor", "details");
  size_t compared = 0;
  for (const report::TableRow row : ours.rows) {
    const std::string name(row[0]);
    if (changed.count(name)) continue;
    EXPECT_EQ(row[ours.column("Message")], messages.at(name)) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 142u);
}

TEST(PeerFilesTest, DuplicatesAreAnErrorThatNamesThem) {
  for (const auto& [name, file] :
       {std::pair("duplicate_in_gpu", "gpu.csv"), std::pair("duplicate_in_npu", "npu.csv")}) {
    const TempFolder folder;
    try {
      compare_case(name, folder);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                kData + "/" + name + "/" + file +
                    ": the same output stands in several rows: Functional.batch_norm.1.forward.output.0 (lines 30 and "
                    "49); keep the row that is meant");
    }
    EXPECT_EQ(support::entries(folder / "out"), 0u);
  }
}

TEST(PeerFilesTest, MissingColumnsAreAnErrorThatNamesFileAndColumns) {
  for (const auto& [name, file, column] : {std::tuple("missing_column_npu", "npu.csv", "误差均衡性"),
                                           std::tuple("missing_column_gpu", "gpu.csv", "绝对误差错误率")}) {
    const TempFolder folder;
    try {
      compare_case(name, folder);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                kData + "/" + name + "/" + file + ":1: these columns are missing: " + column +
                    "; check that this is the right file, and that its first line holds the names of the columns");
    }
    EXPECT_EQ(support::entries(folder / "out"), 0u);
  }
}

TEST(PeerFilesTest, ShapeAndMessageMayBeMissing) {
  // MindStudio makes a SKIP of every row; the same figures with both columns are those of `identical`.
  const TempFolder folder;
  const CompareReport report = compare_case("no_shape_column", folder);
  std::vector<Cells> expected = rows_of(kData + "/identical/expected_details.csv");
  for (Cells& row : expected)
    if (row[static_cast<size_t>(Column::kResult)] == "SKIP") row[static_cast<size_t>(Column::kMessage)] = "";
  EXPECT_EQ(rows_of(report.details_path), expected);
  std::vector<Cells> results = rows_of(kData + "/identical/expected_result.csv");
  for (Cells& row : results) row[3] = "";
  EXPECT_EQ(rows_of(report.result_path), results);
}

}  // namespace
}  // namespace msprobe::compare::testing
