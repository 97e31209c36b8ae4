// Is this kernel wrong? The answer that an output gets beside its Status (docs/verdicts.md): a word of a closed list,
// the figures that it rests on, and where the errors lie. Plain data, free of LibTorch.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::outcome {

enum class Status : int;

/// In the order in which they weigh: an API is what its heaviest output is.
enum class Assessment : uint8_t {
  kNone,          ///< nothing was assessed: SKIP, blank, a profile that does not ask
  kFine,          ///< passed, and as good as it can be
  kUnproven,      ///< passed, and nothing could have failed
  kAsTheGpu,      ///< api_precision_compare: the GPU has the same figure
  kCancellation,  ///< the golden is all but 0
  kRounding,      ///< not passed; as good as the golden rounded to the device's dtype
  kArithmetic,    ///< not passed; as good as the CPU in the arithmetic of that dtype
  kSuspect,       ///< not passed and not explained, or passed and yet beyond both yardsticks
};

struct AssessmentRule {
  Assessment assessment;
  std::string_view word;     ///< for screens and reports: "rounding"
  std::string_view opening;  ///< what its clause of a Message begins with; empty: it has none
};
/// By value of Assessment.
constexpr std::array<AssessmentRule, 8> kAssessments = {
    {{Assessment::kNone, "", ""},
     {Assessment::kFine, "fine", ""},
     {Assessment::kUnproven, "unproven", "little evidence: "},
     {Assessment::kAsTheGpu, "as the GPU", "the GPU has the same figure"},
     {Assessment::kCancellation, "cancellation", "the golden is all but 0 here"},
     {Assessment::kRounding, "rounding", "rounding to "},
     {Assessment::kArithmetic, "arithmetic", "as the CPU in "},
     {Assessment::kSuspect, "suspect", "suspect: "}}};
constexpr size_t kAssessmentCount = kAssessments.size();

constexpr const AssessmentRule& rule_of(Assessment assessment) {
  return kAssessments[static_cast<size_t>(assessment)];
}

/// Reads an assessment again, where only a file is left: the clause of `message` (clauses lie between "; ") that opens
/// as one of the list; without any, kFine for a pass and kNone for everything else. kNone for SKIP and blank.
Assessment assessment_of(Status status, std::string_view message);

/// Errors of one candidate x (the device, or a yardstick) against the golden b, over the elements that are finite on
/// both sides; complex numbers by their modulus. docs/verdicts.md#the-yardsticks
struct Errors {
  double rms = 0;            ///< root mean square of |x - b|
  double max_relative = 0;   ///< of |x - b| / |b| over elements with |b| >= 0.001 of b's root mean square
  double mean_relative = 0;  ///< over the same elements
  double max_abs = 0;
  int64_t zeros = 0;    ///< elements that are exactly 0 where the golden rounded is not
  int64_t special = 0;  ///< elements that are inf or nan where the golden rounded is not, or the other way round
};

/// One of the elements with the largest errors.
struct WorstElement {
  std::vector<int64_t> index;
  double golden = 0, device = 0;            ///< real parts
  double golden_imag = 0, device_imag = 0;  ///< 0 unless complex
  double ulp = 0;                           ///< error in units of the last place of the golden; inf: inf or nan
};

/// Where the errors lie; gathered for outputs that are not fine (docs/verdicts.md#where-the-errors-lie).
struct Evidence {
  std::vector<int64_t> shape;
  int64_t elements = 0;
  int64_t bad = 0;                  ///< elements whose error is beyond what a yardstick explains
  std::vector<WorstElement> worst;  ///< worst first, at most 8
  /// Elements by error in ULP: exactly 0; up to 1/2; up to 1; up to 2; ... doubling; the last: inf or nan on one side.
  std::array<int64_t, 24> ulp_histogram{};
  /// For each dimension of `shape`, the share of bad elements in each of its (at most 64, equally many indices) parts.
  std::vector<std::vector<float>> along;
};

struct Assessed {
  Assessment word = Assessment::kNone;
  /// Of a suspect: the largest quotient of a figure and its limit; inf for a wrong shape, kind, count, inf or nan.
  double severity = 0;
  std::string clause;                             ///< of the Message, figures included; empty where the word has none
  std::optional<Errors> device, rounded, second;  ///< what the word rests on, where it was computed
  std::optional<Evidence> evidence;
};

}  // namespace msprobe::outcome
