#include "report/resume_plan.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unordered_set>

#include "config/api_names.h"
#include "report/csv_writer.h"
#include "util/checksum.h"
#include "util/error.h"
#include "util/utf8.h"

namespace msprobe::report {
namespace {

constexpr const char* kStartAnew = "give the files as the interrupted run left them, or start anew without -csv_path";

// One line, taken apart; `cells` lives for the time of the visit.
struct Line {
  std::vector<std::string> cells;
  uint64_t begin = 0, end = 0;
  size_t number = 0;  // in the file, 1 = header
};

struct Layout {
  bool header = false;    // whole
  uint64_t end = 0;       // of the last whole line
  std::string_view torn;  // what follows it
};

std::string at_line(const std::string& path, size_t number) {
  return path + " line " + std::to_string(number);
}

// Blocks that a file system had promised but not written before a power cut read as zeros.
std::string_view without_zeros(std::string_view text) {
  const size_t last = text.find_last_not_of('\0');
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

template <class Visit>
Layout read_lines(std::string_view text, const std::string& path, const std::vector<std::string>& columns,
                  Visit visit) {
  Layout layout;
  std::string header(util::kUtf8Mark);
  header += csv_row(columns);
  if (text.size() < header.size() && header.compare(0, text.size(), text) == 0) {
    layout.torn = text;
    return layout;
  }
  if (text.substr(0, header.size()) != header)
    throw Error(at_line(path, 1),
                "these are not the columns of such a file of msprobe (or another program saved the file again)",
                kStartAnew);
  layout.header = true;
  layout.end = header.size();
  for (size_t number = 2;; ++number) {
    const size_t end = text.find("\r\n", layout.end);
    if (end == std::string_view::npos) break;
    const std::string_view line = text.substr(layout.end, end - layout.end);
    if (!util::is_utf8(line)) throw Error(at_line(path, number), "holds bytes that are not UTF-8", kStartAnew);
    auto cells = split_row(line);
    if (!cells) throw Error(at_line(path, number), "quotes or line ends are not as msprobe writes them", kStartAnew);
    if (cells->size() != columns.size())
      throw Error(at_line(path, number),
                  "has " + std::to_string(cells->size()) + " cells, expected " + std::to_string(columns.size()),
                  kStartAnew);
    visit(Line{std::move(*cells), layout.end, end + 2, number});
    layout.end = end + 2;
  }
  layout.torn = text.substr(layout.end);
  return layout;
}

// A row of the result file.
struct ResultRow {
  std::string api;
  std::string verdict[2];  // forward, backward
  uint64_t begin = 0, end = 0;
  size_t number = 0;
};

// Details rows of one API.
struct Group {
  std::string api;
  uint64_t begin = 0, end = 0;
  size_t number = 0;             // of the first line
  bool any[2] = {false, false};  // forward, backward
  bool error[2] = {false, false};
};

bool is_status(std::string_view text) {
  return text == "pass" || text == "warning" || text == "error" || text == "SKIP" || text == " ";
}

Layout read_result(std::string_view text, const std::string& path, std::vector<ResultRow>& rows) {
  std::unordered_set<std::string> seen;
  return read_lines(text, path, result_header(), [&](const Line& line) {
    for (size_t column : {1, 2})
      if (!is_status(line.cells[column]))
        throw Error(at_line(path, line.number),
                    "\"" + line.cells[column] + "\" is no verdict, expected pass, warning, error, SKIP or a blank",
                    kStartAnew);
    if (!seen.insert(line.cells[0]).second)
      throw Error(at_line(path, line.number), line.cells[0] + " has a row already", kStartAnew);
    rows.push_back({line.cells[0], {line.cells[1], line.cells[2]}, line.begin, line.end, line.number});
  });
}

// Digits behind the point when the cell is written like 12.345; -1 for anything else.
int digits_of(std::string_view cell) {
  const size_t point = cell.find('.');
  if (point == std::string_view::npos) return -1;
  for (size_t i = point + 1; i < cell.size(); ++i)
    if (cell[i] < '0' || cell[i] > '9') return -1;
  return static_cast<int>(cell.size() - point - 1);
}

bool is_number(const std::string& cell) {
  if (cell.empty() || cell.front() == ' ') return false;
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  return *end == '\0';
}

constexpr size_t kFirstFigure = 4;
constexpr size_t kStatus = kFirstFigure + outcome::kFigureCount;

// `precision`: digits wanted; kAnyPrecision takes those of the first figure.
void check_details_cells(const Line& line, const std::string& path, int& precision) {
  for (size_t i = kFirstFigure; i < kStatus; ++i) {
    const std::string& cell = line.cells[i];
    if (cell == " ") continue;
    if (!is_number(cell)) throw Error(at_line(path, line.number), "\"" + cell + "\" is no figure", kStartAnew);
    const int digits = digits_of(cell);
    if (digits < 0 || digits == precision) continue;
    if (precision != kAnyPrecision)
      throw Error(at_line(path, line.number),
                  "figures have " + std::to_string(digits) + " digits after the point, this run writes " +
                      std::to_string(precision),
                  "resume with `precision: " + std::to_string(digits) + "` in the configuration");
    precision = digits;
  }
  if (!is_status(line.cells[kStatus]))
    throw Error(at_line(path, line.number), "\"" + line.cells[kStatus] + "\" is no status", kStartAnew);
}

Layout read_details(std::string_view text, const std::string& path, int& precision, std::vector<Group>& groups) {
  return read_lines(text, path, details_header(), [&](const Line& line) {
    auto api = api_of_row(line.cells[0]);
    if (!api)
      throw Error(at_line(path, line.number),
                  "\"" + line.cells[0] + "\" is no name of an output, expected one like Torch.mul.0.forward.output.0",
                  kStartAnew);
    check_details_cells(line, path, precision);
    if (groups.empty() || groups.back().api != *api)
      groups.push_back({std::move(*api), line.begin, line.end, line.number, {}, {}});
    Group& group = groups.back();
    group.end = line.end;
    const bool backward = line.cells[0].compare(group.api.size(), 10, ".backward.") == 0;
    group.any[backward] = true;
    group.error[backward] |= line.cells[kStatus] == "error";
  });
}

// Profile mindstudio writes no details of these, as MindStudio does.
bool may_lack_details(const std::string& api) {
  return config::is_dropout(api);
}

// A verdict that its own details rows contradict was changed by hand.
void check_verdict(const ResultRow& row, const std::string& result_path, const Group& group,
                   const std::string& details_path) {
  for (size_t direction : {0, 1}) {
    const std::string& verdict = row.verdict[direction];
    const bool claims_error = verdict == "error", claims_good = verdict == "pass" || verdict == "warning";
    if (group.any[direction] && (group.error[direction] ? claims_good : claims_error))
      throw Error(at_line(result_path, row.number),
                  std::string("the ") + (direction == 0 ? "forward" : "backward") + " verdict of " + row.api +
                      " is \"" + verdict + "\", its rows in " + details_path + " (line " +
                      std::to_string(group.number) + ") say otherwise",
                  kStartAnew);
  }
}

void check_seal(const Seal& seal, std::string_view result, const std::string& result_path, std::string_view details,
                const std::string& details_path) {
  if (result.size() >= seal.result_bytes && util::crc32_of(result.substr(0, seal.result_bytes)) != seal.result_crc)
    throw Error(result_path, "was changed after msprobe wrote it (its checksum differs)", kStartAnew);
  if (details.size() >= seal.details_bytes && util::crc32_of(details.substr(0, seal.details_bytes)) != seal.details_crc)
    throw Error(details_path, "was changed after msprobe wrote it (its checksum differs)", kStartAnew);
}

// True when `torn`, the start of a details line, may be one of `api`.
bool may_belong_to(std::string_view torn, const std::string& api) {
  std::string start = csv_cell(api + ".");
  if (!start.empty() && start.back() == '"') start.pop_back();
  const size_t n = std::min(torn.size(), start.size());
  return torn.substr(0, n) == std::string_view(start).substr(0, n);
}

// Which rows of the result file have their details: rows of an API stand at the same place in both files.
struct Matched {
  size_t rows = 0;                       // of the result file, from its start
  std::vector<size_t> groups_before{0};  // of the first i rows
  size_t last_with_details = 0;          // among them, when groups_before.back() > 0

  size_t groups() const { return groups_before.back(); }
};

Matched match(const std::vector<ResultRow>& rows, const std::string& result_path, const std::vector<Group>& groups,
              const std::string& details_path) {
  Matched matched;
  for (; matched.rows < rows.size(); ++matched.rows) {
    const ResultRow& row = rows[matched.rows];
    const size_t next = matched.groups();
    if (next < groups.size() && groups[next].api == row.api) {
      check_verdict(row, result_path, groups[next], details_path);
      matched.groups_before.push_back(next + 1);
      matched.last_with_details = matched.rows;
    } else if (may_lack_details(row.api)) {
      matched.groups_before.push_back(next);
    } else if (next == groups.size()) {
      break;  // the details end early
    } else {
      throw Error(at_line(details_path, groups[next].number),
                  "is a row of " + groups[next].api + ", expected rows of " + row.api + " (line " +
                      std::to_string(row.number) + " of " + result_path + ")",
                  kStartAnew);
    }
  }
  return matched;
}

// How many of the matched rows can stay: the details of the last one are known to be complete when rows of another API
// follow or the seal says so.
size_t complete(const Matched& matched, const std::vector<ResultRow>& rows, const std::vector<Group>& groups,
                const Layout& details, const std::optional<Seal>& seal) {
  const size_t used = matched.groups();
  const bool followed =
      used < groups.size() || (used > 0 && !details.torn.empty() && !may_belong_to(details.torn, groups[used - 1].api));
  const bool sealed = seal && matched.rows > 0 && matched.rows == rows.size() &&
                      seal->result_bytes == rows.back().end &&
                      seal->details_bytes == (used == 0 ? details.end : groups[used - 1].end);
  if (matched.rows == 0 || followed || sealed) return matched.rows;
  return used == 0 ? 0 : matched.last_with_details;
}

}  // namespace

std::string seal_text(const Seal& seal) {
  char text[96];
  const int n = std::snprintf(text, sizeof text, "1 %llu %08x %llu %08x", (unsigned long long)seal.result_bytes,
                              seal.result_crc, (unsigned long long)seal.details_bytes, seal.details_crc);
  return {text, static_cast<size_t>(n)};
}

std::optional<Seal> parse_seal(std::string_view text) {
  unsigned long long result = 0, details = 0;
  Seal seal;
  const std::string line(text);
  if (std::sscanf(line.c_str(), "1 %llu %x %llu %x", &result, &seal.result_crc, &details, &seal.details_crc) != 4)
    return std::nullopt;
  seal.result_bytes = result;
  seal.details_bytes = details;
  return seal;
}

ResumePlan plan_resume(std::string_view result_text, const std::string& result_path, std::string_view details_text,
                       const std::string& details_path, const std::optional<Seal>& seal, int precision) {
  result_text = without_zeros(result_text);
  details_text = without_zeros(details_text);
  if (seal) check_seal(*seal, result_text, result_path, details_text, details_path);
  std::vector<ResultRow> rows;
  std::vector<Group> groups;
  const Layout result = read_result(result_text, result_path, rows);
  const Layout details = read_details(details_text, details_path, precision, groups);
  const Matched matched = match(rows, result_path, groups, details_path);
  const size_t kept = complete(matched, rows, groups, details, seal);

  ResumePlan plan;
  const bool all_matched = matched.rows == rows.size();
  plan.whole = result.header && details.header && result.torn.empty() && details.torn.empty() && all_matched &&
               matched.groups() == groups.size();
  plan.digits = precision;
  for (size_t i = 0; i < rows.size(); ++i) (i < kept ? plan.done : plan.dropped).push_back(std::move(rows[i].api));
  if (all_matched)
    for (size_t g = matched.groups(); g < groups.size(); ++g) plan.dropped.push_back(std::move(groups[g].api));
  const size_t groups_kept = matched.groups_before[kept];
  if (result.header) plan.result_keep = kept < rows.size() ? rows[kept].begin : result.end;
  if (details.header) plan.details_keep = groups_kept < groups.size() ? groups[groups_kept].begin : details.end;
  return plan;
}

}  // namespace msprobe::report
