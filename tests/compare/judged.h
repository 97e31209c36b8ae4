// What the tests of the algorithms share: one output judged through a whole comparison, and figures just at a limit.
// Each algorithm is tested at its limits, computed by hand: exactly at the limit, and one step of a double beyond it.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "compare/support.h"

namespace msprobe::compare::testing {

using Figures = std::map<std::string, std::string>;
constexpr double kInf = std::numeric_limits<double>::infinity();

inline std::string exact(double value) {
  return fmt::format("{:.17g}", value);
}
inline double above(double value) {
  return std::nextafter(value, kInf);
}
inline double below(double value) {
  return std::nextafter(value, -kInf);
}

/// The details of one output.
inline Figures judge(const std::string& api, const std::string& dtype, const Figures& npu, const Figures& gpu) {
  const std::string name = api + ".0.forward.output.0";
  const Outcome outcome = compare_rows({{name, dtype, npu}}, {{name, dtype, gpu}});
  EXPECT_EQ(outcome.details.size(), 1u);
  return outcome.details.at(0);
}

}  // namespace msprobe::compare::testing
