// The subcommands; each gets what its command line said and returns an exit code (exit_code.h).
// All throw Error as long as nothing was run or written: bad usage or unreadable input.
#pragma once
#include <string>
#include <vector>

#include "cli/request.h"
#include "compare/options.h"
#include "config/settings.h"

namespace msprobe::cli {

/// Runs the APIs of settings.api_info, one worker a device, and writes the two CSV files. Once the first API has been
/// run nothing is thrown: what was done is kept, and the exit code tells.
int acc_check(const config::Settings& settings, const Commands& commands);
/// The same by settings.num_splits workers, at most 8 a device.
int multi_acc_check(const config::Settings& settings, const Commands& commands);

/// Judges an NPU's details file by a GPU's.
int api_precision_compare(const compare::CompareOptions& options);

/// Joins the files of a run's parts: result CSVs, or folders that hold shard_{i}_of_{n} folders.
int merge(const std::vector<std::string>& parts, const std::string& out_path, const std::string& fail_on);

/// Prints one line a name of config/api_universe.txt to stdout: how it would be replayed, or why not (coverage.h); then
/// totals by prefix. settings.only: a regular expression on the name; empty: all. Error when nothing matches.
int apis(const config::Settings& settings);

}  // namespace msprobe::cli
