#include "diff/find.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "util/count_of.h"
#include "util/error.h"

namespace msprobe::diff {
namespace {

namespace fs = std::filesystem;

// MindStudio's files are known by their beginning too: users rename the timestamp away.
constexpr std::string_view kResult = "accuracy_checking_result", kDetails = "accuracy_checking_details";
constexpr std::string_view kNameIt = "name the details file that is meant";

bool is_csv_of(std::string_view name, std::string_view beginning) {
  return name.starts_with(beginning) && name.ends_with(".csv");
}

/// The file of the other kind, of the same run.
fs::path beside(const fs::path& path, std::string_view kind, std::string_view other) {
  const std::string name = path.filename().string();
  return path.parent_path() / (std::string(other) + name.substr(kind.size()));
}

Result of_file(const fs::path& path) {
  const std::string name = path.filename().string();
  if (is_csv_of(name, kDetails)) return {"", path.string(), beside(path, kDetails, kResult).string()};
  if (!is_csv_of(name, kResult)) return {"", path.string(), ""};
  const fs::path details = beside(path, kResult, kDetails);
  if (!fs::exists(details))
    throw Error(path.string(), fmt::format("{} is not beside it", details.filename().string()),
                "copy it there: the details file holds the outputs");
  return {"", details.string(), path.string()};
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    entries.push_back(entry->path());
  if (error) throw Error(folder.string(), "cannot be read: " + error.message(), std::string(kNameIt));
  return entries;
}

/// "rank" and 12 of "rank12"; the number is -1 where there is none.
std::tuple<std::string, long, std::string> natural(const fs::path& path) {
  const std::string name = path.filename().string();
  const size_t digits = name.find_first_of("0123456789");
  if (digits == std::string::npos) return {name, -1, name};
  return {name.substr(0, digits), std::strtol(name.c_str() + digits, nullptr, 10), name};
}

void collect(const fs::path& folder, const std::string& place, std::vector<Result>& found) {
  constexpr size_t kMostNamed = 5;
  std::vector<fs::path> below;
  std::vector<std::string> details;
  for (const fs::path& entry : entries_of(folder)) {
    const std::string name = entry.filename().string();
    if (is_csv_of(name, kDetails)) details.push_back(name);
    if ((name.starts_with("step") || name.starts_with("rank")) && fs::is_directory(entry)) below.push_back(entry);
  }
  std::sort(details.begin(), details.end());
  if (details.size() > 1) {
    const size_t count = details.size();
    if (count > kMostNamed) details.resize(kMostNamed), details.emplace_back("...");
    throw Error(folder.string(), fmt::format("holds {} results: {}", count, fmt::join(details, ", ")),
                std::string(kNameIt));
  }
  if (details.size() == 1) {
    Result result = of_file(folder / details[0]);
    result.place = place;
    found.push_back(std::move(result));
    return;
  }
  std::sort(below.begin(), below.end(), [](const auto& a, const auto& b) { return natural(a) < natural(b); });
  for (const fs::path& entry : below)
    collect(entry, (place.empty() ? "" : place + "/") + entry.filename().string(), found);
}

std::string remedy_without_results(const fs::path& folder) {
  for (const fs::path& entry : entries_of(folder))
    if (entry.filename().string().starts_with("shard_"))
      return fmt::format("it holds parts of a run: join them first, msprobe merge {} -o ./joined", folder.string());
  return "give the folder of -o, or the result file";
}

bool is_tree(const std::vector<Result>& results) {
  return !results.front().place.empty();
}

}  // namespace

std::vector<Result> find_results(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw Error(path, "no such file or folder", "give a result file or its folder");
  if (!fs::is_directory(status)) return {of_file(path)};
  std::vector<Result> found;
  collect(path, "", found);
  if (found.empty())
    throw Error(path, "holds no accuracy_checking_details_*.csv, nor step*/rank* folders that do",
                remedy_without_results(path));
  return found;
}

Paired pair_up(const std::string& old_path, const std::string& new_path) {
  std::vector<Result> before = find_results(old_path), after = find_results(new_path);
  if (is_tree(before) != is_tree(after)) {
    const auto& [tree, path] = is_tree(before) ? std::tie(before, old_path) : std::tie(after, new_path);
    throw Error(
        path,
        fmt::format("holds {} by step and rank, the other is a single one", util::count_of(tree.size(), "result")),
        fmt::format("give the folder of one rank, as {}", (fs::path(path) / tree.front().place).string()));
  }
  Paired paired;
  std::map<std::string, Result> left;
  for (Result& result : after) left.emplace(result.place, result);
  for (Result& result : before) {
    const auto other = left.find(result.place);
    if (other == left.end()) {
      paired.only_old.push_back(result.place);
      continue;
    }
    paired.pairs.emplace_back(std::move(result), std::move(other->second));
    left.erase(other);
  }
  for (const Result& result : after)
    if (left.contains(result.place)) paired.only_new.push_back(result.place);
  if (paired.pairs.empty())
    throw Error(new_path, fmt::format("has no step and rank in common with {}", old_path),
                fmt::format("that has {}, this {}", paired.only_old.front(), paired.only_new.front()));
  return paired;
}

}  // namespace msprobe::diff
