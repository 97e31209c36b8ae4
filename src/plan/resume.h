// Going on behind an interrupted run: is it this run's beginning, and was it asked for the same?
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "config/settings.h"
#include "dump/index.h"
#include "report/result_files.h"

namespace msprobe::plan {

/// What is left of `todo` behind the rows that `files` has. The rows must be the beginning of `todo`, in its order:
/// only then does going on give what an uninterrupted run gives. Throws Error that names the row and says what differs;
/// the files are then still untouched.
std::vector<size_t> remaining(const dump::Index& index, const std::vector<size_t>& todo,
                              const report::ResultFiles& files);

/// The same question for a list that the rows were already taken out of: every row must come before `todo` in the dump,
/// in the dump's order.
void check_done_against(const dump::Index& index, const std::vector<size_t>& todo, const report::ResultFiles& files);

/// Throws Error when a run was begun with another seed, dump, standard or the like: rows of both kinds in one file
/// would mean nothing. The files are then still untouched. Other options may differ (run/go_on warns of them).
void check_options(const config::Settings& settings, const dump::Index& index, const report::ResultFiles& files);

}  // namespace msprobe::plan
