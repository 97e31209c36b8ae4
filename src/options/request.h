// What a command line asks for, in plain data.
#pragma once
#include <string>
#include <vector>

#include "config/settings.h"
#include "options/commands.h"

namespace msprobe::options {

enum class Command { kAccCheck, kMultiAccCheck, kPrecisionCompare, kMerge, kApis, kDiff, kOverview };

struct Request {
  Command command = Command::kAccCheck;
  bool help = false;
  bool show_config = false;
  std::string config_path;            ///< -config; empty: $MSPROBE_CONFIG, else the installed config.yaml
  config::Settings settings;          ///< the file's, then the command line's
  std::string npu_csv, gpu_csv;       ///< api_precision_compare
  Commands commands;                  ///< acc_check, multi_acc_check
  std::vector<std::string> parts;     ///< merge: result files, or folders that hold them
  std::vector<std::string> results;   ///< diff: OLD and NEW
  std::vector<std::string> dumps;     ///< overview: dump.json files, or folders above them
  std::vector<std::string> warnings;  ///< for the log, once there is one
};

}  // namespace msprobe::options
