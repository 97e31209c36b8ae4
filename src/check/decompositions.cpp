#include "check/decompositions.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "check/decomposition_layout.h"
#include "check/epsilon.h"
#include "check/outputs.h"

namespace msprobe::check {
namespace {

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

bool finite(const at::Tensor& t) {
  return at::isfinite(t).all().item<bool>();
}

const at::Tensor* output(const Outputs& outputs, int i) {
  if (i < 0 || static_cast<size_t>(i) >= outputs.size()) return nullptr;
  const auto* t = outputs[static_cast<size_t>(i)].get_if<at::Tensor>();
  return t != nullptr && t->defined() && !t->is_meta() && t->numel() > 0 ? t : nullptr;
}

}  // namespace

std::optional<Pair> both(const Outputs& golden, const Outputs& device, int i) {
  const at::Tensor *g = output(golden, i), *d = output(device, i);
  if (g == nullptr || d == nullptr || g->sizes() != d->sizes()) return std::nullopt;
  Pair pair;
  pair.golden = comparable(*g);
  pair.device = comparable(*d).to(pair.golden.scalar_type());
  if (!finite(pair.golden) || !finite(pair.device)) return std::nullopt;
  return pair;
}

double epsilon_of_output(const Outputs& device, int i) {
  return epsilon_of(device[static_cast<size_t>(i)].get<at::Tensor>().scalar_type());
}

at::Tensor phases(const at::Tensor& overlap) {
  const at::Tensor sign = at::sgn(overlap);
  return at::where(sign == 0, at::ones_like(sign), sign);
}

std::string factor_word(const at::Tensor& vectors) {
  return vectors.is_complex() ? "up to a factor of modulus 1" : "up to sign";
}

Aligned align_decomposition(config::Profile profile, std::string_view how, Outputs golden, const Outputs& device,
                            bool grad_mode) {
  const auto* layout =
      std::find_if(std::begin(kLayouts), std::end(kLayouts), [&](const Layout& l) { return l.how == how; });
  if (profile != config::Profile::kDocumented || layout == std::end(kLayouts)) return {std::move(golden), {}};
  return layout->kind == Kind::kEigen ? align_eigen(*layout, std::move(golden), device, grad_mode)
                                      : align_orthonormal(*layout, std::move(golden), device, grad_mode);
}

}  // namespace msprobe::check
