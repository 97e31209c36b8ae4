#include "config/chosen.h"

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
  if (!settings.origin.contains("quantization_api_list"))
    settings.quantization_api_list.assign(standards.quantization_apis.begin(), standards.quantization_apis.end());
  return settings;
}

Standards chosen_standards(const Settings& settings) {
  const std::string& chosen = settings.precision_standard;
  if (chosen.empty()) return load_standards(installed_config("precision_standard.yaml"));
  Standards standards;
  naming_origin(settings, "precision_standard", chosen, [&] { standards = load_standards(chosen); });
  return standards;
}

}  // namespace msprobe::config
