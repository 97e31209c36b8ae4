#include "run/select.h"

#include <algorithm>
#include <numeric>
#include <regex>
#include <string_view>
#include <unordered_set>

#include "report/csv_reader.h"
#include "report/result_files.h"
#include "run/cost.h"
#include "run/filter.h"
#include "run/shard.h"
#include "util/count_of.h"
#include "util/error.h"

namespace msprobe::run {
namespace {

// Matching is recursive in the length of the name; names this long come from a broken dump.
constexpr size_t kLongestName = 2048;

std::regex compile(const std::string& pattern, const char* option) {
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& e) {
    throw Error(option, "\"" + pattern + "\" is no regular expression: " + e.what(),
                "a name is matched anywhere: Torch\\.mul finds Torch.mul.0");
  }
}

bool matches(std::string_view api, const std::regex& pattern) {
  api = api.substr(0, kLongestName);
  return std::regex_search(api.begin(), api.end(), pattern);
}

void check_left(const std::vector<size_t>& todo, const dump::Index& index, const char* option,
                const std::string& value) {
  if (todo.empty() && !index.entries().empty())
    throw Error(
        option,
        "\"" + value + "\" leaves none of the " + util::count_of(index.entries().size(), "API") + " of " + index.path(),
        "--list shows their names");
}

std::vector<size_t> only_failed(const std::vector<size_t>& todo, const dump::Index& index, const std::string& path) {
  const auto failed = failed_apis(path);
  std::unordered_set<std::string> wanted(failed.begin(), failed.end());
  std::vector<size_t> kept;
  for (size_t i = 0; i < index.entries().size(); ++i) {
    const auto found = wanted.find(report::name_in_file(index.entries()[i].api));
    if (found == wanted.end()) continue;
    if (std::binary_search(todo.begin(), todo.end(), i)) kept.push_back(i);
    wanted.erase(found);
  }
  if (!wanted.empty())
    throw Error(path,
                "names " + util::count_of(wanted.size(), "API") + " that " + index.path() + " does not have, one is " +
                    *std::min_element(wanted.begin(), wanted.end()),
                "give the dump.json that the file was made from");
  return kept;
}

}  // namespace

std::vector<std::string> failed_apis(const std::string& result_csv) {
  const report::Table table =
      report::read_table(result_csv, {"API name", "Forward Test Success", "Backward Test Success"});
  const int name = table.column("API name"), message = table.column("Message");
  const int verdicts[] = {table.column("Forward Test Success"), table.column("Backward Test Success")};
  auto starts = [](std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; };
  std::vector<std::string> failed;
  for (const auto& row : table.rows) {
    bool bad = false;
    for (int verdict : verdicts) {
      bad |= row[verdict] == "error" || row[verdict] == "warning";
      if (row[verdict] == "SKIP" && message >= 0)
        for (const char* start : {"crashed", "timed out", "out of memory", "out of device memory", "device lost"})
          bad |= starts(row[message], start);
    }
    if (bad) failed.emplace_back(row[name]);
  }
  return failed;
}

Selection select(const config::Settings& settings, const dump::Index& index) {
  Selection selection;
  auto& todo = selection.todo;
  todo.resize(index.entries().size());
  std::iota(todo.begin(), todo.end(), size_t{0});
  if (!settings.only.empty()) {
    const std::regex pattern = compile(settings.only, "--only");
    std::erase_if(todo, [&](size_t i) { return !matches(index.entries()[i].api, pattern); });
    check_left(todo, index, "--only", settings.only);
  }
  if (!settings.except.empty()) {
    const std::regex pattern = compile(settings.except, "--except");
    std::erase_if(todo, [&](size_t i) { return matches(index.entries()[i].api, pattern); });
    check_left(todo, index, "--except", settings.except);
  }
  if (!settings.rerun_failed.empty()) todo = only_failed(todo, index, settings.rerun_failed);
  if (settings.filter_api) {
    const size_t before = todo.size();
    todo = without_alike(index, todo);
    selection.alike = before - todo.size();
  }
  if (settings.shards > 1) {
    const CostModel model(index, todo);
    std::vector<double> costs;
    costs.reserve(todo.size());
    for (size_t i = 0; i < todo.size(); ++i) costs.push_back(model.cost(i));
    const auto cuts = shard_cuts(costs, settings.shards);
    const auto begin = todo.begin();
    todo = std::vector<size_t>(begin + static_cast<std::ptrdiff_t>(cuts.at(settings.shard)),
                               begin + static_cast<std::ptrdiff_t>(cuts.at(settings.shard + 1)));
  }
  return selection;
}

}  // namespace msprobe::run
