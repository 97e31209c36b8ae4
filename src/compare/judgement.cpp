#include "compare/judgement.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace msprobe::compare {
namespace {

bool holds(Finding::Kind kind, double value, double limit) {
  switch (kind) {
    case Finding::Kind::kAbove:
      return value > limit;
    case Finding::Kind::kNotBelow:
    case Finding::Kind::kNotBelowGpu:
      return value >= limit;
    default:
      return value <= limit;
  }
}

/// `12.4`: six digits.
void append_number(std::string& text, double value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 6).ptr);
}

/// Six digits, or all of them where six would hide that the limit is missed.
void append_value(std::string& text, const Finding& f) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, f.value, std::chars_format::general, 6).ptr;
  double rounded = f.value;
  std::from_chars(digits, end, rounded);
  if (holds(f.kind, rounded, f.limit))
    text.append(digits, end);
  else
    text.append(digits, std::to_chars(digits, digits + sizeof digits, f.value).ptr);
}

void append_beside_limit(std::string& text, const Finding& f) {
  const std::string_view sign = f.kind == Finding::Kind::kAbove      ? " > "
                                : f.kind == Finding::Kind::kNotAbove ? " <= "
                                                                     : " >= ";
  const bool comparable = holds(f.kind, f.value, f.limit);  // not nan, nor a rate below 0
  text.append(f.figure).append(" ");
  if (comparable)
    append_value(text, f);
  else
    append_number(text, f.value);
  text.append(comparable ? sign : ", limit ");
  append_number(text, f.limit);
  if (f.kind == Finding::Kind::kNotBelowGpu) text.append(" (GPU)");
}

void append_finding(std::string& text, const Finding& f) {
  switch (f.kind) {
    case Finding::Kind::kSidesAgree:
      text.append(f.figure).append(" ");
      append_number(text, f.value);
      text.append(" on both sides");
      return;
    case Finding::Kind::kSidesDiffer:
      text.append(f.figure).append(" NPU ");
      append_number(text, f.value);
      text.append(", GPU ");
      append_number(text, f.limit);
      break;
    default:
      append_beside_limit(text, f);
  }
  if (f.level >= 0) text.append(" (L").append(1, static_cast<char>('0' + f.level)).append(")");
  if (!f.counted) text.append(", not counted");
}

void append_floor(std::string& text, double floor) {
  if (floor == std::exp2(std::ilogb(floor)))
    text.append("2^").append(std::to_string(std::ilogb(floor)));
  else
    append_number(text, floor);
}

/// What the floor of ratios let pass, in one clause; the figures are named where there are several.
void append_floors(std::string& text, const std::vector<Finding>& findings) {
  constexpr auto is_floor = [](const Finding& f) { return f.kind == Finding::Kind::kFloor; };
  const auto count = std::count_if(findings.begin(), findings.end(), is_floor);
  if (count == 0) return;
  if (!text.empty()) text += "; ";
  text += count == 1 ? "plain ratio " : "plain ratios ";
  bool first = true;
  double floor = 0;
  for (const Finding& f : findings) {
    if (!is_floor(f)) continue;
    if (!first) text += ", ";
    if (count > 1) text.append(f.figure).append(" ");
    append_number(text, f.value);
    first = false;
    floor = f.limit;
  }
  text += ": the GPU is below ";
  append_floor(text, floor);
  text += count == 1 ? ", so it decided nothing" : ", so they decided nothing";
}

}  // namespace

double Subject::limit_of(const std::map<std::string, double, std::less<>>& by_dtype) const {
  std::string_view name = dtype;
  if (name.starts_with("torch.")) name.remove_prefix(6);
  const auto found = by_dtype.find(name);
  return found != by_dtype.end() ? found->second : by_dtype.at("float32");
}

std::string findings_text(const std::vector<Finding>& findings, bool only_failures) {
  std::string text;
  for (const Finding& finding : findings) {
    if (finding.kind == Finding::Kind::kFloor || (only_failures && !finding.failed())) continue;
    if (!text.empty()) text += "; ";
    append_finding(text, finding);
  }
  if (!only_failures) append_floors(text, findings);
  return text;
}

}  // namespace msprobe::compare
