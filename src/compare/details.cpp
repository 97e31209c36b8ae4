#include "compare/details.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "compare/registry.h"
#include "report/file_names.h"
#include "util/error.h"
#include "util/one_line.h"

namespace msprobe::compare {
namespace {

using outcome::Figure;

namespace fs = std::filesystem;

constexpr size_t kMostNamed = 10;  // in one message

std::string_view figure_name(Figure figure) {
  return outcome::kFigureColumns[static_cast<size_t>(figure)];
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// A name and where it stands.
struct Named {
  std::string_view name;
  uint32_t line;
};

/// Names of the rows, each there once.
util::NameIndex index_names(const std::string& path, const std::vector<Named>& rows) {
  util::NameIndex index(rows.size());
  std::vector<std::string> twice;
  size_t repeated = 0;
  for (const Named& row : rows) {
    if (is_blank(row.name))
      throw Error(fmt::format("{}:{}", path, row.line), "API Name is blank",
                  "give the name of the output, or leave the row out");
    // The positions of the index are those of the rows as long as nothing is repeated, and then an error is due.
    if (index.insert(row.name) == util::NameIndex::kNone || ++repeated > kMostNamed) continue;
    const auto first =
        std::find_if(rows.begin(), rows.end(), [&](const Named& other) { return other.name == row.name; });
    twice.push_back(fmt::format("{} (lines {} and {})", util::one_line(row.name), first->line, row.line));
  }
  if (repeated > kMostNamed) twice.push_back(fmt::format("and {} more rows", repeated - kMostNamed));
  if (repeated > 0)
    throw Error(path, fmt::format("the same output stands in several rows: {}", fmt::join(twice, ", ")),
                "keep the row that is meant");
  return index;
}

/// `text_of(column)`: the cell of the row; "" where the row is too short.
template <class Cells>
Figures figures_of(const Cells& text_of, const DetailsColumns& columns, config::Profile profile) {
  constexpr FigureCell kNan = {CellKind::kNumber, std::numeric_limits<double>::quiet_NaN()};
  const bool mindstudio = profile == config::Profile::kMindstudio;
  Figures figures;
  bool spaces = false, empty = false;
  for (const auto& [figure, column] : columns.figures) {
    const std::string_view text = text_of(column);
    FigureCell cell = read_figure(text);
    spaces |= text == " ";
    empty |= text.empty();
    if (mindstudio && cell.kind == CellKind::kUnreadable && is_missing_value_of_pandas(text)) cell = kNan;
    figures.set(figure, cell);
  }
  if (mindstudio && spaces && empty)
    for (const auto& [figure, column] : columns.figures)
      if (text_of(column).empty()) figures.set(figure, kNan);
  return figures;
}

/// Cells that a row must have: to the last column that verdicts depend on. What may follow (Message) may be left out.
size_t least_cells(const DetailsColumns& columns) {
  int last = std::max(columns.name, columns.dtype);
  for (const auto& [figure, column] : columns.figures) last = std::max(last, column);
  return static_cast<size_t>(last) + 1;
}

/// A last line without a line break: was the file cut off inside it? A figure that lacks digits is another figure.
class FileEnd {
 public:
  void note(size_t cells, uint32_t line) {
    cells_ = cells;
    line_ = line;
  }
  void check(const report::Table& table, size_t least) const {
    if (!table.ends_openly || line_ == 0) return;
    const std::string where = fmt::format("{}:{}", table.path, line_);
    if (cells_ <= least)
      throw Error(
          where,
          fmt::format("the last row ends behind its cell {} of {}, {}, without a line break, so that digits of it "
                      "may be missing",
                      cells_, table.columns.size(), util::one_line(table.columns[cells_ - 1])),
          "the file is cut off there: copy it again, or take the row out");
    spdlog::warn("{}: the file ends without a line break: it may have been cut off there, with rows missing", where);
  }

 private:
  size_t cells_ = 0;
  uint32_t line_ = 0;
};

/// Cells that are not there are no blanks: blanks have a meaning.
void require_cells(const report::Table& table, size_t cells, size_t least, uint32_t line) {
  if (cells >= least) return;
  throw Error(fmt::format("{}:{}", table.path, line),
              fmt::format("the row has {} cells, expected {}, so that {} is missing", cells, table.columns.size(),
                          util::one_line(table.columns[cells])),
              "the file is cut off there, or was changed: copy it again, or take the row out");
}

}  // namespace

DetailsColumns::DetailsColumns(const report::Table& table, const std::vector<Figure>& wanted)
    : name(table.column("API Name")),
      dtype(table.column("DEVICE Dtype")),
      shape(table.column("Shape")),
      status(table.column("Status")),
      message(table.column("Message")),
      max_abs(table.column(figure_name(Figure::kMaxAbs))) {
  for (const Figure figure : wanted) figures.emplace_back(figure, table.column(figure_name(figure)));
}

std::vector<std::string> required_columns() {
  std::vector<std::string> columns = {"API Name", "DEVICE Dtype"};
  for (const Figure figure : needed_figures()) columns.emplace_back(figure_name(figure));
  return columns;
}

Figures read_figures(const report::TableRow& row, const DetailsColumns& columns, config::Profile profile) {
  return figures_of([&](int column) { return row[column]; }, columns, profile);
}

std::string_view NpuDetails::text(const report::TableRow& row, Figure figure) const {
  for (const auto& [known, column] : columns.figures)
    if (known == figure) return row[column];
  return {};
}

Told NpuDetails::told(const report::TableRow& row) const {
  return {read_status(row[columns.status]), row[columns.message], row[columns.shape], row[columns.dtype], assessed};
}

Figures GpuDetails::figures(uint32_t row) const {
  Figures figures;
  const auto first = static_cast<std::ptrdiff_t>(row * kept_.size());
  auto value = values_.begin() + first;
  auto kind = kinds_.begin() + first;
  for (const Figure figure : kept_) figures.set(figure, {*kind++, *value++});
  return figures;
}

namespace {

/// Up to the first that is found.
bool holds_assessments(const report::Table& table, const DetailsColumns& columns) {
  if (columns.message < 0) return false;
  for (const report::TableRow row : table.rows) {
    const auto word = outcome::assessment_of(outcome::Status::kError, row[columns.message]);
    if (word != outcome::Assessment::kNone) return true;
  }
  return false;
}

}  // namespace

NpuDetails read_npu_details(const std::string& path) {
  report::TableRows rows;
  std::optional<size_t> least;
  FileEnd end;
  const auto read = [&](const report::Table& header, const std::vector<std::string_view>& cells, uint32_t line) {
    if (!least) least = least_cells(DetailsColumns(header, needed_figures()));
    require_cells(header, cells.size(), *least, line);
    end.note(cells.size(), line);
    rows.append(cells, header.columns.size(), line);
  };
  report::Table table = report::read_rows(path, required_columns(), read);
  end.check(table, least.value_or(0));
  table.rows = std::move(rows);
  const DetailsColumns columns(table, needed_figures());
  std::vector<Named> names;
  names.reserve(table.rows.size());
  for (const report::TableRow row : table.rows) names.push_back({row[columns.name], row.line()});
  util::NameIndex index = index_names(path, names);
  const bool assessed = holds_assessments(table, columns);
  return {std::move(table), columns, std::move(index), assessed};
}

GpuDetails read_gpu_details(const std::string& path, config::Profile profile) {
  const bool mindstudio = profile == config::Profile::kMindstudio;
  GpuDetails gpu;
  gpu.kept_ = mindstudio ? needed_figures(Side::kGpu) : needed_figures();
  std::vector<Named> names;
  std::optional<DetailsColumns> columns;
  size_t least = 0;
  FileEnd end;
  const auto read = [&](const report::Table& header, const std::vector<std::string_view>& cells, uint32_t line) {
    if (!columns) {
      columns.emplace(header, gpu.kept_);
      least = least_cells(*columns);
    }
    require_cells(header, cells.size(), least, line);
    end.note(cells.size(), line);
    const auto text_of = [&](int column) {
      return column >= 0 && static_cast<size_t>(column) < cells.size() ? cells[static_cast<size_t>(column)]
                                                                       : std::string_view();
    };
    names.push_back({gpu.text_.keep(text_of(columns->name)), line});
    if (!mindstudio)
      gpu.told_.add({read_status(text_of(columns->status)), text_of(columns->message), text_of(columns->shape),
                     text_of(columns->dtype)});
    const Figures figures = figures_of(text_of, *columns, profile);
    for (const auto& [figure, column] : columns->figures) {
      gpu.values_.push_back(figures[figure].value);
      gpu.kinds_.push_back(figures[figure].kind);
    }
    ++gpu.rows_;
  };
  end.check(report::read_rows(path, required_columns(), read), least);
  gpu.names_ = index_names(path, names);
  return gpu;
}

std::string only_details_file(const std::string& folder, const std::string& option) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (report::is_details_name(name)) found.push_back(name);
  }
  if (error)
    throw Error(option, fmt::format("left out, and the folder {} cannot be read: {}", folder, error.message()),
                fmt::format("name the file with {} FILE", option));
  if (found.size() == 1) return (fs::path(folder) / found[0]).lexically_normal().string();
  std::sort(found.begin(), found.end());
  if (found.empty())
    throw Error(option, fmt::format("left out, and {} holds no accuracy_checking_details_*.csv", folder),
                fmt::format("name the file with {} FILE", option));
  const size_t count = found.size();
  if (count > kMostNamed) found.resize(kMostNamed), found.emplace_back("...");
  throw Error(option, fmt::format("left out, and {} holds {} details files: {}", folder, count, fmt::join(found, ", ")),
              fmt::format("name the one that is meant with {} FILE", option));
}

}  // namespace msprobe::compare
