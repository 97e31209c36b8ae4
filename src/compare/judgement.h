// What is judged, and what came out of it: the two things that pass through an algorithm of api_precision_compare.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/columns.h"
#include "compare/figure_cell.h"
#include "config/standards.h"
#include "outcome/row.h"

namespace msprobe::compare {

enum class DtypeClass { kHalf, kSingle, kFloat8 };  ///< float16 and bfloat16; float32 and all others; float8

/// An output, its figures on both sides, and the limits that hold for it.
struct Subject {
  const Figures& npu;
  const Figures& gpu;
  std::string_view dtype;  ///< of the NPU: `torch.float16`
  DtypeClass dtype_class;
  int level;           ///< 0 to 2
  double ratio_floor;  ///< smallest denominator of a ratio
  const config::Standards& standards;

  /// The limit of `by_dtype` for this dtype; float32's where it has none.
  double limit_of(const std::map<std::string, double, std::less<>>& by_dtype) const;
};

/// Why a figure failed, or what is to be known of one that passed.
struct Finding {
  enum class Kind {
    kAbove,        ///< value > limit
    kNotBelow,     ///< value >= limit
    kNotAbove,     ///< value <= limit
    kNotBelowGpu,  ///< value >= limit, which comes from the GPU's figure
    kSidesDiffer,  ///< inf or nan on one side: value on the NPU, limit on the GPU
    kSidesAgree,   ///< the same inf or nan on both
    kFloor,        ///< passed because the GPU's figure is below `limit`, the floor: value is the plain ratio
  };
  Kind kind;
  outcome::Figure source;   ///< of the details files, from which `value` comes
  std::string_view figure;  ///< column name
  double value, limit;
  int level = -1;       ///< -1: the limit does not depend on it
  bool counted = true;  ///< false: shown, without effect on the verdict

  bool failed() const { return counted && kind != Kind::kSidesAgree && kind != Kind::kFloor; }
};

class Judgement {
 public:
  /// A cell of the details row: blank, a figure, or a verdict.
  struct Cell {
    enum class Kind : uint8_t { kBlank, kFigure, kVerdict } kind = Kind::kBlank;
    outcome::Status verdict = outcome::Status::kBlank;
    double figure = 0;
  };

  void set(Column column, double figure) { cell(column) = {Cell::Kind::kFigure, {}, figure}; }
  void set(Column column, outcome::Status verdict) { cell(column) = {Cell::Kind::kVerdict, verdict, 0}; }
  /// pass or error beside a figure.
  void set_verdict(Column column, bool passes) {
    set(column, passes ? outcome::Status::kPass : outcome::Status::kError);
  }
  const Cell& operator[](Column column) const { return cells_[static_cast<size_t>(column)]; }

  void find(Finding finding) { findings.push_back(finding); }
  /// MindStudio's words for what was found, in its order.
  void say(std::string_view before, std::string_view after = "") { mindstudio_message.append(before).append(after); }

  outcome::Status status = outcome::Status::kPass;
  std::vector<Finding> findings;
  std::string mindstudio_message;

 private:
  Cell& cell(Column column) { return cells_[static_cast<size_t>(column)]; }
  std::array<Cell, kColumnCount> cells_{};
};

/// `均方根误差比值 40 > 2 (L0); ...`: all findings, one line; `only_failures`: those that decided the verdict.
std::string findings_text(const std::vector<Finding>& findings, bool only_failures = false);

}  // namespace msprobe::compare
