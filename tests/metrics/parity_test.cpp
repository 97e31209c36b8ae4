// Rows of MindStudio msprobe (tests/data/metrics/parity.txt, made by make_parity.py), figure by figure to the last
// printed digit.
#include <cstring>

#include "support.h"
#include "support/files.h"

namespace msprobe::metrics::test {
namespace {

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == by) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<int64_t> numbers(const std::string& text) {
  std::vector<int64_t> out;
  if (text.empty()) return out;
  for (const std::string& part : split(text, ',')) out.push_back(std::stoll(part));
  return out;
}

at::Tensor read_tensor(const std::string& dtype, const std::string& sizes, const std::string& strides,
                       const std::string& hex) {
  at::Tensor t = at::empty_strided(numbers(sizes), numbers(strides), type_named(dtype));
  auto* bytes = static_cast<unsigned char*>(t.data_ptr());
  for (size_t i = 0; i < hex.size() / 2; ++i) bytes[i] = std::stoi(hex.substr(2 * i, 2), nullptr, 16);
  EXPECT_EQ(hex.size() / 2, static_cast<size_t>(t.numel() * t.element_size()));
  return t;
}

/// Figures that MindStudio formats have 14 digits behind the point; those it leaves to numpy are the shortest text that
/// gives the float32 back, or "0".
std::string written(const std::optional<double>& value, const std::string& expected) {
  if (!value) return "";
  if (std::isnan(*value)) return "nan";
  char text[400];
  const size_t point = expected.find('.');
  const bool formatted = point != std::string::npos && expected.size() - point == 15;
  if (formatted) {
    std::snprintf(text, sizeof text, "%.14f", *value);
    return text;
  }
  return std::strtod(expected.c_str(), nullptr) == *value ? expected
                                                          : std::to_string(*value) + " (not " + expected + ")";
}

/// Rows that MindStudio calls error although both sides hold the same infinity or nan there; 70000 is beyond float16,
/// so that inf is right. Status departs in them, figures and blanks do not.
bool agrees(const std::string& name, const std::string& device) {
  return name == "inf against inf" || name == "-inf against -inf" || name == "nan against nan" ||
         (name == "70000.0 against inf" && device == "float16");
}

TEST(Parity, FiguresAndStatusOfMindStudio) {
  size_t cases = 0, departures = 0;
  for (const std::string& text : support::lines(MSPROBE_TEST_DATA "/metrics/parity.txt")) {
    const auto f = split(text, '|');
    ASSERT_EQ(f.size(), 26u) << text;
    SCOPED_TRACE(f[0] + ": " + f[2] + " against " + f[1]);
    const at::Tensor golden = read_tensor(f[1], f[3], f[4], f[6]), device = read_tensor(f[2], f[3], f[5], f[7]);
    const outcome::Row row = compare(golden, device, mindstudio("none"));
    for (int i = 0; i < outcome::kFigureCount; ++i) {
      EXPECT_EQ(written(row.figures[i], f[8 + i]), f[8 + i]) << outcome::kFigureColumns[i];
    }
    if (agrees(f[0], f[2])) {
      EXPECT_EQ(f[25], "error");
      EXPECT_EQ(row.status, outcome::Status::kPass);
      EXPECT_EQ(row.message,
                "最大绝对误差 0 < 0.001; 1 of 4 elements the same inf or nan on both sides, which MindStudio "
                "msprobe takes for errors");
      ++departures;
    } else {
      EXPECT_EQ(outcome::status_text(row.status), f[25]) << row.message;
    }
    ++cases;
  }
  EXPECT_GT(cases, 300u);
  EXPECT_EQ(departures, 13u);
}

}  // namespace
}  // namespace msprobe::metrics::test
