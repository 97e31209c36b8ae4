#include "run/dump_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "config/mindstudio_facts.h"
#include "util/count_of.h"
#include "util/error.h"
#include "util/text.h"

namespace msprobe::run {
namespace {

namespace fs = std::filesystem;

std::string_view kind_of(std::string_view api) {
  return api.substr(0, api.find('.'));
}

void reject_mindspore(const dump::Index& index) {
  const auto& entries = index.entries();
  const auto kinds = config::installed_mindstudio_facts().mindspore_kinds;
  const bool all = std::all_of(entries.begin(), entries.end(),
                               [&](const dump::IndexEntry& entry) { return kinds.contains(kind_of(entry.api)); });
  if (!all) return;
  throw Error(util::shown(index.path()),
              fmt::format("holds names of MindSpore alone, the first is {}", util::shown(entries.front().api)),
              "only dumps of PyTorch can be checked: give the dump.json of a PyTorch program");
}

/// Whether an argument of some API is kept as a file; "datapath" is what older dumps call it.
bool refers_to_files(const dump::Index& index) {
  const auto names_one = [&](dump::Range range) {
    const std::string_view text = index.text(range);
    return text.find("\"data_name\"") != std::string_view::npos || text.find("\"datapath\"") != std::string_view::npos;
  };
  return std::any_of(index.entries().begin(), index.entries().end(), [&](const dump::IndexEntry& entry) {
    return names_one(entry.forward) || names_one(entry.backward);
  });
}

bool holds_a_file(const std::string& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->is_regular_file(error)) return true;
  return false;
}

}  // namespace

void require_apis(const dump::Index& index) {
  if (!index.entries().empty()) return reject_mindspore(index);
  const std::string path = util::shown(index.path());
  if (!index.orphans().empty())
    throw Error(path, "holds backward entries alone, and no forward entry of an API",
                "record again, with debugger.start() before the forward pass");
  if (index.modules() > 0)
    throw Error(path,
                fmt::format("holds {} of modules and no API{}",
                            index.modules() == 1 ? "1 entry" : fmt::format("{} entries", index.modules()),
                            index.level().empty() ? "" : fmt::format(" (level {})", util::shown(index.level()))),
                "record again with \"level\": \"L1\" or \"mix\" in the dumper's config.json");
  throw Error(path, "holds no API: its data is empty",
              "record again: debugger.start() must come before the forward pass, and the dumper's config.json must not "
              "leave out this step, rank or these APIs");
}

void require_tensor_files(const dump::Index& index) {
  if (!index.has_real_data() || holds_a_file(index.tensor_dir()) || !refers_to_files(index)) return;
  const bool folder = fs::is_directory(index.tensor_dir());
  throw Error(util::shown(index.path()),
              fmt::format("is a dump of task tensor, and {} {}", util::shown(index.tensor_dir()),
                          folder ? "holds no file" : "is not there"),
              "copy the whole folder that was recorded, dump_tensor_data/ included; for random inputs within the "
              "recorded ranges, record with \"task\": \"statistics\"");
}

}  // namespace msprobe::run
