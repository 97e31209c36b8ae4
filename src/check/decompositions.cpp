#include "check/decompositions.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "check/epsilon.h"
#include "check/outputs.h"

namespace msprobe::check {
namespace {

using inputs::Value;

// Values nearer to each other than this many epsilons of the largest (or, singular ones, to 0) count as equal: the
// rounding of one turns their vectors among themselves by more than the shares of figures allow.
constexpr double kGap = 4096;

enum class Kind { kEigen, kHermitian, kSingular };

struct Vectors {
  int output = -1;    // none: values alone
  bool rows = false;  // Vh: vectors are its rows
};

struct Layout {
  std::string_view how;  // the operator
  Kind kind;
  int values;
  std::array<Vectors, 2> vectors;
};

constexpr Layout kLayouts[] = {
    {"aten::linalg_eig", Kind::kEigen, 0, {{{1, false}, {}}}},
    {"aten::linalg_eigvals", Kind::kEigen, 0, {}},
    {"aten::_linalg_eigvals", Kind::kEigen, 0, {}},
    {"aten::linalg_eigh", Kind::kHermitian, 0, {{{1, false}, {}}}},
    {"aten::_linalg_eigh", Kind::kHermitian, 0, {{{1, false}, {}}}},
    {"aten::linalg_svd", Kind::kSingular, 1, {{{0, false}, {2, true}}}},
    {"aten::_linalg_svd", Kind::kSingular, 1, {{{0, false}, {2, true}}}},
    {"aten::svd", Kind::kSingular, 1, {{{0, false}, {2, false}}}},
};

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

bool finite(const at::Tensor& t) {
  return at::isfinite(t).all().item<bool>();
}

const at::Tensor* output(const Side& side, int i) {
  if (i < 0 || static_cast<size_t>(i) >= side.outputs.size()) return nullptr;
  const auto* t = side.outputs[static_cast<size_t>(i)].get_if<at::Tensor>();
  return t != nullptr && t->defined() && !t->is_meta() && t->numel() > 0 ? t : nullptr;
}

// Both sides of an output, plain; nothing where they cannot be matched.
std::optional<std::pair<at::Tensor, at::Tensor>> both(const Replay& r, int i) {
  const at::Tensor *g = output(r.golden, i), *d = output(r.device, i);
  if (g == nullptr || d == nullptr || g->sizes() != d->sizes()) return std::nullopt;
  const at::Tensor golden = comparable(*g), device = comparable(*d).to(golden.scalar_type());
  if (!finite(golden) || !finite(device)) return std::nullopt;
  return std::pair(golden, device);
}

// The factor of modulus 1 that turns each golden column to the device's.
at::Tensor phases(const at::Tensor& overlap) {
  const at::Tensor sign = at::sgn(overlap);
  return at::where(sign == 0, at::ones_like(sign), sign);
}

// The unitary matrix nearest to an overlap: what turns one orthonormal basis of a space to another (Procrustes).
at::Tensor nearest_unitary(const at::Tensor& overlap) {
  const auto [u, s, vh] = at::linalg_svd(overlap, /*full_matrices=*/false);
  return at::matmul(u, vh);
}

std::string plural(int64_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
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

// The golden's output, turned within the graph.
void turn_output(Replay& r, const Columns& side) {
  Value& value = r.golden.outputs[static_cast<size_t>(side.where.output)];
  const at::Tensor& old = value.get<at::Tensor>();
  at::AutoGradMode grad(r.grad_mode);
  auto sizes = old.sizes().vec();
  const int64_t k = side.turn.size(-1);
  sizes[sizes.size() - 2] = sizes[sizes.size() - 1] = k;
  const at::Tensor turn = side.turn.reshape(sizes);
  at::Tensor turned;
  if (side.factors) {
    const at::Tensor factor = turn.diagonal(0, -2, -1);
    turned = side.where.rows ? old * factor.conj().unsqueeze(-1) : old * factor.unsqueeze(-2);
  } else {
    turned = side.where.rows ? at::matmul(turn.mH(), old) : at::matmul(old, turn);
  }
  value = Value(turned);
}

std::string factor_word(const at::Tensor& vectors) {
  return vectors.is_complex() ? "up to a factor of modulus 1" : "up to sign";
}

void align_orthonormal(Replay& r, const Layout& layout) {
  std::vector<Columns> sides;
  at::Tensor values;
  double epsilon = 0;
  {
    at::NoGradGuard no_grad;
    const auto found = both(r, layout.values);
    if (!found) return;
    values = found->first.to(at::kDouble);
    values = values.reshape({-1, values.size(-1)}).contiguous();
    const int64_t n = values.size(-1), batches = values.size(0);
    at::Tensor overlap;
    for (const Vectors& where : layout.vectors) {
      if (where.output < 0) continue;
      const auto vectors = both(r, where.output);
      if (!vectors) return;
      Columns side{where, in_one_batch(vectors->first), in_one_batch(vectors->second), {}};
      if (where.rows) side.golden = side.golden.mH(), side.device = side.device.mH();
      if (side.golden.size(0) != batches || side.golden.size(-1) < n) return;
      const at::Tensor part = (side.golden.conj() * side.device).narrow(-1, 0, n).sum(-2);
      overlap = overlap.defined() ? overlap + part : part;
      sides.push_back(std::move(side));
    }
    epsilon = epsilon_of(output(r.device, layout.values)->scalar_type());
    const at::Tensor factors = phases(overlap);
    for (Columns& side : sides)
      side.turn = at::diag_embed(at::constant_pad_nd(factors, {0, side.golden.size(-1) - n}, 1));
    for (int64_t b = 0; b < batches; ++b)
      turn_groups(sides, b, group(values.const_data_ptr<double>() + b * n, n, epsilon, layout.kind), n);
  }
  const std::string what = layout.kind == Kind::kSingular ? "singular values" : "eigenvalues";
  for (const Columns& side : sides) {
    turn_output(r, side);
    const int64_t all = side.golden.size(0) * side.golden.size(-1);
    std::string text = plural(all - side.grouped, "vector") + " compared " + factor_word(side.golden);
    if (side.grouped > 0) {
      text += ", " + std::to_string(side.grouped) + " as bases of the same spaces: their " + what + " are equal" +
              (layout.kind == Kind::kSingular ? " or 0" : "") + " to within what the dtype resolves";
      r.alignment.no_gradient =
          "the " + what + " are equal" + (layout.kind == Kind::kSingular ? " or 0" : "") +
          " to within what the dtype resolves, and the vectors' gradient divides by how they differ";
    }
    r.alignment.notes[static_cast<size_t>(side.where.output)] = text;
    r.alignment.vectors.insert(static_cast<size_t>(side.where.output));
  }
}

// Which golden eigenvalue stands for each of the device's: the same place where all are near, else the nearest left.
std::vector<int64_t> match(const c10::complex<double>* golden, const c10::complex<double>* device, int64_t n,
                           double gap) {
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

void align_eigen(Replay& r, const Layout& layout) {
  const auto found = both(r, layout.values);
  if (!found) return;
  const auto& sizes = found->first.sizes();
  const int64_t n = sizes.back(), batches = found->first.numel() / n;
  const double epsilon = epsilon_of(output(r.device, layout.values)->scalar_type());
  at::Tensor order = at::empty({batches, n}, at::kLong), single = at::ones({batches, n}, at::kBool);
  {
    at::NoGradGuard no_grad;
    const at::Tensor golden = found->first.to(at::kComplexDouble).contiguous();
    const at::Tensor device = found->second.to(at::kComplexDouble).contiguous();
    const auto* g = golden.const_data_ptr<c10::complex<double>>();
    const auto* d = device.const_data_ptr<c10::complex<double>>();
    for (int64_t b = 0; b < batches; ++b, g += n, d += n) {
      double largest = 0;
      for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(g[i]));
      const double gap = kGap * epsilon * largest;
      const auto places = match(g, d, n, gap);
      for (int64_t i = 0; i < n; ++i) {
        order.mutable_data_ptr<int64_t>()[b * n + i] = places[static_cast<size_t>(i)];
        for (int64_t j = 0; j < n; ++j)
          if (j != i && std::abs(g[places[static_cast<size_t>(j)]] - g[places[static_cast<size_t>(i)]]) <= gap)
            single.mutable_data_ptr<bool>()[b * n + i] = false;
      }
    }
  }
  const bool moved = !at::equal(order, at::arange(n, at::kLong).expand({batches, n}));
  order = order.reshape(sizes);
  single = single.reshape(sizes);
  at::AutoGradMode grad(r.grad_mode);
  if (moved) {
    Value& values = r.golden.outputs[static_cast<size_t>(layout.values)];
    values = Value(at::gather(values.get<at::Tensor>(), -1, order));
    r.alignment.notes[static_cast<size_t>(layout.values)] = "golden's eigenvalues put in the device's order";
  }
  const int place = layout.vectors[0].output;
  const auto vectors = place < 0 ? std::nullopt : both(r, place);
  if (!vectors || vectors->first.size(-1) != n) return;
  Value& value = r.golden.outputs[static_cast<size_t>(place)];
  at::Tensor turned = value.get<at::Tensor>();
  if (moved) turned = at::gather(turned, -1, order.unsqueeze(-2).expand(turned.sizes()));
  const at::Tensor factor = phases((turned.detach().conj() * vectors->second).sum(-2));
  value = Value(turned * factor.unsqueeze(-2));
  const int64_t judged = single.sum().item<int64_t>(), left = single.numel() - judged;
  std::string text = plural(judged, "vector") + " compared " + factor_word(turned);
  if (left > 0) {
    r.alignment.judged[static_cast<size_t>(place)] = single;
    text += ", " + std::to_string(left) + " not judged: their eigenvalues are equal to within what the dtype resolves";
    r.alignment.no_gradient =
        "eigenvalues are equal to within what the dtype resolves, and the vectors' gradient divides "
        "by how they differ";
  }
  r.alignment.notes[static_cast<size_t>(place)] = text;
  r.alignment.vectors.insert(static_cast<size_t>(place));
}

}  // namespace

void align_decomposition(Replay& r) {
  if (r.session.settings.profile != config::Profile::kDocumented) return;
  const auto* layout =
      std::find_if(std::begin(kLayouts), std::end(kLayouts), [&](const Layout& l) { return l.how == r.how; });
  if (layout == std::end(kLayouts)) return;
  if (layout->kind == Kind::kEigen)
    align_eigen(r, *layout);
  else
    align_orthonormal(r, *layout);
}

}  // namespace msprobe::check
