// A dump as users name it: folders are told from files, and what is likely a slip of the pen is said before the run.
#pragma once
#include <string>

#include "config/settings.h"
#include "dump/index.h"
#include "goldens/registry.h"

namespace msprobe::run {

/// Opens a dump.json, and warns of tasks and levels of the dumper that record too little. Throws Error as
/// dump::Index::open does, for a folder, with the dump.json in it, for a file of another kind, and where there is no
/// API to check (run/dump_contents.h).
dump::Index open_dump(const std::string& path);

/// Names of the white and black lists that nothing in the dump has.
void warn_of_unknown_names(const config::Settings& settings, const dump::Index& index);

/// Goldens of users for an API that is not in the dump where one much like it is.
void warn_of_misspelt_goldens(const dump::Index& index, const goldens::Registry& goldens);

/// Backward entries that are left out.
void warn_of_orphans(const dump::Index& index);

}  // namespace msprobe::run
