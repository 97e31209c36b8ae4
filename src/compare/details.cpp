#include "compare/details.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "compare/registry.h"
#include "util/error.h"

namespace msprobe::compare {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostNamed = 10;  // in one message

std::string_view figure_name(metrics::Figure figure) {
  return metrics::kFigureColumns[static_cast<size_t>(figure)];
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// Names of the rows, each there once.
NameIndex index_names(const report::Table& table, int name_column, const std::vector<std::string_view>& names) {
  NameIndex index(table.rows.size());
  std::vector<std::string> twice;
  size_t repeated = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (is_blank(names[i]))
      throw Error(fmt::format("{}:{}", table.path, table.rows[i].line()), "API Name is blank",
                  "give the name of the output, or leave the row out");
    // The positions of the index are those of the rows as long as nothing is repeated, and then an error is due.
    const uint32_t known = index.insert(names[i]);
    if (known == NameIndex::kNone) continue;
    if (++repeated > kMostNamed) continue;
    const auto first = std::find(names.begin(), names.end(), names[i]) - names.begin();
    twice.push_back(fmt::format("{} (lines {} and {})", names[i], table.rows[static_cast<size_t>(first)].line(),
                                table.rows[i].line()));
  }
  if (repeated > kMostNamed) twice.push_back(fmt::format("and {} more rows", repeated - kMostNamed));
  if (repeated > 0)
    throw Error(table.path, fmt::format("the same output stands in several rows: {}", fmt::join(twice, ", ")),
                "keep the row that is meant");
  return index;
}

std::vector<std::string_view> names_of(const report::Table& table, int column) {
  std::vector<std::string_view> names;
  names.reserve(table.rows.size());
  for (const report::TableRow row : table.rows) names.push_back(row[column]);
  return names;
}

}  // namespace

DetailsColumns::DetailsColumns(const report::Table& table)
    : name(table.column("API Name")),
      dtype(table.column("DEVICE Dtype")),
      shape(table.column("Shape")),
      status(table.column("Status")),
      message(table.column("Message")) {
  for (const metrics::Figure figure : needed_figures()) figures.emplace_back(figure, table.column(figure_name(figure)));
}

std::vector<std::string> required_columns() {
  std::vector<std::string> columns = {"API Name", "DEVICE Dtype"};
  for (const metrics::Figure figure : needed_figures()) columns.emplace_back(figure_name(figure));
  return columns;
}

Figures read_figures(const report::TableRow& row, const DetailsColumns& columns, config::Profile profile) {
  constexpr FigureCell kNan = {CellKind::kNumber, std::numeric_limits<double>::quiet_NaN()};
  Figures figures;
  bool spaces = false, empty = false;
  for (const auto& [figure, column] : columns.figures) {
    const std::string_view text = row[column];
    FigureCell cell = read_figure(text);
    spaces |= text == " ";
    empty |= text.empty();
    if (cell.kind == CellKind::kUnreadable && profile == config::Profile::kMindstudio &&
        is_missing_value_of_pandas(text))
      cell = kNan;
    figures.set(figure, cell);
  }
  if (profile == config::Profile::kMindstudio && spaces && empty)
    for (const auto& [figure, column] : columns.figures)
      if (row[column].empty()) figures.set(figure, kNan);
  return figures;
}

std::string_view NpuDetails::text(const report::TableRow& row, metrics::Figure figure) const {
  for (const auto& [known, column] : columns.figures)
    if (known == figure) return row[column];
  return {};
}

std::string_view GpuDetails::skip_reason(uint32_t row) const {
  const auto found = skip_reasons_.find(row);
  return found == skip_reasons_.end() ? std::string_view() : found->second;
}

NpuDetails read_npu_details(const std::string& path) {
  report::Table table = report::read_table(path, required_columns());
  const DetailsColumns columns(table);
  NameIndex names = index_names(table, columns.name, names_of(table, columns.name));
  return {std::move(table), columns, std::move(names)};
}

GpuDetails read_gpu_details(const std::string& path, config::Profile profile) {
  const report::Table table = report::read_table(path, required_columns());
  const DetailsColumns columns(table);
  GpuDetails gpu;
  // Names leave the table before it goes.
  constexpr size_t kBlock = 1 << 20;
  std::vector<std::string_view> names;
  names.reserve(table.rows.size());
  gpu.figures_.reserve(table.rows.size());
  for (const report::TableRow row : table.rows) {
    const std::string_view name = row[columns.name];
    if (gpu.text_.empty() || gpu.text_.back().capacity() - gpu.text_.back().size() < name.size()) {
      gpu.text_.emplace_back();
      gpu.text_.back().reserve(std::max(kBlock, name.size()));
    }
    std::string& block = gpu.text_.back();
    names.emplace_back(block.data() + block.size(), name.size());
    block.append(name);
    if (columns.status >= 0 && row[columns.status] == "SKIP" && !is_blank(row[columns.message]))
      gpu.skip_reasons_.emplace(static_cast<uint32_t>(gpu.figures_.size()), row[columns.message]);
    gpu.figures_.push_back(read_figures(row, columns, profile));
  }
  gpu.names_ = index_names(table, columns.name, names);
  return gpu;
}

std::string only_details_file(const std::string& folder, const std::string& option) {
  constexpr std::string_view kBeginning = "accuracy_checking_details_", kEnding = ".csv";
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kBeginning) && name.ends_with(kEnding)) found.push_back(name);
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
