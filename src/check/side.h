// One side of the check, golden or device: the arguments of its call, and what the call gave.
#pragma once
#include <optional>
#include <vector>

#include "check/cast_watch.h"
#include "check/rebuilt.h"
#include "check/session.h"
#include "ops/registry.h"

namespace msprobe::check {

struct Side {
  inputs::Arguments arguments;         ///< what the call gets
  std::vector<at::Tensor> leaves;      ///< whose gradients are compared (docs/execution.md#gradients), in order
  std::vector<size_t> leaf_places;     ///< of each: its place among the tensors of the arguments, in order
  size_t positional_leaves = 0;        ///< so many first ones are positional arguments
  Rounded rounded;                     ///< device: the arguments that autocast rounded
  std::vector<inputs::Value> outputs;  ///< flat; empty before the call
  bool changed_argument = false;       ///< the call returned nothing: `outputs` are its changed first argument
};

/// Fresh arguments on the device, in the recorded dtypes. with_dtype: a lost dtype becomes the recorded output's.
Side prepare_device(const Session& session, const Rebuilt& rebuilt, bool with_dtype);
/// Fresh arguments on the CPU, raised to the golden's precision or in the recorded one, those of `rounded` (the
/// device's) rounded to its dtype before.
Side prepare_golden(const Session& session, const Rebuilt& rebuilt, bool with_dtype, bool raised,
                    const Rounded& rounded = {});

/// The same in float32, for a second opinion.
Side prepare_second(const Session& session, const Rebuilt& rebuilt, bool with_dtype, const Rounded& rounded);

/// Calls a prepared side; what the call throws passes through. autocast: as the record shows it.
Side call_device(const Session& session, const Rebuilt& rebuilt, const ops::Candidate& way, Side side, bool autocast);
Side call_golden(const Session& session, const Rebuilt& rebuilt, const ops::Candidate& way, Side side);
/// On the CPU, in the recorded dtypes and as the record shows autocast, whatever the device.
Side call_recorded(const Session& session, const Rebuilt& rebuilt, const ops::Candidate& way, bool with_dtype,
                   bool autocast);

}  // namespace msprobe::check
