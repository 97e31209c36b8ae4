// A command line becomes a Request.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "options/options.h"

namespace msprobe::options {

/// Reads the settings that the command line then overrides: config::load_settings, or a test's.
using SettingsLoader = std::function<config::Settings(const std::string& config_path)>;
/// An environment variable's value, nullptr when unset: std::getenv, or a test's.
using Environment = std::function<const char*(const char* name)>;

/// Parses the arguments of a subcommand (any spelling that compat.h takes), loads the settings they name, and puts the
/// options over them; Settings::origin says "command line" for those. With -h nothing is loaded, and nothing else may
/// be missing. Throws Error for bad usage and whatever the loader throws.
Request parse(Command command, const std::vector<std::string>& arguments, const SettingsLoader& load,
              const Environment& environment);

}  // namespace msprobe::options
