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

/// The options on which rows depend, one `key=value` a line; kept by ResultFiles::set_options. `apis`: rows that the
/// run is to write in all.
std::string option_record(const config::Settings& settings, const dump::Index& index, size_t apis);
struct OptionDifference {
  std::string key, then, now;
  /// "seed: 1234 then, 99 now"
  std::string text() const;
};
/// The options that both records know and that differ; none for an empty record.
std::vector<OptionDifference> option_differences(const std::string& then, const std::string& now);
/// The value of one key; empty when it is not there.
std::string recorded_option(const std::string& record, const std::string& key);
/// The record with another value of a key.
std::string with_option(const std::string& record, const std::string& key, const std::string& value);

/// Throws Error when a run was begun with another seed, dump, standard or the like: rows of both kinds in one file
/// would mean nothing. The files are then still untouched. Other options may differ (supervise warns of them).
void check_options(const config::Settings& settings, const dump::Index& index, const report::ResultFiles& files);

}  // namespace msprobe::plan
