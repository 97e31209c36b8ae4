// The files that a run writes: made before the first API, or gone on with.
#pragma once
#include <string>

#include "config/settings.h"
#include "report/error_folder.h"
#include "report/result_files.h"

namespace msprobe::run {

/// The folder of the result files: -o, of a part (--shard) a folder of its own below it.
std::string out_folder(const config::Settings& settings);

/// New result files, or with settings.result_csv_path those to go on with; folders are made when absent, and the folder
/// of saved tensors is claimed with them. Signals are held from here on. Throws Error or WriteError: a folder that
/// cannot be made or written to, and as report::ResultFiles and report::ErrorFolder do.
report::ResultFiles open_files(const config::Settings& settings, report::ErrorFolder& error_folder);

/// From here on the log goes also to accuracy_checking_{timestamp}.log beside the result files.
void log_beside(const report::ResultFiles& files, int verbosity);

}  // namespace msprobe::run
