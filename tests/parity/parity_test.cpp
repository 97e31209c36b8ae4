// Profile mindstudio on small dumps with real tensors: the rows are those that MindStudio msprobe wrote with the CPU in
// the place of the device (tests/data/parity, made by make_small.py), cell by cell but for Message.
#include <cmath>
#include <cstdio>
#include <set>

#include "outcome/row.h"
#include "run_program.h"

namespace msprobe::parity {
namespace {

/// `Functional.relu` of `Functional.relu.0.forward.output.0`.
std::string api_of(const std::string& row) {
  return row.substr(0, row.find('.', row.find('.') + 1));
}

/// Results that IEEE arithmetic fixes: each element is one operation, rounded once. In the others the order of sums,
/// fused multiply-add and the vector versions of exp, tanh and erf differ between CPUs.
bool is_exact(const std::string& row) {
  static const std::set<std::string> kForward = {"Tensor.__add__",       "Tensor.__iadd__",       "Tensor.__radd__",
                                                 "Tensor.add",           "Tensor.add_",           "Tensor.__mul__",
                                                 "Tensor.__rmul__",      "Tensor.mul_",           "Tensor.__truediv__",
                                                 "Tensor.reciprocal",    "Tensor.__le__",         "Torch.where",
                                                 "Functional.relu",      "Functional.leaky_relu", "Functional.pad",
                                                 "Functional.embedding", "Functional.max_pool2d"};
  static const std::set<std::string> kBackward = {"Functional.relu", "Functional.leaky_relu"};
  return (row.find(".forward.") != row.npos ? kForward : kBackward).count(api_of(row)) != 0;
}

/// MindStudio's figures come with 14 digits behind the point, or as numpy prints a float32: the same number with ours.
std::string with_our_digits(const std::string& cell) {
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (end == cell.c_str() || *end != '\0' || !std::isfinite(value)) return cell;
  char text[64];
  std::snprintf(text, sizeof text, "%.14f", value);
  return text;
}

/// Elements of `(2, 16, 32)`.
double elements_of(const std::string& shape) {
  double count = 1;
  for (const char* at = shape.c_str(); *at != '\0';) {
    char* end = nullptr;
    const double size = std::strtod(at, &end);
    if (end != at) count *= size;
    at = end != at ? end : at + 1;
  }
  return std::max(count, 1.0);
}

/// How far a figure of a row that is not exact may be off, since other CPUs round elements otherwise.
bool is_near(const std::string& column, const std::string& dtype, double elements, const std::string& ours,
             const std::string& theirs) {
  const double a = std::strtod(ours.c_str(), nullptr), b = std::strtod(theirs.c_str(), nullptr);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  const double off = std::abs(a - b), larger = std::max(std::abs(a), std::abs(b));
  // It moves with the square of rounding errors.
  if (column == "余弦相似度") return off <= 1e-6;
  // Elements at a threshold may cross it: one of a hundred, or one of a small tensor.
  if (column == "双百指标" || column == "双千指标" || column == "双万指标" || column == "小值域错误占比")
    return off <= std::max(0.01, 1.0001 / elements);
  // The signs of errors that are rounding alone are as good as random: sums of n of them, drawn anew, differ by
  // sqrt(2 n) and are within 4 sqrt(n) all but always.
  if (column == "误差均衡性") return off <= 4 / std::sqrt(elements);
  // Two units of float32 at 1: a figure below that is the rounding of single elements. Of float64 the digits written.
  if (off <= (dtype == "torch.float64" ? 2e-14 : 0x1p-22)) return true;
  // An element whose sum nearly cancels has few digits that are right: another BLAS adds it up otherwise.
  if (column == "相对误差最大值" && dtype == "torch.float32" && off <= 0x1p-16) return true;
  // A mean moves little when elements round otherwise; a maximum is that of one element.
  return off <= (column == "均方根误差" || column == "相对误差平均值" ? 0.02 : 0.1) * larger;
}

/// Rows that are not MindStudio's, and why.
const std::map<std::string, std::string> kDepartures = {
    {"Torch.vector_norm", "MindStudio raises an exception: its wrapper of vector_norm gets no dtype"}};

class ParityTest : public testing::TestWithParam<const char*> {};

TEST_P(ParityTest, RowsAreMindStudios) {
  const fs::path folder = fs::path(MSPROBE_TEST_DATA) / "parity" / GetParam();
  const Outcome run(folder / "dump.json", R"({"precision_profile": "mindstudio"})");
  ASSERT_EQ(run.code, 0) << run.log;
  const Rows details = read_rows(folder / "details.csv"), results = read_rows(folder / "result.csv");
  EXPECT_EQ(run.details.names, details.names);
  EXPECT_EQ(run.results.names, results.names);

  size_t exact = 0, near = 0;
  for (const std::string& name : details.names) {
    SCOPED_TRACE(name);
    if (kDepartures.count(api_of(name))) continue;
    for (const char* column : {"Bench Dtype", "DEVICE Dtype", "Shape", "Status"})
      EXPECT_EQ(run.details.at(name, column), details.at(name, column)) << column;
    for (const std::string_view figure : outcome::kFigureColumns) {
      const std::string column(figure);
      const std::string ours = run.details.at(name, column), theirs = with_our_digits(details.at(name, column));
      if (ours == theirs) continue;
      EXPECT_FALSE(is_exact(name)) << column << " " << ours << ", MindStudio's " << theirs;
      EXPECT_EQ(ours == " ", theirs == " ") << column << " " << ours << ", MindStudio's " << theirs;
      EXPECT_TRUE(
          is_near(column, details.at(name, "DEVICE Dtype"), elements_of(details.at(name, "Shape")), ours, theirs))
          << column << " " << ours << ", MindStudio's " << theirs;
    }
    ++(is_exact(name) ? exact : near);
  }
  EXPECT_GE(exact, 3u);
  EXPECT_GE(near, 5u);
  for (const std::string& name : results.names) {
    SCOPED_TRACE(name);
    if (kDepartures.count(api_of(name + "."))) {
      EXPECT_EQ(results.at(name, "Forward Test Success"), "SKIP");
      EXPECT_EQ(run.results.at(name, "Forward Test Success"), "pass");
      continue;
    }
    for (const char* column : {"Forward Test Success", "Backward Test Success"})
      EXPECT_EQ(run.results.at(name, column), results.at(name, column)) << column;
  }
}

INSTANTIATE_TEST_SUITE_P(Dumps, ParityTest,
                         testing::Values("gpt2_amp_bf16_tensor", "resnet_fp32_tensor", "segnet_fp64_tensor",
                                         "vit_fp16_tensor"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace msprobe::parity
