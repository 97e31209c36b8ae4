// What a command line asks for, in plain data.
#pragma once
#include <string>
#include <vector>

#include "compare/options.h"
#include "config/settings.h"

namespace msprobe::cli {

enum class Command { kAccCheck, kMultiAccCheck, kPrecisionCompare, kMerge, kApis };

/// Commands for a person to copy, with the options that were given.
struct Commands {
  std::string repeat;  ///< checks this dump again; `--only REGEX` may be put behind it
  std::string resume;  ///< goes on with this run; `-csv_path CSV` is to be put behind it
};

struct Request {
  Command command = Command::kAccCheck;
  bool help = false;
  bool show_config = false;
  std::string config_path;            ///< -config; empty: $MSPROBE_CONFIG, else the installed config.yaml
  config::Settings settings;          ///< the file's, then the command line's
  compare::CompareOptions compare;    ///< api_precision_compare
  Commands commands;                  ///< acc_check, multi_acc_check
  std::vector<std::string> parts;     ///< merge: result files, or folders that hold them
  std::vector<std::string> warnings;  ///< for the log, once there is one
};

}  // namespace msprobe::cli
