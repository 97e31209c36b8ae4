#include "run/origins.h"

#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

#include "overview/find.h"
#include "util/message.h"

namespace msprobe::run {

report::Options with_places(report::Options options, const config::Settings& settings, const places::Places& places) {
  options.place = [&places](std::string_view row) { return places::line_text(places.find(row)); };
  // The log file has these lines in every run; the files of places are read in none that shows no place.
  options.place_of_each = settings.verbosity > 0;
  return options;
}

std::string beginnings_text(const dump::Index& index, const places::Places& places) {
  std::string lines;
  try {
    const overview::Beginnings found = overview::find_beginnings(index);
    for (const auto& beginning : {found.output, found.gradient, found.zero})
      if (beginning) lines += overview::text(*beginning, places::short_text(places.find(beginning->api))) + "\n";
  } catch (const std::exception& error) {
    spdlog::warn("where inf and nan began is not shown: {}", util::message_of(error));
  }
  return lines;
}

}  // namespace msprobe::run
