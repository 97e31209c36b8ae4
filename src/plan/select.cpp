#include "plan/select.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "outcome/reason.h"
#include "outcome/row.h"
#include "plan/cost.h"
#include "plan/filter.h"
#include "plan/shard.h"
#include "report/csv_reader.h"
#include "report/result_files.h"
#include "util/count_of.h"
#include "util/error.h"
#include "util/name_pattern.h"
#include "util/one_line.h"

namespace msprobe::plan {
namespace {

util::NamePattern compile(const std::string& pattern, const char* option) {
  try {
    return util::NamePattern(pattern);
  } catch (const Error& error) {
    throw Error(option, error.message(), error.remedy());
  }
}

void check_left(const std::vector<size_t>& todo, const dump::Index& index, const char* option,
                const std::string& value) {
  if (todo.empty() && !index.entries().empty())
    throw Error(
        option,
        "\"" + value + "\" leaves none of the " + util::count_of(index.entries().size(), "API") + " of " + index.path(),
        "--list shows their names");
}

std::vector<size_t> only_failed(const std::vector<size_t>& todo, const dump::Index& index,
                                const std::vector<std::string>& failed, const std::string& path) {
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
                    util::one_line(*std::min_element(wanted.begin(), wanted.end())),
                "give the dump.json that the file was made from");
  return kept;
}

void check_verdict(std::string_view verdict, const std::string& path, uint32_t line) {
  for (std::string_view known : {"pass", "warning", "error", "SKIP", " ", ""})
    if (verdict == known) return;
  const bool truth = verdict == "TRUE" || verdict == "FALSE" || verdict == "True" || verdict == "False";
  throw Error(path + ":" + std::to_string(line),
              "\"" + util::one_line(verdict) + "\" is no verdict, expected pass, warning, error, SKIP or a blank",
              truth ? "TRUE and FALSE are what old versions of MindStudio msprobe wrote: check the dump again to have "
                      "verdicts"
                    : "name a result file that msprobe wrote");
}

bool is_suspect(std::string_view message) {
  return outcome::assessment_of(outcome::Status::kPass, message) == outcome::Assessment::kSuspect;
}

std::vector<size_t> part_of(const std::vector<size_t>& todo, const dump::Index& index, int shard, int shards) {
  const CostModel model(index, todo);
  std::vector<double> costs;
  costs.reserve(todo.size());
  for (size_t i = 0; i < todo.size(); ++i) costs.push_back(model.cost(i));
  const auto cuts = shard_cuts(costs, shards);
  return {todo.begin() + static_cast<std::ptrdiff_t>(cuts.at(shard)),
          todo.begin() + static_cast<std::ptrdiff_t>(cuts.at(shard + 1))};
}

// What two names have in common in a file belongs to nobody.
void check_names(const dump::Index& index) {
  auto is_changed = [](const dump::IndexEntry& entry) { return report::name_in_file(entry.api) != entry.api; };
  if (std::none_of(index.entries().begin(), index.entries().end(), is_changed)) return;
  std::unordered_map<std::string, std::string_view> names;
  for (const auto& entry : index.entries()) {
    const auto [other, added] = names.emplace(report::name_in_file(entry.api), entry.api);
    if (!added)
      throw Error(index.path(),
                  "\"" + util::one_line(other->second) + "\" and \"" + util::one_line(entry.api) +
                      "\" are two names that read alike in a result file, \"" + util::one_line(other->first) + "\"",
                  "the names are damaged, or made by hand: give the calls names that differ in letters or digits");
  }
}

}  // namespace

std::vector<std::string> failed_apis(const std::string& result_csv) {
  const report::Table table =
      report::read_table(result_csv, {"API name", "Forward Test Success", "Backward Test Success"});
  const int name = table.column("API name"), message = table.column("Message");
  const int verdicts[] = {table.column("Forward Test Success"), table.column("Backward Test Success")};
  if (table.rows.empty())
    throw Error(result_csv, "holds no rows, so that nothing can be said of its APIs",
                "name the result file of a finished run");
  std::vector<std::string> failed;
  for (const auto& row : table.rows) {
    bool bad = false;
    for (int verdict : verdicts) {
      check_verdict(row[verdict], table.path, row.line());
      bad |= row[verdict] == "error" || row[verdict] == "warning";
      bad |= row[verdict] == "pass" && message >= 0 && is_suspect(row[message]);
      if (row[verdict] == "SKIP" && message >= 0) bad |= outcome::cut_short(outcome::reason_of(row[message]));
    }
    if (bad) failed.emplace_back(row[name]);
  }
  return failed;
}

Selection select(const SelectOptions& options, const dump::Index& index) {
  check_names(index);
  Selection selection;
  auto& todo = selection.todo;
  todo.resize(index.entries().size());
  std::iota(todo.begin(), todo.end(), size_t{0});
  if (!options.only.empty()) {
    const util::NamePattern pattern = compile(options.only, "--only");
    std::erase_if(todo, [&](size_t i) { return !pattern.found_in(index.entries()[i].api); });
    check_left(todo, index, "--only", options.only);
  }
  if (!options.except.empty()) {
    const util::NamePattern pattern = compile(options.except, "--except");
    std::erase_if(todo, [&](size_t i) { return pattern.found_in(index.entries()[i].api); });
    check_left(todo, index, "--except", options.except);
  }
  if (!options.rerun_failed.empty()) {
    const auto failed = failed_apis(options.rerun_failed);
    selection.none_failed = failed.empty();
    todo = only_failed(todo, index, failed, options.rerun_failed);
  }
  if (options.filter_api) {
    const size_t before = todo.size();
    todo = without_alike(index, todo);
    selection.alike = before - todo.size();
  }
  if (options.shards > 1) todo = part_of(todo, index, options.shard, options.shards);
  return selection;
}

}  // namespace msprobe::plan
