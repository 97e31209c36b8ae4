#include "check/positions.h"

#include <ATen/ATen.h>

#include <utility>

#include "check/jump_arguments.h"
#include "config/api_facts.h"
#include "inputs/places.h"
#include "signatures/find_argument.h"

namespace msprobe::check {
namespace {

using inputs::Value;

// Numbers up to it are exact in float32.
constexpr int64_t kMostPositions = int64_t{1} << 24;

// Batch and channels stand before the dimensions that are interpolated.
constexpr int64_t kPlane = 2;

Value copied(const ops::Candidate& way, const inputs::Arguments& arguments, const inputs::Place& place,
             at::ScalarType dtype) {
  const at::Tensor x = inputs::at(arguments, place).get<at::Tensor>();
  if (x.dim() <= kPlane || x.numel() == 0) return way.call(arguments);
  std::vector<int64_t> plane = x.sizes().slice(kPlane).vec();
  const int64_t positions = c10::multiply_integers(plane);
  if (positions > kMostPositions) return way.call(arguments);
  plane.insert(plane.begin(), {1, 1});
  inputs::Arguments asked = arguments;
  inputs::at(asked, place) = at::arange(positions, dtype).view(plane);
  const Value found = way.call(asked);
  if (!found.is_tensor()) return way.call(arguments);
  const at::Tensor from = found.get<at::Tensor>();
  std::vector<int64_t> sizes = from.sizes().vec();
  sizes[0] = x.size(0), sizes[1] = x.size(1);
  return x.flatten(kPlane).index_select(kPlane, from.flatten().to(at::kLong)).reshape(sizes);
}

}  // namespace

ops::Candidate by_positions(const Session& session, const Rebuilt& r, ops::Candidate way) {
  const config::Jump* jump = jump_of(session, r);
  if (jump == nullptr || !jump->positions) return way;
  const auto place =
      signatures::find_argument(config::installed_api_facts(), r.name(), inputs::shape_of(r.inputs), "input").place;
  if (!place || !inputs::at(r.inputs, *place).is_tensor()) return way;
  const auto& recorded = inputs::at(r.inputs, *place).get<at::Tensor>();
  if (!at::isFloatingType(recorded.scalar_type())) return way;
  const at::ScalarType dtype = recorded.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  ops::Candidate copying = way;
  copying.call = [way = std::move(way), place = *place, dtype](const inputs::Arguments& arguments) {
    return copied(way, arguments, place, dtype);
  };
  return copying;
}

}  // namespace msprobe::check
