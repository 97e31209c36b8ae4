// The two details files as api_precision_compare uses them.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "compare/figure_cell.h"
#include "compare/told.h"
#include "config/settings.h"
#include "report/csv_reader.h"
#include "util/name_index.h"
#include "util/text_store.h"

namespace msprobe::compare {

/// Where the columns stand. Shape, Status, Message and 最大绝对误差 may be absent.
struct DetailsColumns {
  /// `wanted`: the figures that will be read.
  DetailsColumns(const report::Table& table, const std::vector<outcome::Figure>& wanted);
  int name, dtype, shape, status, message, max_abs;
  std::vector<std::pair<outcome::Figure, int>> figures;
};

/// API Name, DEVICE Dtype, and the figures that some algorithm reads.
std::vector<std::string> required_columns();

/// The figures of a row. Profile mindstudio: as pandas reads them, which takes `N/A` and the like for nan, and an empty
/// cell too where the row's other blanks hold a space (in a file that a spreadsheet saved all blanks are empty).
Figures read_figures(const report::TableRow& row, const DetailsColumns& columns, config::Profile profile);

/// The NPU's file.
struct NpuDetails {
  report::Table table;
  DetailsColumns columns;
  util::NameIndex names;  ///< by row; views into `table`
  bool assessed = false;  ///< some Message holds an assessment

  std::string_view text(const report::TableRow& row, outcome::Figure figure) const;
  Told told(const report::TableRow& row) const;
};

/// The GPU's file: names, figures and few texts, so that both files need little more memory than one.
class GpuDetails {
 public:
  size_t size() const { return rows_; }
  /// Row of that name; util::NameIndex::kNone when there is none.
  uint32_t find(std::string_view name) const { return names_.find(name); }
  std::string_view name(uint32_t row) const { return names_.name(row); }
  /// Profile mindstudio: those alone that an algorithm reads; else also what the NPU's are told apart by.
  Figures figures(uint32_t row) const;
  /// All blank under profile mindstudio, which does not ask.
  Told told(uint32_t row) const { return told_.size() == 0 ? Told() : told_[row]; }

 private:
  friend GpuDetails read_gpu_details(const std::string& path, config::Profile profile);

  util::TextStore text_;  ///< holds the names
  util::NameIndex names_;
  size_t rows_ = 0;
  std::vector<outcome::Figure> kept_;
  std::deque<double> values_;  ///< of kept_, row by row
  std::deque<CellKind> kinds_;
  ToldRows told_;
};

/// Both throw Error: unreadable, required columns missing (all are named), a row without a name, duplicate names (with
/// the lines on which they stand).
NpuDetails read_npu_details(const std::string& path);
GpuDetails read_gpu_details(const std::string& path, config::Profile profile);

/// -npu or -gpu left out: the one accuracy_checking_details_*.csv of `folder`. Throws Error when there are none or
/// several.
std::string only_details_file(const std::string& folder, const std::string& option);

}  // namespace msprobe::compare
