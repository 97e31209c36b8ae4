#include "compare/output.h"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "compare/compare.h"
#include "report/csv_writer.h"
#include "util/utf8.h"

namespace msprobe::compare {
namespace {

namespace fs = std::filesystem;

/// Now and `later` seconds, as YYYYMMDDhhmmss.
std::string timestamp(int later) {
  const std::time_t then = std::time(nullptr) + later;
  std::tm local{};
  localtime_r(&then, &local);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &local)};
}

std::string path_of(const std::string& folder, std::string_view kind, const std::string& time) {
  return (fs::path(folder) / ("api_precision_compare_" + std::string(kind) + "_" + time + ".csv")).string();
}

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

void append_figure(std::string& text, double value, int precision) {
  if (!std::isfinite(value)) {
    text += report::format_figure(value, precision);
    return;
  }
  char digits[352];  // 309 before the point, 20 behind it, sign
  const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, precision).ptr;
  text.append(digits, end);
}

}  // namespace

struct Output::Buffered {
  static constexpr size_t kBlock = 1 << 20;
  explicit Buffered(const std::string& path) : file(path) { text.reserve(kBlock + 4096); }
  void flush_when_full() {
    if (text.size() >= kBlock) flush();
  }
  void flush() {
    writing([&] { file.write(text); });
    text.clear();
  }
  util::AtomicFile file;
  std::string text;
};

Output::Output(const std::string& folder, int precision, config::Profile profile)
    : precision_(precision), profile_(profile) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error && !fs::is_directory(folder))
    throw OutputError("-o", "folder " + folder + " cannot be made: " + error.message(), "name another one");
  for (int later = 0;; ++later) {
    const std::string time = timestamp(later);
    details_path_ = path_of(folder, "details", time);
    result_path_ = path_of(folder, "result", time);
    if (!fs::exists(details_path_, error) && !fs::exists(result_path_, error)) break;
  }
  details_ = writing([&] { return std::make_unique<Buffered>(details_path_); });
  result_ = writing([&] { return std::make_unique<Buffered>(result_path_); });
  details_->text = std::string(util::kUtf8Mark) +
                   report::csv_row(std::vector<std::string>(kColumnNames.begin(), kColumnNames.end()));
  result_->text = std::string(util::kUtf8Mark) + report::csv_row(report::result_header());
}

Output::~Output() = default;

/// MindStudio leaves a Message without text empty, where all other blanks are one space.
void Output::append_message(std::string& text, const std::string& message) const {
  text += message.empty() && profile_ == config::Profile::kDocumented ? " " : report::csv_cell(message);
  text += "\r\n";
}

void Output::add_row(std::string_view name, const RowVerdict& verdict) {
  using Kind = Judgement::Cell::Kind;
  std::string& text = details_->text;
  text += report::csv_cell(name);
  for (size_t i = static_cast<size_t>(Column::kApiName) + 1; i < static_cast<size_t>(Column::kResult); ++i) {
    const Judgement::Cell& cell = verdict.judgement[static_cast<Column>(i)];
    text += ',';
    switch (cell.kind) {
      case Kind::kBlank:
        text += ' ';
        break;
      case Kind::kFigure:
        append_figure(text, cell.figure, precision_);
        break;
      case Kind::kVerdict:
        text += metrics::status_text(cell.verdict);
        break;
      case Kind::kText:
        text += report::csv_cell(cell.text);
        break;
    }
  }
  text += ',';
  text += metrics::status_text(verdict.judgement.status);
  text += ',';
  text += verdict.algorithm.empty() ? " " : verdict.algorithm;
  text += ',';
  append_message(text, verdict.message);
  details_->flush_when_full();
}

void Output::add_api(const ApiVerdict& verdict) {
  std::string& text = result_->text;
  text += report::csv_cell(verdict.api);
  text += ',';
  text += metrics::status_text(verdict.forward);
  text += ',';
  text += metrics::status_text(verdict.backward);
  text += ',';
  append_message(text, verdict.message);
  result_->flush_when_full();
}

void Output::commit() {
  details_->flush();
  result_->flush();
  writing([&] { details_->file.commit(); });
  try {
    writing([&] { result_->file.commit(); });
  } catch (...) {
    unlink(details_path_.c_str());
    throw;
  }
}

}  // namespace msprobe::compare
