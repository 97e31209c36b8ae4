#include "report/figure_cell.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace msprobe::report {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Case {
  const char* text;
  CellKind kind;
  double value;
};

TEST(FigureCellTest, ReadsWhatPythonSpreadsheetsAndOurWriterWrite) {
  constexpr CellKind kNumber = CellKind::kNumber;
  const Case cases[] = {
      {"0", kNumber, 0},
      {"0.0", kNumber, 0},
      {"0.00000000000000", kNumber, 0},
      {"0.0015974343", kNumber, 0.0015974343},
      {"1.1683005e-07", kNumber, 1.1683005e-07},
      {"1E-05", kNumber, 0.00001},
      {"1e+3", kNumber, 1000},
      {"-0.125", kNumber, -0.125},
      {"+0.5", kNumber, 0.5},
      {" 0.5 ", kNumber, 0.5},
      {".5", kNumber, 0.5},
      {"5.", kNumber, 5},
      {"0,0001", kNumber, 0.0001},
      {"-1,5E-05", kNumber, -0.000015},
      {"inf", kNumber, kInf},
      {"-inf", kNumber, -kInf},
      {"INF", kNumber, kInf},
      {"Infinity", kNumber, kInf},
      {"1e400", kNumber, kInf},
      {"-1e400", kNumber, -kInf},
      {"1e-400", kNumber, 0},
      {"2.2250738585072014e-308", kNumber, std::numeric_limits<double>::min()},
      {"5e-324", kNumber, std::numeric_limits<double>::denorm_min()},
  };
  for (const Case& c : cases) {
    const FigureCell cell = read_figure(c.text);
    EXPECT_EQ(cell.kind, c.kind) << c.text;
    EXPECT_EQ(cell.value, c.value) << c.text;
  }
}

TEST(FigureCellTest, ReadsNanInAnyCaseAndWithASign) {
  for (const char* text : {"nan", "NaN", "NAN", "-nan", "+nan", " nan"}) {
    EXPECT_EQ(read_figure(text).kind, CellKind::kNumber) << text;
    EXPECT_TRUE(std::isnan(read_figure(text).value)) << text;
  }
}

TEST(FigureCellTest, NothingButBlanksIsBlank) {
  for (const char* text : {"", " ", "  ", "\t", "\n"}) EXPECT_EQ(read_figure(text).kind, CellKind::kBlank) << text;
}

TEST(FigureCellTest, AnythingElseIsUnreadable) {
  for (const char* text : {"abc", "0x1p-3", "1,234.5", "1,2,3", "#DIV/0!", "TRUE", "1e", "--1", "+-1", "1 2", "-", "e5",
                           ",", "1..2", "infinit", "nan0", "'1", "１"})
    EXPECT_EQ(read_figure(text).kind, CellKind::kUnreadable) << text;
}

TEST(FigureCellTest, PandasTakesTheseWordsForMissing) {
  for (const char* text : {"N/A", "NA", "NULL", "null", "None", "#N/A", "<NA>", "n/a", "1.#IND"})
    EXPECT_TRUE(is_missing_value_of_pandas(text)) << text;
  for (const char* text : {"none", "abc", "", "na", "-"}) EXPECT_FALSE(is_missing_value_of_pandas(text)) << text;
}

}  // namespace
}  // namespace msprobe::report
