#include "report/run_options.h"

#include <fcntl.h>

#include <map>
#include <sstream>
#include <utility>

#include "report/result_pair.h"
#include "util/descriptor.h"

namespace msprobe::report {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs parse(const std::string& record) {
  Pairs pairs;
  std::istringstream lines(record);
  for (std::string line; std::getline(lines, line);)
    if (const size_t equals = line.find('='); equals != std::string::npos)
      pairs.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  return pairs;
}

}  // namespace

std::string OptionDifference::text() const {
  auto shown = [](const std::string& value) { return value.empty() ? std::string("not given") : value; };
  return key + ": " + shown(then) + " then, " + shown(now) + " now";
}

std::vector<OptionDifference> option_differences(const std::string& then, const std::string& now) {
  std::vector<OptionDifference> found;
  std::map<std::string, std::string> current;
  for (auto& [key, value] : parse(now)) current.emplace(std::move(key), std::move(value));
  for (const auto& [key, value] : parse(then)) {
    const auto other = current.find(key);
    if (other != current.end() && other->second != value) found.push_back({key, value, other->second});
  }
  return found;
}

std::string recorded_option(const std::string& record, const std::string& key) {
  for (auto& [name, value] : parse(record))
    if (name == key) return value;
  return {};
}

std::string with_option(const std::string& record, const std::string& key, const std::string& value) {
  std::string changed;
  for (const auto& [name, former] : parse(record)) changed += name + "=" + (name == key ? value : former) + "\n";
  return changed;
}

std::string options_of_file(const std::string& result_path) {
  const util::Descriptor file(::open(result_path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  return file.valid() ? attribute(file.get(), kOptionsAttribute) : std::string();
}

}  // namespace msprobe::report
