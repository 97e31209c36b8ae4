#include "overview/range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dump/record.h"
#include "overview/sparkline.h"
#include "overview/survey.h"

namespace msprobe::overview {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Range> of(const std::string& arguments) {
  return ranges_of(
      dump::parse_forward(R"({"input_args": )" + arguments + R"(, "input_kwargs": {}, "output": []})", "test"));
}

std::string tensor(const std::string& rest, const std::string& dtype = "torch.float32",
                   const std::string& shape = "[2]") {
  return R"({"type": "torch.Tensor", "dtype": ")" + dtype + R"(", "shape": )" + shape + rest + "}";
}

TEST(RangeTest, TensorsAndNumbersWhereverTheyStand) {
  const auto found = ranges_of(dump::parse_forward(
      R"({"input_args": [[)" + tensor(R"(, "Max": 3, "Min": -1.5, "Norm": 2.5)") +
          R"(, null], {"type": "int", "value": 7}, {"type": "str", "value": "mean"}, {"type": "bool", "value": true}],
          "input_kwargs": {"value": {"type": "float", "value": -Infinity}}, "output": []})",
      "test"));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].position, "input.0.0");
  EXPECT_TRUE(found[0].floating);
  EXPECT_EQ(found[0].low, -1.5);
  EXPECT_EQ(found[0].high, 3);
  EXPECT_EQ(found[0].norm, 2.5);
  EXPECT_EQ(found[0].largest(), 3);
  EXPECT_EQ(found[1].position, "input.1");
  EXPECT_FALSE(found[1].floating);
  EXPECT_EQ(found[2].position, "kwargs.value");
  EXPECT_EQ(found[2].extent(), Extent::kInfinite);
}

TEST(RangeTest, ExtentOfWhatWasRecorded) {
  const auto extent = [](const std::string& rest, const std::string& shape = "[2]") {
    return of("[" + tensor(rest, "torch.float16", shape) + "]").at(0).extent();
  };
  EXPECT_EQ(extent(R"(, "Max": 1.5, "Min": 0)"), Extent::kFinite);
  EXPECT_EQ(extent(R"(, "Max": Infinity, "Min": 0)"), Extent::kInfinite);
  EXPECT_EQ(extent(R"(, "Max": 1, "Min": -Infinity)"), Extent::kInfinite);
  EXPECT_EQ(extent(R"(, "Max": "inf", "Min": 0)"), Extent::kInfinite);
  EXPECT_EQ(extent(R"(, "Max": NaN, "Min": NaN)"), Extent::kNan);
  EXPECT_EQ(extent(R"(, "Max": true, "Min": false)"), Extent::kFinite);
  EXPECT_EQ(extent(R"(, "Max": null, "Min": null)"), Extent::kUnknown);
  EXPECT_EQ(extent(R"(, "Max": "large", "Min": 0)"), Extent::kUnknown);
  EXPECT_EQ(extent(""), Extent::kUnknown);
  EXPECT_EQ(extent(R"(, "Max": null, "Min": null)", "[0, 3]"), Extent::kFinite);
}

TEST(RangeTest, TextIsOfFloatingValuesWhereThereAreSome) {
  const std::string ids = tensor(R"(, "Max": 63, "Min": 0)", "torch.int64");
  EXPECT_EQ(range_text(of("[" + ids + "]")), "0 .. 63");
  EXPECT_EQ(range_text(of("[" + ids + ", " + tensor(R"(, "Max": 0.5, "Min": -0.25)") + "]")), "-0.25 .. 0.5");
  EXPECT_EQ(range_text(of("[" + tensor(R"(, "Max": NaN, "Min": NaN)") + "]")), "nan");
  EXPECT_EQ(range_text(of("[" + tensor(R"(, "Max": Infinity, "Min": -Infinity)") + "]")), "-inf .. inf");
  EXPECT_EQ(range_text({}), "");
}

TEST(SparklineTest, StepsAreEvenInTheLogarithm) {
  // 10^0 .. 10^8 in eight steps of one decade; the highest belongs to the last.
  const Sparkline spark = sparkline({1.0, 20.0, 200.0, 2e3, 2e4, 2e5, 2e6, -1e8}, 80);
  EXPECT_EQ(spark.line, "▁▂▃▄▅▆▇█");
  EXPECT_EQ(spark.low, 0);
  EXPECT_EQ(spark.high, 8);
}

TEST(SparklineTest, WhatHasNoLogarithm) {
  EXPECT_EQ(sparkline({0.0, std::nullopt, kInfinity, std::nan(""), 5.0}, 80).line, "0 XX▁");
  EXPECT_EQ(sparkline({}, 80).line, "");
  EXPECT_EQ(sparkline({0.0}, 80).high, 0);
}

TEST(SparklineTest, AColumnShowsTheWorstOfItsValues) {
  EXPECT_EQ(sparkline({1.0, 100.0, 1.0, 1.0, 0.0, std::nan("")}, 3).line, "█▁X");
}

}  // namespace
}  // namespace msprobe::overview
