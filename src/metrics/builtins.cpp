// Results that are no tensors: int, float, bool, str, complex, None. Equal or error.
#include <cmath>
#include <cstdio>
#include <string_view>

#include "metrics/assess.h"
#include "metrics/compare.h"
#include "metrics/status.h"
#include "util/utf8.h"

namespace msprobe::metrics {
namespace {

using outcome::Figure;
using outcome::Status;

constexpr size_t kColumnsShown = 60;

/// A string on one line, whatever it holds.
std::string in_quotes(std::string_view text) {
  std::string out;
  for (char c : util::repair_utf8(text.substr(0, 4 * kColumnsShown))) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (!control) {
      out.append(1, c);
      continue;
    }
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
    out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : escaped;
  }
  std::string result(1, '"');
  return result.append(util::fit_width(out, kColumnsShown)).append(1, '"');
}

std::string value_text(const Builtin& b) {
  if (b.kind == "str") return in_quotes(b.text);
  if (b.kind == "bool") return b.number != 0 ? "True" : "False";
  if (b.kind == "int" && !b.text.empty()) return b.text;
  if (b.kind == "complex") {
    std::string text(1, '(');
    return text.append(number_text(b.number)).append(", ").append(number_text(b.imag)).append("j)");
  }
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.17g", b.number);
  return std::isnan(b.number) ? "nan" : digits;
}

/// nan equals nan; to Python itself, and so to MindStudio, it does not.
bool same_number(double a, double b, bool nan_is_equal) {
  return a == b || (nan_is_equal && std::isnan(a) && std::isnan(b));
}

bool same(const Builtin& a, const Builtin& b, bool nan_is_equal) {
  if (a.kind == "str") return a.text == b.text;
  if (a.kind == "int" && !a.text.empty() && !b.text.empty()) return a.text == b.text;  // exact beyond 2^53
  if (a.kind == "complex" && !same_number(a.imag, b.imag, nan_is_equal)) return false;
  return same_number(a.number, b.number, nan_is_equal);
}

std::string type_text(const Builtin& b) {
  return b.kind == "NoneType" ? "" : "<class '" + b.kind + "'>";
}

}  // namespace

void compare_builtins(const Builtin& golden, const Builtin& device, const CompareContext& context, outcome::Row& row) {
  row.bench_dtype = type_text(golden);
  row.device_dtype = type_text(device);
  if (golden.kind != device.kind) {
    decide(row, Status::kError, "the golden gives " + golden.kind + ", the device " + device.kind);
    if (context.assess) assess_kind("another type", row);
    return;
  }
  if (golden.kind == "NoneType") return decide(row, Status::kSkip, "both sides give None, nothing to compare");
  const bool mindstudio = context.profile == config::Profile::kMindstudio;
  if (same(golden, device, true)) {
    // MindStudio calls nan on both sides an error, whose figure it leaves blank: that much stays in its profile.
    if (!mindstudio || same(golden, device, false)) row[Figure::kBinaryErrorRate] = 0;
    if (context.assess) row.assessed.word = outcome::Assessment::kFine;
    return decide(row, Status::kPass,
                  std::string(outcome::kFigureColumns[static_cast<int>(Figure::kBinaryErrorRate)]) + " 0");
  }
  if (!mindstudio) row[Figure::kBinaryErrorRate] = 1;
  decide(row, Status::kError, "the golden gives " + value_text(golden) + ", the device " + value_text(device));
  if (context.assess) assess_kind("another value", row);
}

}  // namespace msprobe::metrics
