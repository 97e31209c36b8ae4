#include "check/jump_bins.h"

#include <ATen/ATen.h>

#include <cmath>

#include "check/epsilon.h"
#include "config/api_facts.h"
#include "inputs/places.h"
#include "signatures/find_argument.h"

namespace msprobe::check {
namespace {

/// Equal bins between two bounds.
struct Bins {
  double low = 0, high = 0;
  int64_t count = 0;
};

double number_of(const Rebuilt& r, const char* parameter, double otherwise) {
  const auto place =
      signatures::find_argument(config::installed_api_facts(), r.name(), inputs::shape_of(r.inputs), parameter).place;
  if (!place) return otherwise;
  const inputs::Value& value = inputs::at(r.inputs, *place);
  if (const auto* real = value.get_if<double>()) return *real;
  if (const auto* integer = value.get_if<int64_t>()) return static_cast<double>(*integer);
  return otherwise;
}

// torch.histc: equal bounds stand for those of the data; if these are equal too, for one more on either side.
Bins bins_of(const Rebuilt& r, const at::Tensor& x, int64_t count) {
  Bins bins{number_of(r, "min", 0), number_of(r, "max", 0), count};
  if (bins.low == bins.high && x.numel() > 0) {
    bins.low = x.min().item<double>();
    bins.high = x.max().item<double>();
  }
  if (bins.low == bins.high) bins.low -= 1, bins.high += 1;
  return bins;
}

// How many of `positions` lie below each inner edge 1 .. count - 1.
at::Tensor below_edges(const at::Tensor& positions, int64_t count) {
  const at::Tensor bin = positions.floor().clamp(0, static_cast<double>(count - 1)).to(at::kLong);
  return at::bincount(bin, {}, count).cumsum(0).to(at::kDouble).narrow(0, 0, count - 1);
}

}  // namespace

std::optional<BesideJumps> counts_beside_edges(const Rebuilt& r, const config::Jump& jump, const at::Tensor& golden,
                                               const at::Tensor& device) {
  const auto place =
      signatures::find_argument(config::installed_api_facts(), r.name(), inputs::shape_of(r.inputs), jump.bins).place;
  const auto* given = place ? inputs::at(r.inputs, *place).get_if<at::Tensor>() : nullptr;
  if (given == nullptr || !at::isFloatingType(given->scalar_type()) || golden.dim() != 1) return std::nullopt;
  const at::Tensor all = given->detach().reshape(-1).to(at::kDouble);
  const Bins bins = bins_of(r, all, golden.numel());
  const double width = (bins.high - bins.low) / static_cast<double>(bins.count);
  if (!(width > 0) || !std::isfinite(width)) return std::nullopt;
  const at::Tensor x = all.index({at::logical_and(all >= bins.low, all <= bins.high)});
  const at::Tensor position = (x - bins.low) / width;
  // x, the bound and the quotient are rounded.
  const at::Tensor error = (x.abs() + std::abs(bins.low) + (x - bins.low)) * (epsilon_of(given->scalar_type()) / width);

  const at::Tensor counts = golden.to(at::kDouble), seen = device.to(at::kDouble);
  const at::Tensor total = counts.sum();
  if (total.item<double>() != static_cast<double>(x.numel())) return std::nullopt;  // bounds that are not these
  const at::Tensor least = below_edges(position + error, bins.count), most = below_edges(position - error, bins.count);
  const at::Tensor moved = at::minimum(at::maximum(seen.cumsum(0).narrow(0, 0, bins.count - 1), least), most);
  const at::Tensor cumulative = at::cat({at::zeros({1}, at::kDouble), moved, total.reshape(1)});
  const at::Tensor beside = at::diff(cumulative);
  const auto elements = (moved - counts.cumsum(0).narrow(0, 0, bins.count - 1)).abs().sum().item<double>();
  if (elements == 0) return std::nullopt;
  return BesideJumps{beside.to(golden.scalar_type()), jump_note(static_cast<int64_t>(elements), all.numel())};
}

}  // namespace msprobe::check
