#include "run/overview.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>

#include "overview/sparkline.h"
#include "overview/survey.h"
#include "places/places.h"
#include "run/dump_warnings.h"
#include "run/dumps_below.h"
#include "run/origins.h"
#include "util/changed_error.h"
#include "util/count_of.h"
#include "util/error.h"
#include "util/message.h"
#include "util/name_pattern.h"
#include "util/one_line.h"
#include "util/style.h"
#include "util/text_table.h"

namespace msprobe::run {
namespace {

using overview::Call;
using overview::Range;

/// --only and --except.
class Wanted {
 public:
  explicit Wanted(const config::Settings& settings) {
    if (!settings.only.empty()) only_.emplace(settings.only);
    if (!settings.except.empty()) except_.emplace(settings.except);
  }
  bool operator()(std::string_view api) const {
    return (!only_ || only_->found_in(api)) && !(except_ && except_->found_in(api));
  }

 private:
  std::optional<util::NamePattern> only_, except_;
};

std::vector<std::string> files_of(const std::vector<std::string>& dumps) {
  std::vector<std::string> files;
  for (const std::string& dump : dumps) {
    std::error_code unknown;
    if (!std::filesystem::is_directory(dump, unknown)) {
      files.push_back(dump);
      continue;
    }
    const std::vector<std::string> found = dumps_below(dump);
    if (found.empty())
      throw Error(dump, "holds no step*/rank*/dump.json", "give the folder that the dumper wrote to, or a dump.json");
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

/// To one digit; 0.0 without a sign.
std::string tenths(double value) {
  return fmt::format("{:.1f}", std::round(value * 10) / 10 + 0.0);
}

std::string magnitudes(const char* title, const std::vector<Call>& calls) {
  if (calls.empty()) return "";
  constexpr size_t kBeside = 44;  // title and scale
  const size_t width = util::terminal_width(STDOUT_FILENO);
  std::vector<std::optional<double>> values;
  for (const Call& call : calls) values.push_back(overview::largest_output(call));
  const overview::Sparkline spark = overview::sparkline(values, width > 2 * kBeside ? width - kBeside : kBeside);
  return fmt::format("{:<9}{}  log10 of the largest value: {} .. {}\n", title, spark.line, tenths(spark.low),
                     tenths(spark.high));
}

const Range* first_tensor(const std::vector<Range>& ranges) {
  const auto found = std::find_if(ranges.begin(), ranges.end(), [](const Range& range) { return range.is_tensor(); });
  return found == ranges.end() ? nullptr : &*found;
}

void add_tensors(const std::vector<Range>& ranges, util::TextTable& table) {
  for (const Range& range : ranges) {
    const std::string kind =
        range.is_tensor() ? fmt::format("{} ({})", range.dtype, fmt::join(range.shape, ", ")) : std::string("number");
    table.add({"  " + range.position, kind, overview::range_text({range}),
               range.norm ? overview::number_text(*range.norm) : ""});
  }
}

util::TextTable tables_of(const std::vector<Call>& calls, const places::Places& places, bool each_tensor) {
  const bool backward = !calls.empty() && calls[0].direction == dump::Direction::kBackward;
  util::TextTable table(std::vector<util::Align>(5, util::Align::kLeft));
  if (!calls.empty())
    table.add({backward ? "Backward" : "Forward", backward ? "gradients in" : "inputs",
               backward ? "gradients out" : "outputs", "norm", "place"});
  for (const Call& call : calls) {
    const Range* output = first_tensor(call.outputs);
    const std::string norm = output != nullptr && output->norm ? overview::number_text(*output->norm) : "";
    const std::string place = places::line_text(places.find(call.api + (backward ? ".backward" : ".forward")));
    if (!call.fault.empty())
      table.add({call.api, "cannot be read: " + call.fault});
    else
      table.add({call.api, overview::range_text(call.inputs), overview::range_text(call.outputs), norm, place});
    if (!each_tensor) continue;
    add_tensors(call.inputs, table);
    add_tensors(call.outputs, table);
  }
  return table;
}

void print(const std::string& path, const Wanted& wanted, int verbosity) {
  const dump::Index index = open_dump(path);
  const places::Places places = places::Places::open(path);
  const overview::Survey all = overview::survey(index, [&](std::string_view api) { return wanted(api); });
  index.check_unchanged();
  std::string out = fmt::format("{}: {}, level {}, {} forward, {} backward\n", util::one_line(path),
                                index.task().empty() ? "task unknown" : util::one_line(index.task()),
                                index.level().empty() ? "unknown" : util::one_line(index.level()),
                                util::count_of(all.forward.size(), "API"), all.backward.size());
  out += beginnings_text(index, places);
  out += magnitudes("forward", all.forward) + magnitudes("backward", all.backward);
  if (verbosity >= 0)
    for (const auto* calls : {&all.forward, &all.backward})
      if (!calls->empty()) out += "\n" + tables_of(*calls, places, verbosity > 0).render();
  std::fputs(out.c_str(), stdout);
}

}  // namespace

Result overview(const std::vector<std::string>& dumps, const config::Settings& settings) {
  const std::vector<std::string> files = files_of(dumps);
  const Wanted wanted(settings);
  Result result = Result::kDone;
  for (size_t i = 0; i < files.size(); ++i) {
    if (i > 0) std::fputs("\n", stdout);
    try {
      print(files[i], wanted, settings.verbosity);
    } catch (const Error& error) {
      if (files.size() == 1) throw;
      std::fprintf(stderr, "msprobe: error: %s\n", util::message_of(error).c_str());
      result = Result::kCouldNotFinish;
    }
  }
  return result;
}

}  // namespace msprobe::run
