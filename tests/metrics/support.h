// Contexts and tensors for the tests of figures and verdicts.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "config/standards.h"
#include "metrics/compare.h"

namespace msprobe::metrics::test {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline const config::Standards& standards() {
  static const config::Standards s = config::load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  return s;
}

inline CompareContext context(config::Profile profile = config::Profile::kDocumented, std::string api = "softmax") {
  return CompareContext{profile, standards(), standards().quantization_apis, {"Torch", api}, false, false, false};
}
inline CompareContext mindstudio(std::string api = "softmax") {
  return context(config::Profile::kMindstudio, std::move(api));
}

inline outcome::Row compare(const at::Tensor& golden, const at::Tensor& device, const CompareContext& c) {
  outcome::Row row;
  compare_tensors(golden, device, c, row);
  return row;
}
inline outcome::Row compare(const at::Tensor& golden, const at::Tensor& device) {
  return compare(golden, device, context());
}

inline at::Tensor tensor(const std::vector<double>& values, at::ScalarType type = at::kDouble) {
  return at::tensor(values, at::dtype(at::kDouble)).to(type);
}

inline at::ScalarType type_named(const std::string& name) {
  for (int i = 0; i < static_cast<int>(at::ScalarType::NumOptions); ++i) {
    const auto type = static_cast<at::ScalarType>(i);
    if (type == at::ScalarType::Undefined) continue;
    const std::pair<const char*, const char*> names[] = {
        {"float16", "Half"}, {"bfloat16", "BFloat16"}, {"float32", "Float"}, {"float64", "Double"}, {"bool", "Bool"},
        {"int8", "Char"},    {"uint8", "Byte"},        {"int16", "Short"},   {"int32", "Int"},      {"int64", "Long"},
    };
    for (const auto& [torch, aten] : names) {
      if (name == torch && std::string(aten) == c10::toString(type)) return type;
    }
  }
  ADD_FAILURE() << "no type " << name;
  return at::kFloat;
}

/// Columns that are filled, in order, as one string of the figures' indices: what a row shows at a glance.
inline std::vector<int> filled(const outcome::Row& row) {
  std::vector<int> out;
  for (int i = 0; i < outcome::kFigureCount; ++i) {
    if (row.figures[i]) out.push_back(i);
  }
  return out;
}

/// Same bits in every figure, same status and message.
inline void expect_same(const outcome::Row& a, const outcome::Row& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.shape, b.shape);
  for (int i = 0; i < outcome::kFigureCount; ++i) {
    ASSERT_EQ(a.figures[i].has_value(), b.figures[i].has_value()) << outcome::kFigureColumns[i];
    if (!a.figures[i]) continue;
    EXPECT_EQ(std::memcmp(&*a.figures[i], &*b.figures[i], sizeof(double)), 0) << outcome::kFigureColumns[i];
  }
}

}  // namespace msprobe::metrics::test
