#include "plan/resume.h"

#include <unordered_map>

#include "plan/option_record.h"
#include "util/error.h"

namespace msprobe::plan {
namespace {

constexpr const char* kSameOptions =
    "give the options of the interrupted run (-api_info, -f, --only, --except, --rerun-failed, --shard), or start anew "
    "without -csv_path";

std::string quoted(const std::string& name) {
  return "\"" + name + "\"";
}

// Rows that are dropped come again, so they must be among what is left, in order: else they belong to another run.
void check_dropped(const dump::Index& index, const std::vector<size_t>& left, const report::ResultFiles& files) {
  size_t next = 0;
  for (const auto& api : files.dropped()) {
    while (next < left.size() && report::name_in_file(index.entries()[left[next]].api) != api) ++next;
    if (next == left.size())
      throw Error(files.details_path(),
                  "its last rows are of " + quoted(api) + ", which this run would not write there", kSameOptions);
    ++next;
  }
}

}  // namespace

std::vector<size_t> remaining(const dump::Index& index, const std::vector<size_t>& todo,
                              const report::ResultFiles& files) {
  const auto& done = files.done();
  for (size_t i = 0; i < done.size(); ++i) {
    const std::string expected = i < todo.size() ? report::name_in_file(index.entries()[todo[i]].api) : std::string();
    if (i < todo.size() && done[i] == expected) continue;
    throw Error(files.result_path(),
                "row " + std::to_string(i + 1) + " is " + quoted(done[i]) + ", this run would have " +
                    (i < todo.size() ? quoted(expected) : "no such row") + " there",
                kSameOptions);
  }
  std::vector<size_t> left(todo.begin() + static_cast<std::ptrdiff_t>(done.size()), todo.end());
  check_dropped(index, left, files);
  return left;
}

void check_done_against(const dump::Index& index, const std::vector<size_t>& todo, const report::ResultFiles& files) {
  if (files.done().empty() && files.dropped().empty()) return;
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < index.entries().size(); ++i) places.emplace(report::name_in_file(index.entries()[i].api), i);
  size_t row = 0, last = 0;
  for (const auto& api : files.done()) {
    ++row;
    const auto found = places.find(api);
    if (found == places.end())
      throw Error(files.result_path(),
                  "row " + std::to_string(row) + " is " + quoted(api) + ", which " + index.path() + " does not have",
                  kSameOptions);
    if (row > 1 && found->second <= last)
      throw Error(files.result_path(),
                  "row " + std::to_string(row) + ", " + quoted(api) + ", stands out of the dump's order", kSameOptions);
    last = found->second;
  }
  if (row > 0 && !todo.empty() && todo.front() <= last)
    throw Error(files.result_path(),
                "its last row is " + quoted(files.done().back()) + ", but " +
                    quoted(report::name_in_file(index.entries()[todo.front()].api)) +
                    ", which comes before that, has none",
                kSameOptions);
  check_dropped(index, todo, files);
}

void check_options(const config::Settings& settings, const dump::Index& index, const report::ResultFiles& files) {
  std::string text;
  for (const auto& difference : option_differences(files.options(), option_record(settings, index, 0)))
    if (rows_depend_on(difference.key)) text += (text.empty() ? "" : ", ") + difference.text();
  if (text.empty()) return;
  throw Error(files.result_path(),
              "was begun with other options, so that its rows and new ones do not go together: " + text,
              "give the options that it was begun with, or start anew without -csv_path");
}

}  // namespace msprobe::plan
