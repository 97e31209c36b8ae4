// The rows of one details file, kept small: what is compared of an output.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "diff/report.h"
#include "report/figure_cell.h"
#include "util/name_index.h"
#include "util/text_store.h"

namespace msprobe::diff {

class Rows {
 public:
  /// Throws Error: unreadable, no API Name or Status column, a row without a name, a name twice (with the lines).
  static Rows read(const std::string& path);

  size_t size() const { return verdicts_.size(); }
  std::string_view name(uint32_t row) const { return names_.name(row); }
  /// util::NameIndex::kNone when there is none.
  uint32_t find(std::string_view name) const { return names_.find(name); }
  Verdict verdict(uint32_t row) const { return verdicts_[row]; }
  std::string_view dtype(uint32_t row) const { return words_.name(dtypes_[row]); }
  /// Of rows that did not simply pass; "" for others.
  std::string_view message(uint32_t row) const { return messages_[row]; }
  report::Figures figures(uint32_t row) const;
  /// By Figure, whether the file has the column.
  const std::array<bool, outcome::kFigureCount>& has_figure() const { return has_; }
  /// False when rows did not pass and none of them says what it is: the run gave no assessments.
  bool assessed() const { return not_passed_ == 0 || told_ > 0; }

 private:
  class Reader;
  void add(std::string_view name, std::string_view dtype, outcome::Status status, std::string_view message);

  util::TextStore text_;
  util::NameIndex names_, words_;  ///< of rows; dtypes
  std::vector<Verdict> verdicts_;
  std::vector<uint32_t> dtypes_;
  std::vector<std::string_view> messages_;
  std::vector<outcome::Figure> kept_;  ///< the columns there are
  std::array<bool, outcome::kFigureCount> has_{};
  std::deque<double> values_;  ///< of kept_, row by row; blank and unreadable cells are certain nans
  size_t not_passed_ = 0, told_ = 0;
};

}  // namespace msprobe::diff
