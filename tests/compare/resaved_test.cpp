// The same details file in every form that spreadsheets and people give it: same outcome.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "compare/figure_cell.h"
#include "compare/support.h"

namespace msprobe::compare::testing {
namespace {

TEST(ResavedTest, ASpreadsheetsFilesMeanWhatTheyMeantBefore) {
  const std::string name = "/accuracy_checking_details_20260102030405.csv";
  for (const config::Profile profile : {config::Profile::kDocumented, config::Profile::kMindstudio}) {
    const TempFolder folder;
    const CompareReport report =
        run(options(kData + "/resaved/npu" + name, kData + "/resaved/gpu" + name, folder / "out", profile));
    const bool mindstudio = profile == config::Profile::kMindstudio;
    const std::string zero = "0.00000000000000", one = "1.00000000000000", two = "2.00000000000000";
    const std::vector<Cells> expected = {
        {"Torch.exp.0.forward.output.0",
         zero,
         "pass",
         "0.20480000000000",
         "pass",
         two,
         "pass",
         one,
         "pass",
         one,
         "pass",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "pass",
         "标杆比对法",
         ""},
        {"Torch.exp.0.backward.output.0",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "SKIP",
         "",
         "no gradient"},
        {"Torch.argmax.0.forward.output.0",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         mindstudio ? "0" : zero,
         "pass",
         "",
         "",
         "",
         "",
         "",
         "",
         "pass",
         "二进制一致法",
         ""},
        {"Torch.exp.1.forward.output.0",
         zero,
         "pass",
         "10.00000000000000",
         "error",
         one,
         "pass",
         one,
         "pass",
         one,
         "pass",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "",
         "error",
         "标杆比对法",
         mindstudio ? "ERROR: 均方根误差比值超过阈值"
                    : "均方根误差比值 10 > 2 (L0); suspect: 均方根误差 0.01, the GPU's 0.001"}};
    EXPECT_EQ(rows_of(report.details_path), expected);
    EXPECT_EQ(
        rows_of(report.result_path),
        (std::vector<Cells>{
            {"Torch.exp.0", "pass", "SKIP", ""},
            {"Torch.argmax.0", "pass", "", ""},
            {"Torch.exp.1", "error", "",
             mindstudio ? ""
                        : "forward.output.0: 均方根误差比值 10 > 2 (L0); suspect: 均方根误差 0.01, the GPU's 0.001"}}));
  }
}

struct Form {
  const char* name;
  bool mark = true;
  std::string line_end = "\r\n";
  char separator = ',';
  bool shuffled = false;  ///< columns in another order, and two more
  std::function<std::string(const std::string&)> cell = [](const std::string& text) { return text; };
};

std::string quoted(std::string text, char separator) {
  if (text.find_first_of(std::string("\"\r\n") + separator) == std::string::npos) return text;
  for (size_t i = 0; (i = text.find('"', i)) != std::string::npos; i += 2) text.insert(i, 1, '"');
  return '"' + text + '"';
}

std::string saved(const report::Table& table, const Form& form) {
  Cells header = table.columns;
  std::vector<size_t> order(header.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(7);
  if (form.shuffled) std::shuffle(order.begin(), order.end(), random);
  std::string text = form.mark ? "\xEF\xBB\xBF" : "";
  const auto add_line = [&](const std::function<std::string(size_t)>& cell) {
    for (size_t i = 0; i < order.size(); ++i) text += (i ? std::string(1, form.separator) : "") + cell(order[i]);
    if (form.shuffled) text += std::string(2, form.separator) + quoted("note; of, mine", form.separator);
    text += form.line_end;
  };
  add_line([&](size_t i) { return header[i]; });
  for (const report::TableRow row : table.rows)
    add_line([&](size_t i) { return quoted(form.cell(std::string(row[static_cast<int>(i)])), form.separator); });
  return text;
}

bool is_figure(const std::string& text) {
  return read_figure(text).is_number() && std::isfinite(read_figure(text).value);
}

/// As a spreadsheet writes figures: shortest form, large exponents.
std::string general(const std::string& text) {
  if (!is_figure(text)) return text == " " ? "" : text == "pass" ? "TRUE" : text;
  char out[64];
  std::snprintf(out, sizeof out, "%.17G", read_figure(text).value);
  return out;
}

std::string with_comma(std::string text) {
  text = general(text);
  if (is_figure(text)) std::replace(text.begin(), text.end(), '.', ',');
  return text;
}

class FormTest : public ::testing::TestWithParam<Form> {};

TEST_P(FormTest, GivesTheSameOutcome) {
  for (const std::string name : {"gpt2_amp_bf16_tensor", "vit_fp16_tensor", "overflow_fp16_statistics"}) {
    const std::string base = kData + "/" + name;
    const TempFolder folder;
    for (const char* side : {"/npu.csv", "/gpu.csv"})
      write(folder / ("saved" + std::string(side)), saved(report::read_table(base + side, {}), GetParam()));
    const CompareReport before = run(options(base + "/npu.csv", base + "/gpu.csv", folder / "before"));
    const CompareReport after = run(options(folder / "saved/npu.csv", folder / "saved/gpu.csv", folder / "after"));
    EXPECT_EQ(content(before.details_path), content(after.details_path)) << name;
    EXPECT_EQ(content(before.result_path), content(after.result_path)) << name;
    EXPECT_GT(before.rows[static_cast<size_t>(outcome::Status::kError)], 0) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Forms, FormTest,
    ::testing::Values(Form{.name = "no_mark", .mark = false}, Form{.name = "lf", .line_end = "\n"},
                      Form{.name = "cr", .line_end = "\r"}, Form{.name = "semicolon", .separator = ';'},
                      Form{.name = "tab", .separator = '\t'}, Form{.name = "other_columns", .shuffled = true},
                      Form{.name = "spreadsheet", .mark = false, .line_end = "\n", .cell = general},
                      Form{.name = "spreadsheet_with_decimal_comma",
                           .mark = false,
                           .line_end = "\r\n",
                           .separator = ';',
                           .cell = with_comma},
                      Form{.name = "decimal_comma_in_quotes", .cell = with_comma},
                      Form{.name = "all_of_it",
                           .mark = false,
                           .line_end = "\r",
                           .separator = ';',
                           .shuffled = true,
                           .cell = with_comma}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace msprobe::compare::testing
