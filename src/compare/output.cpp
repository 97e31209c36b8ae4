#include "compare/output.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "compare/compare.h"
#include "compare/fixed.h"
#include "report/csv_writer.h"
#include "report/file_names.h"
#include "util/timestamp.h"
#include "util/utf8.h"

namespace msprobe::compare {
namespace {

namespace fs = std::filesystem;

/// Errors of the file system as what they are here: the results cannot be written.
template <class Action>
auto writing(Action&& action) {
  try {
    return action();
  } catch (const OutputError&) {
    throw;
  } catch (const Error& error) {
    throw OutputError(error.where(), error.message(), error.remedy());
  }
}

void append_name(std::string& text, std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
  });
  if (plain)
    text += name;
  else
    text += report::csv_cell(name);
}

void append_message(std::string& text, const std::string& message, OutputFormat format) {
  if (!message.empty())
    text += report::csv_cell(message);
  else if (format.profile == config::Profile::kDocumented)
    text += ' ';
  text += "\r\n";
}

}  // namespace

void append_details_line(std::string& text, std::string_view name, const RowVerdict& verdict, OutputFormat format) {
  using Kind = Judgement::Cell::Kind;
  append_name(text, name);
  for (size_t i = static_cast<size_t>(Column::kApiName) + 1; i < static_cast<size_t>(Column::kResult); ++i) {
    const Judgement::Cell& cell = verdict.judgement[static_cast<Column>(i)];
    text += ',';
    if (cell.kind == Kind::kVerdict)
      text += outcome::status_text(cell.verdict);
    else if (cell.kind == Kind::kBlank)
      text += ' ';
    else if (static_cast<Column>(i) == Column::kBinaryRate && !verdict.binary_rate.empty())
      text += report::csv_cell(verdict.binary_rate);
    else
      append_fixed(text, cell.figure, format.precision);
  }
  text.append(",").append(outcome::status_text(verdict.judgement.status));
  text.append(",").append(verdict.algorithm.empty() ? " " : verdict.algorithm);
  text += ',';
  append_message(text, verdict.message, format);
}

void append_result_line(std::string& text, const ApiVerdict& verdict, OutputFormat format) {
  append_name(text, verdict.api);
  text.append(",").append(outcome::status_text(verdict.forward));
  text.append(",").append(outcome::status_text(verdict.backward));
  text += ',';
  append_message(text, verdict.message, format);
}

Output::Output(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error && !fs::is_directory(folder))
    throw OutputError("-o", "folder " + folder + " cannot be made: " + error.message(), "name another one");
  const auto path = [&](std::string_view kind, const std::string& time) {
    return (fs::path(folder) / report::compare_name(kind, time)).string();
  };
  for (std::string time = util::timestamp_now();; time = util::next_second(time)) {
    details_path_ = path("details", time);
    result_path_ = path("result", time);
    // A link that leads nowhere has its name as well.
    if (!fs::exists(fs::symlink_status(details_path_, error)) && !fs::exists(fs::symlink_status(result_path_, error)))
      break;
  }
  details_ = writing([&] { return std::make_unique<util::AtomicFile>(details_path_); });
  result_ = writing([&] { return std::make_unique<util::AtomicFile>(result_path_); });
  const std::string mark(util::kUtf8Mark);
  write_details(mark + report::csv_row(std::vector<std::string>(kColumnNames.begin(), kColumnNames.end())));
  write_results(mark + report::csv_row(report::result_header()));
}

void Output::write_details(std::string_view lines) {
  writing([&] { details_->write(lines); });
}

void Output::write_results(std::string_view lines) {
  writing([&] { result_->write(lines); });
}

void Output::commit() {
  writing([&] { details_->commit(); });
  try {
    writing([&] { result_->commit(); });
  } catch (...) {
    unlink(details_path_.c_str());
    throw;
  }
}

}  // namespace msprobe::compare
