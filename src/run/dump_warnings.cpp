#include "run/dump_warnings.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "dump/file_kind.h"
#include "goldens/registry.h"
#include "run/dump_contents.h"
#include "util/edit_distance.h"
#include "util/error.h"

namespace msprobe::run {
namespace {

namespace fs = std::filesystem;

// dump.json in `path`, or in the step*/rank*/ folders below it.
std::set<std::string> dumps_in(const std::string& path) {
  std::set<std::string> dumps;
  const auto look = [&](const fs::path& folder) {
    if (fs::is_regular_file(folder / "dump.json")) dumps.insert((folder / "dump.json").string());
  };
  std::error_code unreadable;
  look(path);
  for (const auto& step : fs::directory_iterator(path, unreadable)) {
    if (!step.is_directory()) continue;
    look(step.path());
    for (const auto& rank : fs::directory_iterator(step.path(), unreadable))
      if (rank.is_directory()) look(rank.path());
  }
  return dumps;
}

// Users know the folder that a dump lies in better than the file.
void reject_folder(const std::string& path) {
  if (!fs::is_directory(path)) return;
  const std::set<std::string> dumps = dumps_in(path);
  throw Error(path, "is a folder, expected a dump.json",
              dumps.empty()       ? "give the dump.json of a step*/rank*/ folder"
              : dumps.size() == 1 ? "give " + *dumps.begin()
                                  : fmt::format("there are {} in it, the first is {}", dumps.size(), *dumps.begin()));
}

// The dumper's tasks and levels that record what a call can be made of.
void warn_of_foreign_kinds(const dump::Index& index) {
  const auto warn = [&](std::string_view key, const std::string& value, std::initializer_list<std::string_view> known) {
    if (!value.empty() && std::find(known.begin(), known.end(), value) == known.end())
      spdlog::warn("{}: {} is \"{}\", expected {}: the dump may not hold what APIs are checked by", index.path(), key,
                   value, fmt::join(known, " or "));
  };
  warn("task", index.task(), {"statistics", "tensor"});
  warn("level", index.level(), {"L1", "mix"});
}

}  // namespace

dump::Index open_dump(const std::string& path) {
  reject_folder(path);
  dump::reject_other_file(path);
  dump::Index index = dump::Index::open(path);
  require_apis(index);
  warn_of_foreign_kinds(index);
  return index;
}

void warn_of_unknown_names(const config::Settings& settings, const dump::Index& index) {
  if (settings.white_list.empty() && settings.black_list.empty()) return;
  std::set<std::string> names;
  for (const dump::IndexEntry& entry : index.entries()) {
    const config::ApiNames listed(dump::parse_api_name(entry.api));
    names.insert(listed.begin(), listed.end());
  }
  const std::vector<std::string> known(names.begin(), names.end());
  for (const auto& [list, items] :
       {std::pair("white_list", &settings.white_list), std::pair("black_list", &settings.black_list)})
    for (const std::string& item : items->entries())
      if (!names.contains(item))
        spdlog::warn("{}: {} is not in this dump{}", list, item, util::did_you_mean(item, known));
}

void warn_of_misspelt_goldens(const dump::Index& index, const goldens::Registry& goldens) {
  const std::set<std::string>& named = goldens.users_apis();
  if (named.empty()) return;
  // A file of goldens serves many dumps, so that a name is absent means little; that one much like it is there tells
  // more.
  std::set<std::string> names, unnamed;
  for (const dump::IndexEntry& entry : index.entries())
    names.insert(goldens::golden_name(dump::parse_api_name(entry.api)));
  std::set_difference(names.begin(), names.end(), named.begin(), named.end(), std::inserter(unnamed, unnamed.end()));
  const std::vector<std::string> known(unnamed.begin(), unnamed.end());
  for (const std::string& api : named)
    if (const auto meant = names.contains(api) ? std::nullopt : util::nearest(api, known))
      spdlog::warn("fused_operators: {} is not in this dump, did you mean {}?", api, *meant);
}

void warn_of_orphans(const dump::Index& index) {
  const size_t n = index.orphans().size();
  if (n == 0) return;
  spdlog::warn("{}: {} no forward entry and {} left out, the first is {}", index.path(),
               n == 1 ? "1 backward entry has" : fmt::format("{} backward entries have", n), n == 1 ? "is" : "are",
               index.orphans().front());
}

}  // namespace msprobe::run
