#include "plan/merge.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "dump/api_name.h"
#include "plan/option_record.h"
#include "plan/shard.h"
#include "report/result_files.h"
#include "util/count_of.h"
#include "util/write_error.h"

namespace msprobe::plan {
namespace {

namespace fs = std::filesystem;

struct Part {
  std::string path;             // of the result file
  int shard = -1, shards = -1;  // as its folder says; -1: it does not
  report::ResultRows rows;
};

bool is_result_file(const fs::path& path) {
  return !report::timestamp_of(path.filename().string()).empty();
}

// The result file of a part's folder.
std::string result_in(const fs::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (is_result_file(entry.path())) found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  if (found.empty()) throw Error(folder.string(), "holds no accuracy_checking_result_{timestamp}.csv");
  if (found.size() > 1)
    throw Error(folder.string(),
                "holds " + std::to_string(found.size()) + " result files, " + found[0] + " and " + found[1],
                "name the one that is meant");
  return found[0];
}

std::vector<std::string> result_files(const std::string& given) {
  const fs::path path(given);
  if (!fs::is_directory(path)) return {given};
  std::vector<std::string> files;
  int shard = 0, shards = 0;
  // A name may end in a slash.
  const std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
  if (!report::parse_shard_folder(name, shard, shards))
    for (const auto& entry : fs::directory_iterator(path))
      if (entry.is_directory() && report::parse_shard_folder(entry.path().filename().string(), shard, shards))
        files.push_back(result_in(entry.path()));
  if (files.empty()) files.push_back(result_in(path));
  return files;
}

Part read_part(const std::string& path) {
  Part part;
  part.path = path;
  part.rows = report::read_whole(path);
  const std::string folder = fs::absolute(fs::path(path)).parent_path().filename().string();
  if (!report::parse_shard_folder(folder, part.shard, part.shards)) part.shard = part.shards = -1;
  const std::string apis = recorded_option(part.rows.options, "apis");
  if (!apis.empty() && part.rows.apis.size() < std::strtoull(apis.c_str(), nullptr, 10))
    throw Error(path, "has rows of " + std::to_string(part.rows.apis.size()) + " of its " + apis + " APIs",
                "finish that part first, with -csv_path " + path);
  return part;
}

void check_numbers(const std::vector<Part>& parts) {
  const int shards = parts.front().shards;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].shards != shards)
      throw Error(parts[i].path,
                  "is one of " + std::to_string(parts[i].shards) + " parts, " + parts.front().path + " one of " +
                      std::to_string(shards),
                  "give the parts of one run");
    if (parts[i].shard == static_cast<int>(i)) continue;
    if (i > 0 && parts[i].shard == parts[i - 1].shard)
      throw Error(parts[i].path, "and " + parts[i - 1].path + " are the same part", "give each part once");
    throw Error(report::shard_folder(static_cast<int>(i), shards), "this part is missing", "give all parts of the run");
  }
  if (parts.size() != static_cast<size_t>(shards))
    throw Error(report::shard_folder(static_cast<int>(parts.size()), shards), "this part is missing",
                "give all parts of the run");
}

// Parts of one run share dump, seed and all else but what makes them parts. Parts without a number are such that
// somebody cut by hand, with --only and its like.
void check_option(const Part& first, const Part& part, const OptionDifference& difference, bool numbered) {
  switch (parts_rule(difference.key)) {
    case config::Parts::kAny:
      return;
    case config::Parts::kWarned:
      return spdlog::warn(
          "{}: made with {} CPU threads, {} with {}: the last digits of large APIs may be others than those of one "
          "run; give all parts the same --threads",
          part.path, difference.now, first.path, difference.then);
    case config::Parts::kAlikeWhenSharded:
      if (!numbered) return;
      break;
    case config::Parts::kAlike:
      break;
  }
  const auto shown = [](const std::string& value) { return value.empty() ? std::string("not given") : value; };
  throw Error(part.path,
              "is no part of the run of " + first.path + ": " + difference.key + " is " + shown(difference.now) +
                  ", there it is " + shown(difference.then),
              "give the parts of one run, made from one dump with the same options");
}

void check_options(const std::vector<Part>& parts, bool numbered) {
  const Part* first = nullptr;
  size_t unknown = 0;
  for (const auto& part : parts) {
    unknown += part.rows.options.empty();
    if (part.rows.options.empty()) continue;
    if (first == nullptr) first = &part;
    for (const auto& difference : option_differences(first->rows.options, part.rows.options))
      check_option(*first, part, difference, numbered);
  }
  if (unknown > 0)
    spdlog::warn(
        "the options of {} are not known, as after copying files: whether {} of one dump and made with one seed, and "
        "whether the last rows of a part are missing, was not checked; cp --preserve=xattr and rsync -X keep them",
        unknown == parts.size() ? "the parts" : util::count_of(unknown, "part"),
        parts.size() == 1 ? "it is" : "all are");
}

// First call number of each name in a part.
std::map<std::string, uint64_t> call_numbers(const Part& part) {
  std::map<std::string, uint64_t> first;
  for (const auto& api : part.rows.apis) {
    const dump::ApiName name = dump::parse_api_name(api);
    char* end = nullptr;
    const uint64_t number = std::strtoull(name.index.c_str(), &end, 10);
    if (name.index.empty() || *end != '\0') continue;
    const auto [found, added] = first.emplace(name.type + "." + name.name, number);
    if (!added) found->second = std::min(found->second, number);
  }
  return first;
}

// By call numbers where every two parts share a name and all shared names agree; else as given.
void order_by_calls(std::vector<Part>& parts) {
  std::vector<std::map<std::string, uint64_t>> numbers;
  for (const auto& part : parts) numbers.push_back(call_numbers(part));
  auto before = [&](size_t a, size_t b) -> std::optional<bool> {
    std::optional<bool> answer;
    for (const auto& [name, number] : numbers[a]) {
      const auto other = numbers[b].find(name);
      if (other == numbers[b].end() || other->second == number) continue;
      const bool earlier = number < other->second;
      if (answer && *answer != earlier) return std::nullopt;
      answer = earlier;
    }
    return answer;
  };
  std::vector<size_t> rank(parts.size(), 0);
  for (size_t a = 0; a < parts.size(); ++a)
    for (size_t b = 0; b < parts.size(); ++b) {
      if (a == b) continue;
      const auto earlier = before(a, b);
      if (!earlier) return;
      if (!*earlier) ++rank[a];
    }
  std::vector<Part> ordered(parts.size());
  std::vector<bool> taken(parts.size(), false);
  for (size_t rank_of : rank) {
    if (taken[rank_of]) return;  // no order at all: a comes before b before c before a
    taken[rank_of] = true;
  }
  for (size_t i = 0; i < parts.size(); ++i) ordered[rank[i]] = std::move(parts[i]);
  parts = std::move(ordered);
}

std::vector<Part> read_parts(const std::vector<std::string>& given) {
  std::vector<Part> parts;
  for (const auto& name : given)
    for (const auto& path : result_files(name)) parts.push_back(read_part(path));
  if (parts.empty()) throw Error("", "no parts to merge", "name their result files or the folder that holds them");
  return parts;
}

// An API has one row, and all figures have as many digits. Returns the number of APIs.
size_t check_rows(const std::vector<Part>& parts) {
  std::unordered_map<std::string, const Part*> owner;
  const Part* with_figures = nullptr;
  for (const auto& part : parts) {
    for (const auto& api : part.rows.apis)
      if (const auto [other, added] = owner.emplace(api, &part); !added)
        throw Error(part.path, "has a row of " + api + ", " + other->second->path + " has one too",
                    "give each part once");
    if (part.rows.digits < 0) continue;
    if (with_figures != nullptr && with_figures->rows.digits != part.rows.digits)
      throw Error(part.path,
                  "figures have " + std::to_string(part.rows.digits) + " digits after the point, those of " +
                      with_figures->path + " " + std::to_string(with_figures->rows.digits),
                  "make the parts with one `precision`");
    with_figures = &part;
  }
  return owner.size();
}

}  // namespace

Merged merge(const std::vector<std::string>& given, const std::string& out) {
  std::vector<Part> parts = read_parts(given);
  const bool numbered = std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.shard >= 0; });
  if (numbered) {
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.shard < b.shard; });
    check_numbers(parts);
  } else {
    order_by_calls(parts);
  }
  check_options(parts, numbered);
  const size_t apis = check_rows(parts);

  auto files = report::ResultFiles::create(out, report::timestamp_now(), std::max(0, parts.front().rows.digits));
  Merged merged{files.result_path(), files.details_path(), apis};
  try {
    for (const auto& part : parts) files.append_rows(part.rows.details, part.rows.results);
    files.sync();
  } catch (const Error& error) {
    std::error_code ignored;
    fs::remove(merged.result_path, ignored);
    fs::remove(merged.details_path, ignored);
    // There is nothing to go on with, unlike in a run.
    throw WriteError(
        error.where(), error.message(),
        "see that there is room and that nothing else writes there, or choose another folder with -o, and merge again");
  }
  return merged;
}

}  // namespace msprobe::plan
