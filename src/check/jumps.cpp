#include "check/jumps.h"

#include <ATen/ATen.h>

#include <array>

#include "check/backward.h"
#include "check/epsilon.h"
#include "check/jump_arguments.h"
#include "check/jump_bins.h"
#include "check/outputs.h"
#include "config/api_facts.h"
#include "inputs/places.h"
#include "signatures/find_argument.h"
#include "util/count_of.h"

namespace msprobe::check {
namespace {

using inputs::Value;

std::optional<inputs::Place> place_of(const Rebuilt& r, const std::string& parameter) {
  return signatures::find_argument(config::installed_api_facts(), r.name(), inputs::shape_of(r.inputs), parameter)
      .place;
}

/// Goldens of inputs one rounding error up and down.
class Neighbours {
 public:
  Neighbours(const Session& session, const Rebuilt& r, const Called& called, inputs::Place place)
      : session_(session), rebuilt_(r), called_(called), place_(place) {
    const auto* recorded = inputs::at(r.inputs, place).get_if<at::Tensor>();
    if (recorded != nullptr && at::isFloatingType(recorded->scalar_type()))
      epsilon_ = epsilon_of(recorded->scalar_type());
    else if (inputs::at(r.inputs, place).is<double>())
      epsilon_ = epsilon_of(smallest_dtype());
  }
  double epsilon() const { return epsilon_; }  ///< 0: the argument is not rounded

  /// The golden's call with the argument times 1 + steps * epsilon().
  Side call(int steps) const {
    Notes told_already;
    Side side = prepare(session_, rebuilt_, called_.golden_call, told_already);
    Value& value = inputs::at(side.arguments, place_);
    const double factor = 1 + steps * epsilon_;
    if (auto* t = value.get_if<at::Tensor>()) {
      const at::NoGradGuard constant;
      t->mul_(factor);
    } else if (auto* number = value.get_if<double>()) {
      *number *= factor;
    }
    side = call_golden(session_, rebuilt_, called_.golden_call.way, std::move(side));
    session_.enter(outcome::Stage::kComparison);
    return side;
  }
  /// The argument, as far as elements of an output of this shape are its own.
  at::Tensor argument(at::IntArrayRef sizes) const {
    const auto* t = inputs::at(rebuilt_.inputs, place_).get_if<at::Tensor>();
    return t != nullptr && t->sizes() == sizes ? t->detach().to(at::kDouble).abs() : at::Tensor();
  }

 private:
  // A number is rounded to the dtype of the tensors that it meets.
  at::ScalarType smallest_dtype() const {
    at::ScalarType dtype = at::kDouble;
    inputs::Arguments arguments = rebuilt_.inputs;  // tensors are shared, not copied
    for_each_tensor(arguments, [&](at::Tensor& t) {
      if (at::isFloatingType(t.scalar_type()) && epsilon_of(t.scalar_type()) > epsilon_of(dtype))
        dtype = t.scalar_type();
    });
    return dtype;
  }

  const Session& session_;
  const Rebuilt& rebuilt_;
  const Called& called_;
  const inputs::Place place_;
  double epsilon_ = 0;
};

// Beside its jumps none of these functions grows faster than its argument: what changes by more than twice a rounding
// error of it has jumped. Integers and bools change by jumps alone.
at::Tensor jumped(const at::Tensor& here, const at::Tensor& there, const at::Tensor& argument, double epsilon) {
  if (!at::isFloatingType(here.scalar_type())) return here != there;
  at::Tensor scale = at::maximum(here.abs(), there.abs()).to(at::kDouble);
  if (argument.defined()) scale = at::maximum(scale, argument);
  const at::Tensor far = at::abs(there.to(at::kDouble) - here) > scale * (2 * epsilon);
  // From one integer to another is a jump, however large they are: the quotients of div(rounding_mode=).
  return far.logical_or((here != there).logical_and(at::floor(here) == here).logical_and(at::floor(there) == there));
}

BesideJumps nearest_side(const at::Tensor& golden, const std::array<at::Tensor, 2>& sides, const at::Tensor& device,
                         const Neighbours& neighbours) {
  const at::Tensor argument = neighbours.argument(golden.sizes());
  const at::Tensor d = device.to(at::kDouble);
  at::Tensor nearest = golden, moved = at::zeros(golden.sizes(), at::kBool);
  for (const at::Tensor& side : sides) {
    if (side.sizes() != golden.sizes() || side.scalar_type() != golden.scalar_type()) continue;
    const at::Tensor nearer = at::abs(d - side.to(at::kDouble)) < at::abs(d - nearest.to(at::kDouble));
    const at::Tensor taken = jumped(golden, side, argument, neighbours.epsilon()).logical_and_(nearer);
    nearest = at::where(taken, side, nearest);
    moved.logical_or_(taken);
  }
  return {nearest, jump_note(moved.sum().item<int64_t>(), golden.numel())};
}

bool can_be_compared(const at::Tensor& golden, const at::Tensor& device) {
  return golden.defined() && device.defined() && golden.sizes() == device.sizes() && golden.numel() > 0 &&
         !golden.is_complex() && !device.is_complex();
}

/// Finds the neighbour's tensor in a side of the golden that was called.
template <class Find>
std::optional<BesideJumps> beside(const Session& session, const Rebuilt& r, const Called& called,
                                  const at::Tensor& golden, const at::Tensor& device, const Find& find) {
  const config::Jump* jump = jump_of(session, r);
  if (jump == nullptr || jump->near.empty() || !can_be_compared(golden, device)) return std::nullopt;
  if (session.goldens.users_golden(r.name()) != nullptr) return std::nullopt;
  const auto place = place_of(r, jump->near);
  if (!place) return std::nullopt;
  const Neighbours neighbours(session, r, called, *place);
  if (neighbours.epsilon() == 0) return std::nullopt;
  const std::array<at::Tensor, 2> sides = {find(neighbours.call(1)), find(neighbours.call(-1))};
  if (!sides[0].defined() || !sides[1].defined()) return std::nullopt;
  BesideJumps found = nearest_side(golden, sides, device, neighbours);
  return found.note.empty() ? std::nullopt : std::optional(std::move(found));
}

at::Tensor tensor_in(const std::vector<Value>& values, size_t i) {
  const auto* t = i < values.size() ? values[i].get_if<at::Tensor>() : nullptr;
  return t != nullptr && t->defined() && !t->is_meta() ? comparable(*t) : at::Tensor();
}

at::Tensor tensor_in(const std::vector<at::Tensor>& tensors, size_t i) {
  return i < tensors.size() && tensors[i].defined() ? comparable(tensors[i]) : at::Tensor();
}

}  // namespace

std::string jump_note(int64_t moved, int64_t elements) {
  if (moved == 0) return "";
  return std::to_string(moved) + " of " + util::count_of(static_cast<size_t>(elements), "element") +
         " within one rounding error of a jump " + (moved == 1 ? "is" : "are") + " taken from its other side";
}

std::optional<BesideJumps> output_beside_jumps(const Session& session, const Rebuilt& r, const Called& called,
                                               size_t i) {
  const at::Tensor golden = tensor_in(called.golden.outputs, i), device = tensor_in(called.device.outputs, i);
  const config::Jump* jump = jump_of(session, r);
  if (jump != nullptr && !jump->bins.empty() && can_be_compared(golden, device))
    return counts_beside_edges(r, *jump, golden, device);
  return beside(session, r, called, golden, device, [i](const Side& side) { return tensor_in(side.outputs, i); });
}

std::optional<BesideJumps> gradient_beside_jumps(const Session& session, const Rebuilt& r, const Called& called,
                                                 size_t i) {
  const at::Tensor golden = tensor_in(called.gradients.golden, i), device = tensor_in(called.gradients.device, i);
  return beside(session, r, called, golden, device, [&](const Side& side) {
    session.enter(outcome::Stage::kGoldenBackward);
    const auto gradients = run_backward(side.outputs, r.output_gradients, called.gradients.plan, side.leaves);
    session.enter(outcome::Stage::kComparison);
    return tensor_in(gradients, i);
  });
}

}  // namespace msprobe::check
