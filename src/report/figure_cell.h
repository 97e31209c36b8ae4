// Figures and verdicts as cells hold them.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "outcome/row.h"

namespace msprobe::report {

enum class CellKind : uint8_t { kBlank, kNumber, kUnreadable };

struct FigureCell {
  CellKind kind = CellKind::kBlank;
  double value = 0;
  bool is_number() const { return kind == CellKind::kNumber; }
};

/// A number as our writer, Python and spreadsheets write it: `0`, `-0.5`, `1E-05`, `1.5e+3`, `inf`, `-Infinity`, `nan`
/// (any case), with a decimal comma (`0,5`), with blanks around it. Too large is inf, too small is 0. Nothing but
/// blanks is blank; anything else (`abc`, `0x1p-3`, `1,234.5`, `#DIV/0!`) is unreadable.
FigureCell read_figure(std::string_view text);

/// What MindStudio's reader (pandas) takes for nan beyond that: `N/A`, `NULL`, `None`, ...
bool is_missing_value_of_pandas(std::string_view text);

/// `pass`, `warning`, `error`, `SKIP`; anything else is blank.
outcome::Status read_status(std::string_view cell);

/// The figures of one row.
class Figures {
 public:
  FigureCell operator[](outcome::Figure figure) const {
    const size_t i = static_cast<size_t>(figure);
    return {kinds_[i], values_[i]};
  }
  void set(outcome::Figure figure, FigureCell cell) {
    const size_t i = static_cast<size_t>(figure);
    kinds_[i] = cell.kind;
    values_[i] = cell.value;
  }

 private:
  std::array<double, outcome::kFigureCount> values_{};
  std::array<CellKind, outcome::kFigureCount> kinds_{};
};

}  // namespace msprobe::report
