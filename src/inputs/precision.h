// The two copies of a call's arguments: golden (raised precision, CPU) and device (recorded precision, moved).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "dump/api_name.h"
#include "dump/argument.h"
#include "inputs/value.h"

namespace msprobe::inputs {

/// Copies for the golden side: every floating tensor to float64 (complex to complex128) and floating dtype= values with
/// it; profile mindstudio: docs/execution.md#golden-precision. `type_as` is never raised. Tensors that require grad
/// become fresh leaves. Integer and bool tensors are cloned. Python numbers stay. device= keywords are dropped.
/// not_raised: the API is one of those whose golden keeps the recorded precision (config/signatures.yaml).
Arguments golden_arguments(const Arguments& recorded, const dump::ApiName& name, config::Profile profile,
                           bool not_raised = false);

/// Copies for the CPU's second opinion on a verdict (docs/verdicts.md#the-yardsticks): as the golden's, in float32
/// (complex64) in place of every other floating (complex) dtype.
Arguments second_arguments(const Arguments& recorded);
/// The dtype that it has there.
at::ScalarType second_dtype(at::ScalarType recorded);
/// Is it the recorded call itself, since no argument has another dtype there?
bool is_second(const Arguments& recorded);

/// The same for a golden whose positions are computed in float32 (config/jumps.h): half types become float32, float32
/// and float64 stay.
Arguments single_arguments(const Arguments& recorded);

/// Copies for the device side: recorded dtypes, fresh leaves that require grad where the record says so, moved to
/// `device`; device= keywords become `device` (dropped on the CPU). What LibTorch reads on the host (tensor_split's
/// indices, batch sizes of packed sequences) stays on the CPU.
Arguments device_arguments(const Arguments& recorded, const dump::ApiName& name, at::Device device);

/// The dtype that autocast ran in, if the record shows that it did (docs/execution.md#device-precision): arguments that
/// mix floating dtypes, or a first output whose floating dtype is not the arguments'. nullopt: no autocast.
std::optional<at::ScalarType> autocast_dtype(const Arguments& recorded,
                                             const std::vector<dump::Argument>* recorded_output);

}  // namespace msprobe::inputs
