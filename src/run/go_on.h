// Going on with an interrupted run: what is left of it, and what it was begun with.
#pragma once
#include <cstddef>
#include <vector>

#include "config/settings.h"
#include "dump/index.h"
#include "report/result_files.h"

namespace msprobe::run {

/// Of `todo` what the resumed `files` have no rows of. Says so in the log, and that -o is not used where it names
/// another folder. Throws Error as plan::remaining and plan::check_options do.
std::vector<size_t> left_to_do(const config::Settings& settings, const dump::Index& index,
                               const std::vector<size_t>& todo, const report::ResultFiles& files);

/// Keeps the options of this run in its files; where a run goes on, those of its beginning, and warns of the
/// differences. `threads`: CPU threads of the run; `apis`: rows that it is to write in all.
void record_options(config::Settings settings, int threads, const dump::Index& index, size_t apis,
                    report::ResultFiles& files);

}  // namespace msprobe::run
