#include "config/chosen.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "util/error.h"

namespace msprobe::config {

void naming_origin(const Settings& settings, const std::string& key, const std::string& file,
                   const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    const auto origin = settings.origin.find(key);
    if (file.empty() || error.where() != file || origin == settings.origin.end()) throw;
    throw Error(origin->second + ": " + key, file + " " + error.message(), error.remedy());
  }
}

Settings in_effect(Settings settings) {
  const Standards standards = chosen_standards(settings);
  if (settings.precision_standard.empty()) settings.precision_standard = installed_config("precision_standard.yaml");
  if (!settings.origin.contains("quantization_api_list")) {
    std::vector<std::string> apis = standards.quantization_apis.entries();
    std::sort(apis.begin(), apis.end());
    settings.quantization_api_list = std::move(apis);
  }
  return settings;
}

Standards chosen_standards(const Settings& settings) {
  const std::string& chosen = settings.precision_standard;
  if (chosen.empty()) return load_standards(installed_config("precision_standard.yaml"));
  Standards standards;
  naming_origin(settings, "precision_standard", chosen, [&] { standards = load_standards(chosen); });
  return standards;
}

const ApiList& quantization_apis(const Settings& settings, const Standards& standards) {
  const bool given = !settings.quantization_api_list.empty() || settings.origin.contains("quantization_api_list");
  return given ? settings.quantization_api_list : standards.quantization_apis;
}

}  // namespace msprobe::config
