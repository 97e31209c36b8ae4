#include "diff/rows.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "report/csv_reader.h"
#include "util/error.h"
#include "util/one_line.h"

namespace msprobe::diff {
namespace {

using outcome::Status;
using report::CellKind;

// Nans that no text is read as: a byte a cell less than kinds beside the values.
constexpr uint64_t kBlank = 0x7FF8'0000'0000'B1A7, kUnreadable = 0x7FF8'0000'0000'BAD0;

double packed(const report::FigureCell& cell) {
  if (cell.is_number()) return cell.value;
  return std::bit_cast<double>(cell.kind == CellKind::kBlank ? kBlank : kUnreadable);
}

report::FigureCell unpacked(double value) {
  if (!std::isnan(value)) return {CellKind::kNumber, value};
  const auto bits = std::bit_cast<uint64_t>(value);
  if (bits == kBlank) return {CellKind::kBlank, 0};
  if (bits == kUnreadable) return {CellKind::kUnreadable, 0};
  return {CellKind::kNumber, value};
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

/// Takes the rows of one file.
class Rows::Reader {
 public:
  explicit Reader(Rows& rows) : rows_(rows) {}

  void take(const report::Table& header, const std::vector<std::string_view>& cells, uint32_t line) {
    if (name_ < 0) find_columns(header);
    const auto text = [&](int column) {
      return column >= 0 && static_cast<size_t>(column) < cells.size() ? cells[static_cast<size_t>(column)]
                                                                       : std::string_view();
    };
    const std::string_view name = text(name_);
    const auto where = [&](uint32_t at) { return fmt::format("{}:{}", header.path, at); };
    if (is_blank(name)) throw Error(where(line), "API Name is blank", "leave the row out");
    if (const uint32_t before = rows_.find(name); before != util::NameIndex::kNone)
      throw Error(where(line), fmt::format("{} stands on line {} already", util::one_line(name), lines_[before]),
                  "keep the row that is meant");
    rows_.add(name, text(dtype_), report::read_status(text(status_)), text(message_));
    lines_.push_back(line);
    for (const int column : columns_) rows_.values_.push_back(packed(report::read_figure(text(column))));
  }

 private:
  void find_columns(const report::Table& header) {
    name_ = header.column("API Name");
    dtype_ = header.column("DEVICE Dtype");
    status_ = header.column("Status");
    message_ = header.column("Message");
    for (size_t i = 0; i < outcome::kFigureColumns.size(); ++i) {
      const int column = header.column(outcome::kFigureColumns[i]);
      if (column < 0) continue;
      columns_.push_back(column);
      rows_.kept_.push_back(static_cast<outcome::Figure>(i));
      rows_.has_[i] = true;
    }
  }

  Rows& rows_;
  int name_ = -1, dtype_ = -1, status_ = -1, message_ = -1;
  std::vector<int> columns_;  ///< of the figures that are kept
  std::vector<uint32_t> lines_;
};

void Rows::add(std::string_view name, std::string_view dtype, Status status, std::string_view message) {
  names_.insert(text_.keep(name));
  uint32_t word = words_.find(dtype);
  if (word == util::NameIndex::kNone) {
    word = static_cast<uint32_t>(words_.size());
    words_.insert(text_.keep(dtype));
  }
  dtypes_.push_back(word);
  Verdict verdict{status, outcome::assessment_of(status, message), outcome::Reason::kNone};
  if (status == Status::kSkip) verdict.reason = outcome::reason_of(message);
  const bool passed = status == Status::kPass,
             judged = passed || status == Status::kWarning || status == Status::kError;
  not_passed_ += judged && !passed;
  told_ +=
      judged && verdict.assessment != outcome::Assessment::kNone && verdict.assessment != outcome::Assessment::kFine;
  const bool kept = !is_blank(message) && !(passed && verdict.assessment == outcome::Assessment::kFine);
  messages_.push_back(kept ? text_.keep(message) : std::string_view());
  verdicts_.push_back(verdict);
}

Rows Rows::read(const std::string& path) {
  Rows rows;
  Reader reader(rows);
  report::read_rows(path, {"API Name", "Status"},
                    [&](const report::Table& header, const std::vector<std::string_view>& cells, uint32_t line) {
                      reader.take(header, cells, line);
                    });
  return rows;
}

report::Figures Rows::figures(uint32_t row) const {
  report::Figures figures;
  auto value = values_.begin() + static_cast<std::ptrdiff_t>(row * kept_.size());
  for (const outcome::Figure figure : kept_) figures.set(figure, unpacked(*value++));
  return figures;
}

}  // namespace msprobe::diff
