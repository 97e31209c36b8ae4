#include "diff/changes_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "report/csv_writer.h"
#include "report/file_names.h"
#include "util/timestamp.h"
#include "util/utf8.h"
#include "util/write_error.h"

namespace msprobe::diff {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBlock = 1 << 20;

std::string number(const report::FigureCell& cell) {
  if (cell.kind == report::CellKind::kBlank) return "";
  return cell.is_number() ? fmt::format("{:.9g}", cell.value) : "unreadable";
}

}  // namespace

ChangesFile::ChangesFile(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error && !fs::is_directory(folder)) {
    const std::string what = "folder " + folder + " cannot be made: " + error.message();
    if (util::wants_room(error.value())) throw WriteError("-o", what, "free some space, or name another one");
    throw Error("-o", what, "name another one");
  }
  std::string time = util::timestamp_now();
  const auto path = [&] { return (fs::path(folder) / report::diff_name(time)).string(); };
  while (fs::exists(fs::symlink_status(path(), error))) time = util::next_second(time);
  path_ = path();
  file_ = std::make_unique<util::AtomicFile>(path_);
  file_->write(util::kUtf8Mark);
  file_->write(
      report::csv_row({"Place", "API Name", "DEVICE Dtype", "Change", "OLD Status", "NEW Status", "OLD Assessment",
                       "NEW Assessment", "Figure", "OLD Value", "NEW Value", "Times", "Moved", "Message"}));
}

void ChangesFile::add(const ChangedRow& row) {
  std::vector<std::string> cells = {row.place, row.name, row.dtype, std::string(text_of(row.change))};
  for (const Verdict& verdict : {row.before, row.after}) cells.emplace_back(outcome::status_text(verdict.status));
  for (const Verdict& verdict : {row.before, row.after}) cells.emplace_back(outcome::rule_of(verdict.assessment).word);
  std::string moved;
  for (const MovedFigure& figure : row.moved) moved += (moved.empty() ? "" : "; ") + figure.text();
  if (row.moved.empty()) {
    cells.insert(cells.end(), 4, "");
  } else {
    const MovedFigure& most = row.moved.front();
    cells.emplace_back(outcome::kFigureColumns[static_cast<size_t>(most.figure)]);
    cells.push_back(number(most.before));
    cells.push_back(number(most.after));
    cells.push_back(fmt::format("{:.6g}", most.times));
  }
  cells.push_back(std::move(moved));
  cells.push_back(row.message);
  lines_ += report::csv_row(cells);
  if (lines_.size() < kBlock) return;
  file_->write(lines_);
  lines_.clear();
}

void ChangesFile::commit() {
  file_->write(lines_);
  lines_.clear();
  file_->commit();
}

}  // namespace msprobe::diff
