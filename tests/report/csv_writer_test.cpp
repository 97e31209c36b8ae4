#include "report/csv_writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>

#include "support/files.h"

namespace msprobe::report {
namespace {

using outcome::ApiOutcome;
using outcome::Figure;
using outcome::Status;

// ---- figures

TEST(FormatFigureTest, RoundsCorrectlyAtEveryPrecision) {
  std::ifstream file(MSPROBE_TEST_DATA "/report/figures.txt");
  std::string bits, text;
  int precision = 0, count = 0;
  for (; file >> bits >> precision >> text; ++count)
    EXPECT_EQ(format_figure(std::bit_cast<double>(static_cast<uint64_t>(std::stoull(bits, nullptr, 16))), precision),
              text);
  EXPECT_EQ(count, 315);
}

TEST(FormatFigureTest, SpecialValuesAndBlank) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(format_figure(std::nullopt, 14), " ");
  EXPECT_EQ(format_figure(std::nan(""), 14), "nan");
  EXPECT_EQ(format_figure(-std::nan(""), 14), "nan");
  EXPECT_EQ(format_figure(kInfinity, 0), "inf");
  EXPECT_EQ(format_figure(-kInfinity, 20), "-inf");
}

// ---- cells

struct Cell {
  std::string_view text, expected;
};

TEST(CsvCellTest, QuotesWhereRfc4180AsksForIt) {
  for (const Cell& row :
       {Cell{"plain", "plain"}, Cell{"(2, 3)", "\"(2, 3)\""}, Cell{"say \"hi\"", "\"say \"\"hi\"\"\""},
        Cell{"\"", "\"\"\"\""}, Cell{"<class 'int'>", "<class 'int'>"}, Cell{"余弦相似度", "余弦相似度"},
        Cell{" lead and trail ", " lead and trail "}, Cell{"a;b", "a;b"}, Cell{"", ""}, Cell{"()", "()"}})
    EXPECT_EQ(csv_cell(row.text), row.expected);
}

TEST(CsvCellTest, LineBreaksAndControlsBecomeSpaces) {
  EXPECT_EQ(csv_cell("one\r\ntwo\nthree\rfour"), "one two three four");
  EXPECT_EQ(csv_cell("\nleading"), " leading");
  EXPECT_EQ(csv_cell("a\tb"), "a\tb");
  EXPECT_EQ(csv_cell(std::string_view("nul\0bell\a", 9)), "nul bell ");
}

TEST(CsvCellTest, WhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(csv_cell("bad \xC3( byte, here"), "\"bad \xEF\xBF\xBD( byte, here\"");
}

TEST(CsvCellTest, FormulasAreMadeHarmless) {
  for (const Cell& row :
       {Cell{"=1+1", "'=1+1"}, Cell{"+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"}, Cell{"-2+3", "'-2+3"},
        Cell{"@SUM(A1)", "'@SUM(A1)"}, Cell{"=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""},
        Cell{"＝1", "'＝1"}, Cell{"＋1", "'＋1"}, Cell{"－1", "'－1"}, Cell{"＠x", "'＠x"}, Cell{"\t=1", "'\t=1"},
        Cell{"\n=1", "' =1"}, Cell{"-", "'-"}, Cell{"+", "'+"}, Cell{"--1", "'--1"}, Cell{"-infinity", "'-infinity"},
        Cell{"-0x1F", "'-0x1F"}, Cell{"-1 ", "'-1 "}})
    EXPECT_EQ(csv_cell(row.text), row.expected);
}

TEST(CsvCellTest, NumbersStayNumbers) {
  for (const char* number : {"-1", "+1", "-0.5", "-1.5e-07", "+1E+10", "-inf", "+inf", "-nan", "-.5", "-1e400"})
    EXPECT_EQ(csv_cell(number), number);
}

// ---- rows

TEST(CsvRowTest, EmptyCellsBecomeOneSpace) {
  EXPECT_EQ(csv_row({"a", "", "b,c", "-1", "=x"}), "a, ,\"b,c\",-1,'=x\r\n");
}

TEST(HeaderTest, ColumnsInTheOrderOfTheUsersDocument) {
  EXPECT_EQ(csv_row(result_header()), "API name,Forward Test Success,Backward Test Success,Message\r\n");
  EXPECT_EQ(csv_row(details_header()),
            "API Name,Bench Dtype,DEVICE "
            "Dtype,Shape,余弦相似度,最大绝对误差,双百指标,双千指标,双万指标,二进制一致错误率,误差均衡性,"
            "均方根误差,小值域错误占比,相对误差最大值,相对误差平均值,inf/"
            "nan错误率,相对误差错误率,绝对误差错误率,ULP误差最大值,"
            "ULP误差平均值,ULP误差大于阈值占比,Status,Message\r\n");
}

TEST(HeaderTest, IsWhatMindStudioWrites) {
  EXPECT_EQ("\xEF\xBB\xBF" + csv_row(details_header()),
            support::lines(MSPROBE_TEST_DATA "/report/mindstudio_details.csv").at(0) + "\n");
  EXPECT_EQ("\xEF\xBB\xBF" + csv_row(result_header()),
            support::lines(MSPROBE_TEST_DATA "/report/mindstudio_result.csv").at(0) + "\n");
}

ApiOutcome outcome() {
  ApiOutcome o;
  o.api = "Torch.mul.0";
  o.forward = Status::kPass;
  o.backward = Status::kError;
  outcome::Row forward;
  forward.name = "Torch.mul.0.forward.output.0";
  forward.bench_dtype = "torch.float64";
  forward.device_dtype = "torch.float32";
  forward.shape = "(2, 3)";
  forward.status = Status::kPass;
  forward[Figure::kCosine] = 1;
  forward[Figure::kMaxAbs] = 0.00025;
  forward[Figure::kUlpShare] = 0;
  outcome::Row backward;
  backward.name = "Torch.mul.0.backward.output.0";
  backward.bench_dtype = backward.device_dtype = "<class 'int'>";
  backward.shape = "()";
  backward.status = Status::kError;
  backward[Figure::kBinaryErrorRate] = 1;
  backward[Figure::kMaxRelative] = std::numeric_limits<double>::infinity();
  backward.message = "3 differs from 4, see\nthe log";
  o.rows = {forward, backward};
  return o;
}

TEST(RowsTest, DetailsHaveTwentyThreeCells) {
  EXPECT_EQ(details_lines(outcome(), 5),
            "Torch.mul.0.forward.output.0,torch.float64,torch.float32,\"(2, 3)\",1.00000,0.00025, , , , , , , , , , , "
            ", , , ,0.00000,pass, "
            "\r\n"
            "Torch.mul.0.backward.output.0,<class 'int'>,<class 'int'>,(), , , , , ,1.00000, , , ,inf, , , , , , , "
            ",error,\"3 differs from "
            "4, see the log\"\r\n");
}

TEST(RowsTest, ResultsHaveFourCells) {
  ApiOutcome o = outcome();
  EXPECT_EQ(result_line(o), "Torch.mul.0,pass,error, \r\n");
  o.forward = Status::kSkip;
  o.backward = Status::kBlank;
  o.message = "=not run, black list";
  EXPECT_EQ(result_line(o), "Torch.mul.0,SKIP, ,\"'=not run, black list\"\r\n");
  o.rows.clear();
  EXPECT_EQ(details_lines(o, 14), "");
}

}  // namespace
}  // namespace msprobe::report
