#include "check/side.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "check/autocast.h"
#include "check/jump_arguments.h"
#include "check/lost_dtype.h"
#include "check/outputs.h"
#include "inputs/precision.h"

namespace msprobe::check {
namespace {

using inputs::Value;

at::ScalarType raised_dtype(config::Profile profile, at::ScalarType dtype) {
  if (profile == config::Profile::kDocumented) {
    if (at::isComplexType(dtype)) return at::kComplexDouble;
    return at::isFloatingType(dtype) ? at::kDouble : dtype;
  }
  if (dtype == at::kHalf || dtype == at::kBFloat16) return at::kFloat;
  return dtype == at::kFloat ? at::kDouble : dtype;
}

// All tensors of the positional arguments; of the keyword ones those that require a gradient, or all where there are no
// others.
Side with_leaves(config::Profile profile, const Rebuilt& r, inputs::Arguments arguments) {
  Side side;
  side.arguments = std::move(arguments);
  size_t place = 0;
  const auto add = [&](at::Tensor& t) {
    side.leaves.push_back(t);
    side.leaf_places.push_back(place++);
  };
  for (auto& a : side.arguments.args) for_each_tensor(a, add);
  side.positional_leaves = side.leaves.size();
  const bool all = side.leaves.empty(), some = profile == config::Profile::kDocumented;
  for (auto& [n, a] : side.arguments.kwargs)
    for_each_tensor(a, [&](at::Tensor& t) {
      if (all || (some && t.requires_grad()))
        add(t);
      else
        ++place;
    });
  // Python's program had a non-leaf where it changed a tensor that requires grad in place; a leaf would refuse.
  if (r.in_place && r.grad_mode) {
    for_each_tensor(side.arguments, [](at::Tensor& t) {
      if (t.requires_grad() && t.is_leaf()) {
        at::AutoGradMode on(true);
        t = t.clone();
      }
    });
  }
  return side;
}

// __setitem__ and its like return nothing: what they did stands in their first argument, one tensor, or the list of a
// _foreach_ call.
std::vector<Value> changed_argument(inputs::Arguments& arguments) {
  std::vector<Value> changed;
  for (auto& a : arguments.args) {
    for_each_tensor(a, [&](at::Tensor& t) { changed.emplace_back(t); });
    if (!changed.empty()) break;
  }
  return changed;
}

Side call(const Session& session, const Rebuilt& r, const ops::Candidate& way, Side side,
          std::optional<at::ScalarType> autocast, at::DeviceType autocast_on) {
  session.device.seed(session.options.inputs.seed);
  at::AutoGradMode grad(r.grad_mode);
  Value result;
  {
    AutocastScope scope(autocast_on, autocast);
    std::optional<CastWatch> watch;
    if (scope.active() && session.options.profile() == config::Profile::kDocumented)
      watch.emplace(side.arguments, autocast_on, *autocast);
    result = way.call(side.arguments);
    if (watch) side.rounded = with_twins(r.inputs, watch->rounded());
  }
  side.outputs = flatten(result);
  const auto is_none = [](const Value& v) { return v.is_none(); };
  if (r.in_place && std::all_of(side.outputs.begin(), side.outputs.end(), is_none)) {
    if (auto changed = changed_argument(side.arguments); !changed.empty()) {
      side.outputs = std::move(changed);
      side.changed_argument = true;
    }
  }
  return side;
}

}  // namespace

Side prepare_device(const Session& session, const Rebuilt& r, bool with_dtype) {
  auto arguments = inputs::device_arguments(r.inputs, r.name(), session.device.at_device());
  if (with_dtype) put_lost_dtype(r.name(), *r.lost_dtype, arguments);
  return with_leaves(session.options.profile(), r, std::move(arguments));
}

Side prepare_golden(const Session& session, const Rebuilt& r, bool with_dtype, bool raised, const Rounded& rounded) {
  const config::Profile profile = session.options.profile();
  auto arguments = raised ? raised_arguments(session, r)
                          : inputs::golden_arguments(r.inputs, r.name(), profile, /*not_raised=*/true);
  round_as_autocast(rounded, arguments);
  if (with_dtype) put_lost_dtype(r.name(), raised ? raised_dtype(profile, *r.lost_dtype) : *r.lost_dtype, arguments);
  return with_leaves(profile, r, std::move(arguments));
}

Side prepare_second(const Session& session, const Rebuilt& r, bool with_dtype, const Rounded& rounded) {
  auto arguments = second_arguments(session, r);
  round_as_autocast(rounded, arguments);
  if (with_dtype) put_lost_dtype(r.name(), inputs::second_dtype(*r.lost_dtype), arguments);
  return with_leaves(session.options.profile(), r, std::move(arguments));
}

Side call_device(const Session& session, const Rebuilt& r, const ops::Candidate& way, Side side, bool autocast) {
  // Without an NPU its operators' goldens run on both sides.
  const bool runs_golden = r.name().type == "NPU" && session.device.type() != "npu";
  session.enter(runs_golden ? outcome::Stage::kGolden : outcome::Stage::kDevice);
  return call(session, r, way, std::move(side), autocast ? r.autocast : std::nullopt, session.device.autocast_type());
}

Side call_golden(const Session& session, const Rebuilt& r, const ops::Candidate& way, Side side) {
  session.enter(outcome::Stage::kGolden);
  return call(session, r, way, std::move(side), std::nullopt, at::kCPU);
}

Side call_recorded(const Session& session, const Rebuilt& r, const ops::Candidate& way, bool with_dtype,
                   bool autocast) {
  session.enter(outcome::Stage::kGolden);
  auto arguments = inputs::device_arguments(r.inputs, r.name(), at::kCPU);
  if (with_dtype) put_lost_dtype(r.name(), *r.lost_dtype, arguments);
  return call(session, r, way, with_leaves(session.options.profile(), r, std::move(arguments)),
              autocast ? r.autocast : std::nullopt, at::kCPU);
}

}  // namespace msprobe::check
