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

/// The clause of the assessment, which has tests of its own (assess_test.cpp), is taken off.
inline std::string by_figures(const std::string& message) {
  for (const char* opening : {"; suspect: ", "; the GPU has the same figure"})
    if (const size_t at = message.rfind(opening); at != std::string::npos) return message.substr(0, at);
  return message;
}

/// The details of one output, Message by_figures().
inline Figures judge(const std::string& api, const std::string& dtype, const Figures& npu, const Figures& gpu) {
  const std::string name = api + ".0.forward.output.0";
  const Outcome outcome = compare_rows({{name, dtype, npu}}, {{name, dtype, gpu}});
  EXPECT_EQ(outcome.details.size(), 1u);
  Figures details = outcome.details.at(0);
  details["Message"] = by_figures(details["Message"]);
  return details;
}

}  // namespace msprobe::compare::testing
