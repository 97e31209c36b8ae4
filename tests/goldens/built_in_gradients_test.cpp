// Backward forms that are called by name, against numerical derivatives of their forwards.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "goldens/built_in.h"

namespace msprobe::goldens {
namespace {

using inputs::Arguments;
using ops::Value;

at::Tensor call_one(const char* name, std::vector<Value> args, size_t output = 0) {
  Value v = find_built_in(name)->call({std::move(args), {}});
  if (auto* list = v.get_if<inputs::List>()) return list->items.at(output).get<at::Tensor>();
  return v.get<at::Tensor>();
}

// Central differences of sum(f(x) * g), each element of x on its own.
at::Tensor numerical(const std::function<at::Tensor(const at::Tensor&)>& f, const at::Tensor& x, const at::Tensor& g) {
  at::Tensor out = at::zeros_like(x);
  for (int64_t i = 0; i < x.numel(); ++i) {
    constexpr double h = 1e-5;
    at::Tensor up = x.clone(), down = x.clone();
    up.view(-1)[i] += h;
    down.view(-1)[i] -= h;
    out.view(-1)[i] = (at::sum(f(up) * g) - at::sum(f(down) * g)) / (2 * h);
  }
  return out;
}

at::Tensor wave(std::vector<int64_t> shape, double phase) {
  int64_t n = 1;
  for (int64_t s : shape) n *= s;
  return at::sin(at::arange(n, at::kDouble) * 0.7 + phase).reshape(shape);
}

void expect_close(const at::Tensor& a, const at::Tensor& b) {
  ASSERT_EQ(a.sizes(), b.sizes());
  EXPECT_LT((a - b).abs().max().item<double>(), 1e-8);
}

TEST(BackwardByName, MishIsTheDerivativeOfMish) {
  at::Tensor x = wave({3, 4}, 0.1), g = wave({3, 4}, 1.3);
  expect_close(call_one("npu_mish_backward", {g, x}),
               numerical([](const at::Tensor& t) { return call_one("npu_mish", {t}); }, x, g));
}

TEST(BackwardByName, RotaryMulHasThreeGradientsInBothModes) {
  at::Tensor x = wave({2, 3, 2, 4}, 0.2), r1 = wave({1, 3, 1, 4}, 0.5), r2 = wave({1, 3, 1, 4}, 0.9),
             g = wave({2, 3, 2, 4}, 2.0);
  for (const char* mode : {"half", "interleave"}) {
    std::vector<at::Tensor> at_{x, r1, r2};
    for (size_t k = 0; k < 3; ++k) {
      auto f = [&](const at::Tensor& t) {
        auto in = at_;
        in[k] = t;
        return call_one("npu_rotary_mul", {in[0], in[1], in[2], mode});
      };
      expect_close(call_one("npu_rotary_mul_backward", {g, x, r1, r2, mode}, k), numerical(f, at_[k], g));
    }
  }
}

TEST(BackwardByName, MatmulFollowsItsMask) {
  at::Tensor a = wave({2, 3}, 0.3), b = wave({3, 4}, 0.4), g = wave({2, 4}, 1.0);
  auto run = [&](bool first, bool second) {
    Arguments args{{g, a, b, Value(inputs::List{{Value(first), Value(second)}})}, {}};
    return find_built_in("matmul_backward")->call(args).get<inputs::List>().items;
  };
  auto both = run(true, true);
  expect_close(both[0].get<at::Tensor>(), numerical([&](const at::Tensor& t) { return at::matmul(t, b); }, a, g));
  expect_close(both[1].get<at::Tensor>(), numerical([&](const at::Tensor& t) { return at::matmul(a, t); }, b, g));
  EXPECT_TRUE(run(false, true)[0].is_none());
  EXPECT_TRUE(run(true, false)[1].is_none());
}

TEST(Attention, RowWithoutAVisiblePlaceGivesZeroAndNoNan) {
  at::Tensor q = wave({1, 1, 2, 4}, 0).requires_grad_(true), k = wave({1, 1, 3, 4}, 1), v = wave({1, 1, 3, 4}, 2);
  at::Tensor mask = at::zeros({2, 3}, at::kBool);
  mask[0].fill_(true);
  Arguments args{{q, k, v, 1, "BNSD"}, {{"atten_mask", mask}, {"scale", 0.5}}};
  auto out = find_built_in("npu_fusion_attention")->call(args).get<inputs::List>().items[0].get<at::Tensor>();
  EXPECT_TRUE(at::equal(out[0][0][0].detach(), at::zeros({4}, at::kDouble)));
  EXPECT_TRUE(at::isfinite(out).all().item<bool>());
  out.sum().backward();
  EXPECT_TRUE(at::isfinite(q.grad()).all().item<bool>());
}

}  // namespace
}  // namespace msprobe::goldens
