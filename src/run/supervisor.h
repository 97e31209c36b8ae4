// Runs a list of APIs and writes their rows in dump order. The supervisor touches no tensor; workers forked from it do.
#pragma once
#include "pool/run_end.h"
#include "report/result_files.h"
#include "report/terminal.h"
#include "run/work.h"

namespace msprobe::run {

/// Appends the rows of `work.todo` to `files` in that order. One worker a device (acc_check) or settings.num_splits of
/// them spread over settings.devices (multi_acc_check).
pool::RunEnd supervise(const Work& work, report::ResultFiles& files, report::Terminal& terminal);

}  // namespace msprobe::run
