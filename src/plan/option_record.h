// The options that a run was begun with, as its result file keeps them: one `key=value` a line
// (ResultFiles::set_options).
#pragma once
#include <cstddef>
#include <string>

#include "config/declarations.h"
#include "config/settings.h"
#include "dump/index.h"
#include "report/run_options.h"

namespace msprobe::plan {

/// Every setting whose declaration does not say that it is not asked for, and what the run found: the dump, LibTorch.
/// `apis`: rows that the run is to write in all. Long values are cut and told apart by a hash, since an attribute holds
/// a few KB.
std::string option_record(const config::Settings& settings, const dump::Index& index, size_t apis);

using report::option_differences;
using report::OptionDifference;
using report::recorded_option;
using report::with_option;

/// Whether rows made with another value of this key of the record may stand in one file: not, unless the setting is
/// declared as one on which rows do not depend.
bool rows_depend_on(const std::string& key);
/// What merge does about parts that differ in this key.
config::Parts parts_rule(const std::string& key);

}  // namespace msprobe::plan
