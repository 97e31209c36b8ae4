// The table of figures: which columns a row has, and the formula that turns the sums of one pass into each of them.
// docs/figures.md derives every one, and says how to add one (docs/figures.md#adding-a-figure).
#pragma once
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "config/standards.h"
#include "metrics/dtype.h"
#include "metrics/partial.h"
#include "outcome/row.h"

namespace msprobe::metrics {

/// What is compared, as far as figures and verdicts depend on it.
struct Subject {
  const Dtype& golden;
  const Dtype& device;
  config::Profile profile;
  config::Algorithm algorithm;              ///< of the API, by name
  std::optional<config::Algorithm> filled;  ///< profile mindstudio: whose columns it fills for this pair
  bool ulp = false;                         ///< the device's dtype has a ULP limit
  bool single = false;                      ///< profile mindstudio: numpy's figures are float32
  const Dtype* computed_in = nullptr;       ///< whose numbers the device's are, widened; null: those of `device`

  /// Whose limits, share rule and units in the last place judge the device's numbers.
  const Dtype& judged_as() const { return computed_in != nullptr ? *computed_in : device; }
  bool mindstudio() const { return profile == config::Profile::kMindstudio; }
};

/// Which figures belong together (docs/figures.md#which-columns-are-filled): those of Status, and those of each
/// precision standard.
enum class Group { kStatus, kBinary, kBenchmark, kAbsolute, kUlp };

struct FigureRule {
  outcome::Figure figure;
  Group group;
  /// nullopt where it is not defined for these numbers.
  std::optional<double> (*finish)(const Partial& sums, const Subject& subject);
};

/// By column.
extern const std::array<FigureRule, outcome::kFigureCount> kFigures;

/// Does a row of this subject have the figures of `group`?
bool fills(Group group, const Subject& subject);

/// All figures that the subject's row has.
void finish(const Partial& sums, const Subject& subject, outcome::Row& row);

/// 余弦相似度 and whether its rule is met apart from the threshold (docs/figures.md#the-figures): blank or nan values
/// decide by themselves.
struct Cosine {
  std::optional<double> value;
  bool reached = true;   ///< of a blank value
  std::string_view why;  ///< of a blank value
};
Cosine cosine(const Partial& sums, const Subject& subject);

/// The double that is written with the digits that numpy prints for this float32.
double as_numpy_prints(double single);

}  // namespace msprobe::metrics
