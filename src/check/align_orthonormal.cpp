#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "check/decomposition_layout.h"
#include "util/count_of.h"

namespace msprobe::check {
namespace {

using inputs::Value;

// The vectors of one output, as columns in the golden's precision, batches in one dimension.
struct Columns {
  Vectors where;
  at::Tensor golden, device;
  at::Tensor turn;      // square matrices: golden x turn is as near to device as may be
  bool factors = true;  // turn is diagonal
  int64_t grouped = 0;  // columns that were turned together with others

  at::Tensor overlap(int64_t batch, const at::Tensor& columns) const {
    return at::matmul(golden[batch].index_select(1, columns).mH(), device[batch].index_select(1, columns));
  }
  void set_turn(int64_t batch, const at::Tensor& columns, const at::Tensor& block) {
    turn[batch].index_put_({columns.unsqueeze(1), columns.unsqueeze(0)}, block);
    factors = false;
    grouped += columns.size(0) > 1 ? columns.size(0) : 0;
  }
};

at::Tensor in_one_batch(const at::Tensor& t) {
  return t.reshape({-1, t.size(-2), t.size(-1)});
}

// The unitary matrix nearest to an overlap: what turns one orthonormal basis of a space to another (Procrustes).
at::Tensor nearest_unitary(const at::Tensor& overlap) {
  const auto [u, s, vh] = at::linalg_svd(overlap, /*full_matrices=*/false);
  return at::matmul(u, vh);
}

// Which vectors of one matrix hang together.
struct Groups {
  std::vector<std::vector<int64_t>> equal;  // two or more each
  std::vector<int64_t> null;                // singular values that count as 0
};

// `values` in order of size, rising or falling.
Groups group(const double* values, int64_t n, double epsilon, Kind kind) {
  Groups groups;
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(values[i]));
  const double gap = kGap * epsilon * largest;
  std::vector<int64_t> run;
  const auto close = [&] {
    if (run.size() > 1) groups.equal.push_back(run);
    run.clear();
  };
  for (int64_t i = 0; i < n; ++i) {
    if (kind == Kind::kSingular && values[i] <= gap) {
      groups.null.push_back(i);
      continue;
    }
    if (!run.empty() && std::abs(values[i] - values[run.back()]) > gap) close();
    run.push_back(i);
  }
  close();
  return groups;
}

void turn_groups(std::vector<Columns>& sides, int64_t batch, const Groups& groups, int64_t values) {
  for (const auto& members : groups.equal) {
    const at::Tensor columns = at::tensor(members, at::kLong);
    at::Tensor overlap = sides[0].overlap(batch, columns);
    for (size_t s = 1; s < sides.size(); ++s) overlap = overlap + sides[s].overlap(batch, columns);
    const at::Tensor block = nearest_unitary(overlap);  // u and v of a singular value turn together
    for (Columns& side : sides) side.set_turn(batch, columns, block);
  }
  // What a matrix maps to 0, and what it does not reach: each side's own space.
  for (Columns& side : sides) {
    std::vector<int64_t> rest = groups.null;
    for (int64_t i = values; i < side.golden.size(-1); ++i) rest.push_back(i);
    if (rest.empty()) continue;
    const at::Tensor columns = at::tensor(rest, at::kLong);
    side.set_turn(batch, columns, nearest_unitary(side.overlap(batch, columns)));
  }
}

// The columns of all outputs that hold vectors; none where the sides cannot be matched. `n` values a matrix.
std::vector<Columns> columns_of(const Layout& layout, const Outputs& golden, const Outputs& device, int64_t batches,
                                int64_t n) {
  std::vector<Columns> sides;
  for (const Vectors& where : layout.vectors) {
    if (where.output < 0) continue;
    const auto vectors = both(golden, device, where.output);
    if (!vectors) return {};
    Columns side{where, in_one_batch(vectors->golden), in_one_batch(vectors->device), {}};
    if (where.rows) side.golden = side.golden.mH(), side.device = side.device.mH();
    if (side.golden.size(0) != batches || side.golden.size(-1) < n) return {};
    sides.push_back(std::move(side));
  }
  return sides;
}

// The factors of single vectors, as diagonal matrices: u and v of a singular value have the same.
void set_factors(std::vector<Columns>& sides, int64_t n) {
  at::Tensor overlap;
  for (const Columns& side : sides) {
    const at::Tensor part = (side.golden.conj() * side.device).narrow(-1, 0, n).sum(-2);
    overlap = overlap.defined() ? overlap + part : part;
  }
  const at::Tensor factors = phases(overlap);
  for (Columns& side : sides)
    side.turn = at::diag_embed(at::constant_pad_nd(factors, {0, side.golden.size(-1) - n}, 1));
}

// How the golden's vectors are to be turned; none where the sides cannot be matched.
std::vector<Columns> turned_columns(const Layout& layout, const Outputs& golden, const Outputs& device) {
  at::NoGradGuard no_grad;
  const auto found = both(golden, device, layout.values);
  if (!found) return {};
  at::Tensor values = found->golden.to(at::kDouble);
  values = values.reshape({-1, values.size(-1)}).contiguous();
  const int64_t n = values.size(-1), batches = values.size(0);
  auto sides = columns_of(layout, golden, device, batches, n);
  if (sides.empty()) return {};
  set_factors(sides, n);
  const double epsilon = epsilon_of_output(device, layout.values);
  for (int64_t b = 0; b < batches; ++b)
    turn_groups(sides, b, group(values.const_data_ptr<double>() + b * n, n, epsilon, layout.kind), n);
  return sides;
}

at::Tensor turned(const at::Tensor& output, const Columns& side) {
  auto sizes = output.sizes().vec();
  sizes[sizes.size() - 2] = sizes[sizes.size() - 1] = side.turn.size(-1);
  const at::Tensor turn = side.turn.reshape(sizes);
  if (!side.factors) return side.where.rows ? at::matmul(turn.mH(), output) : at::matmul(output, turn);
  const at::Tensor factor = turn.diagonal(0, -2, -1);
  return side.where.rows ? output * factor.conj().unsqueeze(-1) : output * factor.unsqueeze(-2);
}

}  // namespace

Aligned align_orthonormal(const Layout& layout, Outputs golden, const Outputs& device, bool grad_mode) {
  Aligned aligned{std::move(golden), {}};
  const std::string equal =
      std::string(layout.kind == Kind::kSingular ? "singular values are equal or 0" : "eigenvalues are equal") +
      " to within what the dtype resolves";
  for (const Columns& side : turned_columns(layout, aligned.golden, device)) {
    const auto i = static_cast<size_t>(side.where.output);
    {
      at::AutoGradMode grad(grad_mode);
      aligned.golden[i] = Value(turned(aligned.golden[i].get<at::Tensor>(), side));
    }
    const int64_t all = side.golden.size(0) * side.golden.size(-1);
    std::string text = util::count_of(all - side.grouped, "vector") + " compared " + factor_word(side.golden);
    if (side.grouped > 0) {
      text += ", " + std::to_string(side.grouped) + " as bases of the same spaces: their " + equal;
      aligned.alignment.no_gradient = "the " + equal + ", and the vectors' gradient divides by how they differ";
    }
    aligned.alignment.notes[i] = text;
    aligned.alignment.vectors.insert(i);
  }
  return aligned;
}

}  // namespace msprobe::check
