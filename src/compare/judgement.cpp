#include "compare/judgement.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace msprobe::compare {
namespace {

bool holds(Finding::Kind kind, double value, double limit) {
  switch (kind) {
    case Finding::Kind::kAbove:
      return value > limit;
    case Finding::Kind::kNotBelow:
      return value >= limit;
    default:
      return value <= limit;
  }
}

/// Six digits, or all of them where six would hide that the limit is missed.
std::string value_text(Finding::Kind kind, double value, double limit) {
  const std::string text = fmt::format("{:.6g}", value);
  return holds(kind, std::strtod(text.c_str(), nullptr), limit) ? text : fmt::format("{}", value);
}

std::string beside_limit(const Finding& f) {
  constexpr std::string_view kSigns[] = {">", ">=", "<="};
  const std::string_view sign = kSigns[static_cast<int>(f.kind)];
  if (holds(f.kind, f.value, f.limit))
    return fmt::format("{} {} {} {:.6g}", f.figure, value_text(f.kind, f.value, f.limit), sign, f.limit);
  return fmt::format("{} {:.6g}, limit {:.6g}", f.figure, f.value, f.limit);  // nan, or a rate below 0
}

}  // namespace

double Subject::limit_of(const std::map<std::string, double, std::less<>>& by_dtype) const {
  std::string_view name = dtype;
  if (name.starts_with("torch.")) name.remove_prefix(6);
  const auto found = by_dtype.find(name);
  return found != by_dtype.end() ? found->second : by_dtype.at("float32");
}

std::string finding_text(const Finding& f) {
  std::string text;
  switch (f.kind) {
    case Finding::Kind::kSidesAgree:
      return fmt::format("{} {} on both sides", f.figure, f.value);
    case Finding::Kind::kSidesDiffer:
      text = fmt::format("{} NPU {:.6g}, GPU {:.6g}", f.figure, f.value, f.limit);
      break;
    default:
      text = beside_limit(f);
  }
  if (f.level >= 0) text += fmt::format(" (L{})", f.level);
  if (!f.counted) text += ", not counted";
  return text;
}

std::string findings_text(const std::vector<Finding>& findings, bool only_failures) {
  std::string text;
  for (const Finding& finding : findings) {
    if (only_failures && (!finding.counted || finding.kind == Finding::Kind::kSidesAgree)) continue;
    text += (text.empty() ? "" : "; ") + finding_text(finding);
  }
  return text;
}

}  // namespace msprobe::compare
