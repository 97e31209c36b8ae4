// Runs a list of APIs and writes their rows in dump order. The supervisor touches no tensor; workers forked from it do.
#pragma once
#include <vector>

#include "config/settings.h"
#include "config/standards.h"
#include "dump/index.h"
#include "goldens/registry.h"
#include "pool/run_end.h"
#include "report/result_files.h"
#include "report/terminal.h"

namespace msprobe::run {

/// `todo`: indices into `index`, dump order; rows are appended to `files` in that order.
/// One worker a device (acc_check) or settings.num_splits of them spread over settings.devices (multi_acc_check).
pool::RunEnd supervise(const config::Settings& settings, const config::Standards& standards, const dump::Index& index,
                       const goldens::Registry& goldens, const std::vector<size_t>& todo, report::ResultFiles& files,
                       report::Terminal& terminal);

}  // namespace msprobe::run
