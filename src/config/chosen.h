// Files that the configuration names, opened with messages that say where they were named.
#pragma once
#include <functional>
#include <string>

#include "config/settings.h"
#include "config/standards.h"

namespace msprobe::config {

/// The standards of settings.precision_standard, or the installed ones.
Standards chosen_standards(const Settings& settings);

/// `settings` with the values that the standards stand in for: the standard's path, and its list of quantising APIs.
Settings in_effect(Settings settings);

/// The APIs whose integer outputs may differ a little: quantization_api_list where it is given ([]: none), else the
/// standards' list. Refers to one of the two.
const ApiList& quantization_apis(const Settings& settings, const Standards& standards);

/// Calls `read`; where it throws Error because `file` itself cannot be opened, the Error is at the place that named it
/// (`config.json:3: precision_standard`).
void naming_origin(const Settings& settings, const std::string& key, const std::string& file,
                   const std::function<void()>& read);

}  // namespace msprobe::config
