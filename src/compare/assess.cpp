#include "compare/assess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compare/ratio.h"
#include "compare/registry.h"

namespace msprobe::compare {
namespace {

using outcome::Assessment;
using outcome::Figure;
using outcome::Status;

constexpr std::string_view kBetween = "; ";

std::string_view name_of(Figure figure) {
  return outcome::kFigureColumns[static_cast<size_t>(figure)];
}

/// Where the clause of `assessment` begins in `message`: the last one that opens so; npos without any.
size_t clause_at(Assessment assessment, std::string_view message) {
  const std::string_view opening = outcome::rule_of(assessment).opening;
  if (opening.empty()) return std::string_view::npos;
  for (size_t at = message.rfind(opening); at != std::string_view::npos; at = message.rfind(opening, at - 1)) {
    if (at == 0 || message.substr(0, at).ends_with(kBetween)) return at;
  }
  return std::string_view::npos;
}

/// Line breaks become blanks, of which none stand at the ends.
std::string one_line(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  const size_t first = out.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return out.substr(first, out.find_last_not_of(' ') + 1 - first);
}

/// What the NPU's file says, if it is one of these words, with its clause.
bool take_from_npu(const Told& npu, std::initializer_list<Assessment> words, Explained& out) {
  const Assessment word = outcome::assessment_of(npu.status, npu.message);
  if (std::find(words.begin(), words.end(), word) == words.end()) return false;
  const size_t at = clause_at(word, npu.message);
  if (at == std::string_view::npos) return false;
  out = {word, one_line(npu.message.substr(at)), {}};
  return true;
}

bool equal(FigureCell npu, FigureCell gpu) {
  return npu.is_number() && gpu.is_number() &&
         (npu.value == gpu.value || (std::isnan(npu.value) && std::isnan(gpu.value)));
}

/// nan is worse than all, and not than itself.
bool is_worse(Figure figure, FigureCell npu, FigureCell gpu) {
  if (equal(npu, gpu)) return false;
  if (!npu.is_number() || !gpu.is_number()) return true;
  const double a = std::abs(npu.value), b = std::abs(gpu.value);
  return !(figure == Figure::kThousandth ? a >= b : a <= b);
}

/// True when each figure that failed has the property, and some are there on the GPU.
template <class Property>
bool all_failed(const Sides& sides, const std::vector<Finding>& findings, const Property& property) {
  bool any = false;
  for (const Finding& f : findings) {
    const FigureCell npu = sides.subject.npu[f.source], gpu = sides.subject.gpu[f.source];
    if (!f.failed() || !gpu.is_number()) continue;
    any = true;
    if (!property(f.source, npu, gpu)) return false;
  }
  return any;
}

std::string six_digits(double value) {
  return fmt::format("{:.6g}", value);
}

/// `suspect: 均方根误差 0.004, the GPU's 0.001`: the first figure that failed.
std::string suspicion(const Sides& sides, const std::vector<Finding>& findings) {
  const std::string opening(outcome::rule_of(Assessment::kSuspect).opening);
  const auto failed = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) {
    return f.failed() && !equal(sides.subject.npu[f.source], sides.subject.gpu[f.source]);
  });
  if (failed == findings.end()) return opening + "nothing explains it";
  const FigureCell npu = sides.subject.npu[failed->source], gpu = sides.subject.gpu[failed->source];
  if (!gpu.is_number())
    return fmt::format("{}{} {}, and the GPU's is blank", opening, name_of(failed->source), six_digits(npu.value));
  const std::string a = six_digits(npu.value), b = six_digits(gpu.value);
  return a != b ? fmt::format("{}{} {}, the GPU's {}", opening, name_of(failed->source), a, b)
                : fmt::format("{}{} {}, the GPU's {}", opening, name_of(failed->source), npu.value, gpu.value);
}

/// By the plain ratios of 标杆比对法, without a floor: what the GPU shares is not the NPU's fault.
bool gpu_is_no_better(const Subject& subject) {
  const config::LevelLimits& limits = subject.standards.levels[static_cast<size_t>(subject.level)];
  for (const auto& [figure, limit] :
       {std::pair(Figure::kSmallValueErrorRate, limits.small_value_ratio), std::pair(Figure::kRmse, limits.rmse_ratio),
        std::pair(Figure::kMaxRelative, limits.max_relative_ratio),
        std::pair(Figure::kMeanRelative, limits.mean_relative_ratio)}) {
    const FigureCell npu = subject.npu[figure], gpu = subject.gpu[figure];
    if (!npu.is_number() || !gpu.is_number()) return false;
    const Agreement how = agreement(npu.value, gpu.value);
    if (how == Agreement::kDiffer || (how == Agreement::kFinite && beyond(npu.value, gpu.value, limit))) return false;
  }
  return true;
}

/// The Message without its assessment.
std::string base_message(const Told& told) {
  std::string_view message = told.message;
  const size_t at = clause_at(outcome::assessment_of(told.status, message), message);
  if (at != std::string_view::npos) message = message.substr(0, at < kBetween.size() ? 0 : at - kBetween.size());
  return one_line(message);
}

/// The same was found wrong on both sides, in as many elements.
bool same_message(const Sides& sides) {
  const FigureCell npu = sides.subject.npu[Figure::kInfNanErrorRate], gpu = sides.subject.gpu[Figure::kInfNanErrorRate];
  const std::string message = base_message(sides.npu);
  return !message.empty() && message == base_message(sides.gpu) && (npu.kind == gpu.kind) &&
         (!npu.is_number() || equal(npu, gpu));
}

bool same_everywhere(const Subject& subject) {
  bool any = false;
  for (const Figure figure : needed_figures()) {
    const FigureCell npu = subject.npu[figure], gpu = subject.gpu[figure];
    if (npu.kind != gpu.kind || (npu.is_number() && !equal(npu, gpu))) return false;
    any |= npu.is_number();
  }
  return any;
}

}  // namespace

Explained assess_pass(const Sides& sides) {
  Explained explained{Assessment::kFine, {}, {}};
  if (sides.npu.message.find(outcome::rule_of(Assessment::kSuspect).opening) == std::string_view::npos)
    return explained;
  Explained suspect;
  if (!take_from_npu(sides.npu, {Assessment::kSuspect}, suspect)) return explained;
  if (!gpu_is_no_better(sides.subject)) return suspect;
  explained.note = "suspect in the NPU's file, and the GPU is no better";
  return explained;
}

Explained assess_error(const Sides& sides, const std::vector<Finding>& findings) {
  const std::string same(outcome::rule_of(Assessment::kAsTheGpu).opening);
  // A share that both sides exhaust (all elements wrong) says nothing of how wrong they are.
  Explained suspect;
  if (take_from_npu(sides.npu, {Assessment::kSuspect}, suspect) && !gpu_is_no_better(sides.subject)) return suspect;
  if (all_failed(sides, findings, [](Figure, FigureCell npu, FigureCell gpu) { return equal(npu, gpu); }))
    return {Assessment::kAsTheGpu, same, {}};
  Explained explained;
  if (take_from_npu(sides.npu, {Assessment::kRounding, Assessment::kArithmetic, Assessment::kCancellation}, explained))
    return explained;
  if (all_failed(sides, findings,
                 [](Figure figure, FigureCell npu, FigureCell gpu) { return !is_worse(figure, npu, gpu); }))
    return {Assessment::kAsTheGpu, same + " or a worse one", {}};
  if (take_from_npu(sides.npu, {Assessment::kSuspect}, explained)) return explained;
  // Held against the CPU it was fine: the GPU is better than it need be, and nothing speaks of a fault.
  if (sides.npu.assessed && outcome::assessment_of(sides.npu.status, sides.npu.message) == Assessment::kFine)
    return {Assessment::kArithmetic,
            std::string(outcome::rule_of(Assessment::kArithmetic).opening) +
                "the NPU's file, where it passes without a suspect",
            {}};
  return {Assessment::kSuspect, suspicion(sides, findings), {}};
}

Explained assess_error_beside_figures(const Sides& sides) {
  if (sides.gpu.status == Status::kError && (same_everywhere(sides.subject) || same_message(sides)))
    return {Assessment::kAsTheGpu, std::string(outcome::rule_of(Assessment::kAsTheGpu).opening), {}};
  Explained explained;
  if (take_from_npu(sides.npu,
                    {Assessment::kRounding, Assessment::kArithmetic, Assessment::kCancellation, Assessment::kSuspect},
                    explained))
    return explained;
  const std::string opening(outcome::rule_of(Assessment::kSuspect).opening);
  const std::string_view status = outcome::status_text(sides.gpu.status);
  const bool known = sides.gpu.status != Status::kBlank && sides.gpu.status != Status::kError;
  return {Assessment::kSuspect,
          opening + (known ? fmt::format("the GPU's Status is {}", status) : std::string("nothing explains it")),
          {}};
}

std::string gpu_is_wrong_too(const Sides& sides, const std::vector<Finding>& findings) {
  if (sides.gpu.status != Status::kError) return "";
  // Its clauses must not be taken for those of this output.
  std::string why = one_line(sides.gpu.message);
  for (size_t at; (at = why.find(kBetween)) != std::string::npos;) why.replace(at, 1, ",");
  for (const Finding& f : findings) {
    if (!sides.gpu.message.empty() || !f.failed()) continue;
    const FigureCell gpu = sides.subject.gpu[f.source];
    if (!gpu.is_number()) continue;
    why += fmt::format("{}{} {}", why.empty() ? "" : ", ", name_of(f.source), six_digits(gpu.value));
  }
  return "the GPU is wrong too: " + (why.empty() ? "its Status is error" : why);
}

std::string message_without_clause(const Told& npu) {
  std::string text = base_message(npu);
  return text.empty() ? "Status is error in the NPU's file" : text;
}

}  // namespace msprobe::compare
