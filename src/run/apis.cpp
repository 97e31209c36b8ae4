#include "run/apis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "config/chosen.h"
#include "device/device.h"
#include "goldens/registry.h"
#include "run/coverage.h"
#include "run/room_options.h"
#include "util/error.h"
#include "util/name_pattern.h"
#include "util/text_table.h"

namespace msprobe::run {
namespace {

std::string totals_table(const std::vector<Coverage>& all) {
  constexpr auto kRight = util::Align::kRight;
  util::TextTable table({util::Align::kLeft, kRight, kRight, kRight, kRight, kRight, kRight});
  table.add({"Prefix", "names", "by schema", "by adaptor", "fused golden", "SKIP by policy", "not possible"});
  std::array<size_t, kWays> sums{};
  const auto add = [&](const std::string& title, const std::array<size_t, kWays>& counts) {
    std::vector<std::string> cells = {title, ""};
    size_t names = 0;
    for (const size_t count : counts) {
      names += count;
      cells.push_back(std::to_string(count));
    }
    cells[1] = std::to_string(names);
    table.add(std::move(cells));
  };
  for (const auto& [prefix, counts] : totals(all)) {
    for (size_t way = 0; way < kWays; ++way) sums[way] += counts[way];
    add(prefix, counts);
  }
  add("all", sums);
  return table.render();
}

// Backward operators, which few dumpers record by name, and users' operators, which no dumper of today may know.
std::vector<std::string> names_with_goldens(const goldens::Registry& goldens) {
  std::vector<std::string> names;
  for (const goldens::Golden* golden : goldens.all())
    names.push_back(golden->name.find('.') == std::string::npos ? "NPU." + golden->name : golden->name);
  return names;
}

}  // namespace

void apis(const config::Settings& settings) {
  const std::string& only = settings.only;
  const config::Standards standards = config::load_standards(config::installed_config("precision_standard.yaml"));
  goldens::Registry goldens;
  config::naming_origin(settings, "fused_operators", settings.fused_operators,
                        [&] { goldens.load(settings.fused_operators); });
  device::load_operators(device_options(settings));
  const std::string path = config::installed_config("api_universe.txt");
  const util::NamePattern pattern(only);
  auto names = read_universe(path);
  for (const std::string& name : names_with_goldens(goldens))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  std::vector<Coverage> all;
  for (const std::string& name : names) {
    if (only.empty() || pattern.found_in(name)) all.push_back(cover(name, standards, goldens));
  }
  if (all.empty()) {
    throw Error("--only", fmt::format("nothing matches \"{}\" among the {} names of {}", only, names.size(), path),
                "names look like Functional.softmax, and upper and lower case count");
  }
  util::TextTable table({util::Align::kLeft, util::Align::kLeft});
  for (const Coverage& one : all) table.add({one.name, text(one)});
  std::fputs((table.render() + "\n" + totals_table(all)).c_str(), stdout);
}

}  // namespace msprobe::run
