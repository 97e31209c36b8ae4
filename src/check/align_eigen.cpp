#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "check/decomposition_layout.h"
#include "util/count_of.h"

namespace msprobe::check {
namespace {

using inputs::Value;
using Complex = c10::complex<double>;

// Which golden eigenvalue stands for each of the device's: the same place where all are near, else the nearest left.
std::vector<int64_t> match(const Complex* golden, const Complex* device, int64_t n, double gap) {
  std::vector<int64_t> places(static_cast<size_t>(n));
  bool same = true;
  for (int64_t i = 0; i < n; ++i) {
    places[static_cast<size_t>(i)] = i;
    same &= std::abs(golden[i] - device[i]) <= gap;
  }
  if (same) return places;
  std::vector<bool> taken(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    int64_t best = -1;
    for (int64_t j = 0; j < n; ++j) {
      if (taken[static_cast<size_t>(j)]) continue;
      if (best < 0 || std::abs(golden[j] - device[i]) < std::abs(golden[best] - device[i])) best = j;
    }
    taken[static_cast<size_t>(best)] = true;
    places[static_cast<size_t>(i)] = best;
  }
  return places;
}

// Of all matrices; both of the eigenvalues' shape.
struct Matching {
  at::Tensor order;    // int64: the golden eigenvalue that stands for each of the device's
  at::Tensor single;   // bool: no other eigenvalue of the matrix is equal to it
  bool moved = false;  // `order` is not theirs
};

// One matrix; results go to `order` and `single`.
void match_matrix(const Complex* golden, const Complex* device, int64_t n, double epsilon, int64_t* order,
                  bool* single) {
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(golden[i]));
  const double gap = kGap * epsilon * largest;
  const auto places = match(golden, device, n, gap);
  std::copy(places.begin(), places.end(), order);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (j != i && std::abs(golden[order[j]] - golden[order[i]]) <= gap) single[i] = false;
}

Matching match_all(const Pair& values, double epsilon) {
  at::NoGradGuard no_grad;
  const auto& sizes = values.golden.sizes();
  const int64_t n = sizes.back(), batches = values.golden.numel() / n;
  at::Tensor order = at::empty({batches, n}, at::kLong), single = at::ones({batches, n}, at::kBool);
  const at::Tensor golden = values.golden.to(at::kComplexDouble).contiguous();
  const at::Tensor device = values.device.to(at::kComplexDouble).contiguous();
  for (int64_t b = 0; b < batches; ++b)
    match_matrix(golden.const_data_ptr<Complex>() + b * n, device.const_data_ptr<Complex>() + b * n, n, epsilon,
                 order.mutable_data_ptr<int64_t>() + b * n, single.mutable_data_ptr<bool>() + b * n);
  const bool moved = !at::equal(order, at::arange(n, at::kLong).expand({batches, n}));
  return {order.reshape(sizes), single.reshape(sizes), moved};
}

// The golden's vectors at output `i`: in the order of their values, each turned to the device's.
void align_vectors(const Matching& matching, const at::Tensor& device, size_t i, Aligned& aligned) {
  at::Tensor vectors = aligned.golden[i].get<at::Tensor>();
  if (matching.moved) vectors = at::gather(vectors, -1, matching.order.unsqueeze(-2).expand(vectors.sizes()));
  const at::Tensor factor = phases((vectors.detach().conj() * device).sum(-2));
  aligned.golden[i] = Value(vectors * factor.unsqueeze(-2));
  const int64_t judged = matching.single.sum().item<int64_t>(), left = matching.single.numel() - judged;
  std::string text = util::count_of(judged, "vector") + " compared " + factor_word(vectors);
  if (left > 0) {
    aligned.alignment.judged[i] = matching.single;
    text += ", " + std::to_string(left) + " not judged: their eigenvalues are equal to within what the dtype resolves";
    aligned.alignment.no_gradient =
        "eigenvalues are equal to within what the dtype resolves, and the vectors' gradient divides "
        "by how they differ";
  }
  aligned.alignment.notes[i] = text;
  aligned.alignment.vectors.insert(i);
}

}  // namespace

Aligned align_eigen(const Layout& layout, Outputs golden, const Outputs& device, bool grad_mode) {
  Aligned aligned{std::move(golden), {}};
  const auto found = both(aligned.golden, device, layout.values);
  if (!found) return aligned;
  const Matching matching = match_all(*found, epsilon_of_output(device, layout.values));
  at::AutoGradMode grad(grad_mode);
  if (matching.moved) {
    Value& values = aligned.golden[static_cast<size_t>(layout.values)];
    values = Value(at::gather(values.get<at::Tensor>(), -1, matching.order));
    aligned.alignment.notes[static_cast<size_t>(layout.values)] = "golden's eigenvalues put in the device's order";
  }
  const int place = layout.vectors[0].output;
  const auto vectors = place < 0 ? std::nullopt : both(aligned.golden, device, place);
  if (vectors && vectors->golden.size(-1) == found->golden.size(-1))
    align_vectors(matching, vectors->device, static_cast<size_t>(place), aligned);
  return aligned;
}

}  // namespace msprobe::check
