// Dumps in which there is nothing to check: found out before anything runs, with what to record instead.
#pragma once
#include "dump/index.h"

namespace msprobe::run {

/// Throws Error where the dump holds no API: only modules (level L0), only backward entries, only names of MindSpore,
/// or nothing.
void require_apis(const dump::Index& index);

/// Throws Error where the dump refers to tensor files and not one is there: every API would be SKIP.
void require_tensor_files(const dump::Index& index);

}  // namespace msprobe::run
