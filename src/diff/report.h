// What two runs of one dump differ in, as values: screens and files are drawn from these.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "outcome/row.h"
#include "report/figure_cell.h"
#include "report/run_options.h"

namespace msprobe::diff {

/// What became of an output, or of an API, from OLD to NEW.
enum class Change : uint8_t {
  kSame,
  kMoved,    ///< the same verdict and assessment, and a figure that moved (docs/diff.md#figures-that-moved)
  kChanged,  ///< neither better nor worse: an error that cannot be checked any more, rounding that became arithmetic
  kBetter,
  kWorse,
  kOnlyOld,
  kOnlyNew,
};
constexpr size_t kChangeCount = 7;
/// "same", "moved", "changed", "better", "worse", "only in OLD", "only in NEW".
std::string_view text_of(Change change);

struct Verdict {
  outcome::Status status = outcome::Status::kBlank;
  outcome::Assessment assessment = outcome::Assessment::kNone;
  outcome::Reason reason = outcome::Reason::kNone;  ///< of SKIP
  bool operator==(const Verdict&) const = default;
};

/// "error, suspect"; "SKIP, crashed"; "none" for blank.
std::string text_of(const Verdict& verdict);

struct MovedFigure {
  outcome::Figure figure;
  report::FigureCell before, after;
  double times = 1;    ///< larger distance by smaller one; inf: from or to 0, blank, inf or nan
  bool worse = false;  ///< NEW is farther from exact

  /// `最大绝对误差 1e-05 -> 0.25 (25000 times)`
  std::string text() const;
};

/// An output that is not the same in both.
struct ChangedRow {
  std::string place;  ///< "step0/rank1"; empty where each side is one result
  std::string name;   ///< `Torch.mul.0.forward.output.0`
  std::string dtype;  ///< of the device, NEW's where it is there
  Change change = Change::kSame;
  Verdict before, after;
  std::vector<MovedFigure> moved;  ///< what moved most first
  std::string message;             ///< NEW's; of a row in OLD alone, OLD's
};

/// Two results that were compared.
struct PairOfResults {
  std::string place, old_path, new_path;              ///< details files
  std::vector<report::OptionDifference> differences;  ///< options on which rows depend: another dump, seed, profile
  bool options_known = false;                         ///< of both
  bool old_assessed = true, new_assessed = true;      ///< false: its rows hold no assessments, and suspects say nothing
};

using Counts = std::array<int64_t, kChangeCount>;

struct DiffReport {
  std::vector<PairOfResults> pairs;
  std::vector<std::string> places_only_old, places_only_new;  ///< ranks that one side lacks
  Counts apis{}, outputs{};                                   ///< by Change
  /// By Change, worst first: the first kKept of each.
  std::array<std::vector<ChangedRow>, kChangeCount> rows;
  std::string csv_path;  ///< empty: none was asked for

  static constexpr size_t kKept = 1000;
  int64_t count(Change change) const { return outputs[static_cast<size_t>(change)]; }
  /// Outputs that stand in both.
  int64_t compared() const;
};

/// Whether `a` is told before `b`: errors, suspects, then what moved most; by name where these are equal.
bool weighs_more(const ChangedRow& a, const ChangedRow& b);

}  // namespace msprobe::diff
