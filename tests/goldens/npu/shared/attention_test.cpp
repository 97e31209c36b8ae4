// Every form of npu_fusion_attention's arguments against a loop over single scores.
#include "goldens/npu/shared/attention.h"

#include <limits>

#include "goldens/schema_text.h"
#include "goldens/support.h"

namespace msprobe::goldens {
namespace {

// One attention problem in the form BNSD, in numbers.
struct Problem {
  int64_t b = 2, n1 = 4, n2 = 2, s1 = 5, s2 = 7, d = 4, dv = 4;
  double scale = 0.5;
  // Seen by batch, head, row, column.
  std::function<bool(int64_t, int64_t, int64_t, int64_t)> visible = [](auto...) { return true; };
  std::function<double(int64_t, int64_t, int64_t, int64_t)> pse = [](auto...) { return 0.0; };
  std::function<double(int64_t)> sink;

  at::Tensor q() const { return wave({b, n1, s1, d}, 0.1); }
  at::Tensor k() const { return wave({b, n2, s2, d}, 0.7); }
  at::Tensor v() const { return wave({b, n2, s2, dv}, 1.9); }
  at::Tensor expected() const { return expected(q(), k(), v()); }

  at::Tensor expected(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const {
    at::Tensor out = at::zeros({b, n1, s1, dv}, at::kDouble);
    auto o = out.accessor<double, 4>();
    at::Tensor qc = q.contiguous(), kc = k.contiguous(), vc = v.contiguous();
    auto qa = qc.accessor<double, 4>(), ka = kc.accessor<double, 4>(), va = vc.accessor<double, 4>();
    for (int64_t i = 0; i < b; ++i)
      for (int64_t n = 0; n < n1; ++n) {
        const int64_t m = n / (n1 / n2);
        for (int64_t r = 0; r < s1; ++r) {
          std::vector<double> weight(s2);
          double sum = sink ? std::exp(sink(n)) : 0;
          for (int64_t c = 0; c < s2; ++c) {
            double score = pse(i, n, r, c);
            for (int64_t x = 0; x < d; ++x) score += qa[i][n][r][x] * ka[i][m][c][x];
            weight[c] = visible(i, n, r, c) ? std::exp(score * scale) : 0;
            sum += weight[c];
          }
          for (int64_t x = 0; x < dv; ++x)
            for (int64_t c = 0; c < s2; ++c)
              if (sum > 0) o[i][n][r][x] += weight[c] / sum * va[i][m][c][x];
        }
      }
    return out;
  }
};

// (B, N, S, D) in a layout.
at::Tensor laid_out(const at::Tensor& t, const std::string& layout) {
  const int64_t b = t.size(0), n = t.size(1), s = t.size(2), d = t.size(3);
  if (layout == "BSND") return t.permute({0, 2, 1, 3}).contiguous();
  if (layout == "BSH") return t.permute({0, 2, 1, 3}).reshape({b, s, n * d});
  if (layout == "SBH") return t.permute({2, 0, 1, 3}).reshape({s, b, n * d});
  return t;
}

at::Tensor triangle(int64_t rows = 2048) {
  return at::triu(at::ones({rows, 2048}, at::kBool), 1);
}

ops::Value list(std::initializer_list<int64_t> numbers) {
  inputs::List l;
  for (int64_t n : numbers) l.items.emplace_back(n);
  return ops::Value(std::move(l));
}

at::Tensor attend(const Problem& p, const std::string& layout, Keywords keywords) {
  keywords.emplace_back("scale", p.scale);
  return output(call_built_in("npu_fusion_attention",
                              {laid_out(p.q(), layout), laid_out(p.k(), layout), laid_out(p.v(), layout), p.n1, layout},
                              std::move(keywords)));
}

struct Form {
  const char* name;
  Keywords keywords;
  Problem problem;
};

std::vector<Form> forms() {
  std::vector<Form> all;
  const auto add = [&](const char* name, Keywords keywords, std::function<void(Problem&)> change) {
    Problem p;
    change(p);
    all.push_back({name, std::move(keywords), p});
  };
  const auto bits = [](std::vector<int64_t> shape) { return wave(std::move(shape), 0.37) > 0.6; };
  add("Plain", {}, [](Problem&) {});
  add("TokensWithoutAMaskHideNothing", {{"sparse_mode", 2}, {"pre_tockens", 1}, {"next_tockens", 0}}, [](Problem&) {});
  for (int64_t mode : {0, 1, 5}) {
    at::Tensor m = bits({5, 7});
    add(mode == 0   ? "Mode0MaskSS"
        : mode == 1 ? "Mode1MaskSS"
                    : "Mode5MaskSS",
        {{"atten_mask", m}, {"sparse_mode", mode}, {"next_tockens", 0}},
        [m](Problem& p) { p.visible = [m](int64_t, int64_t, int64_t r, int64_t c) { return !m[r][c].item<bool>(); }; });
  }
  at::Tensor m11 = bits({1, 1, 5, 7}), mb1 = bits({2, 1, 5, 7}), mbn = bits({2, 4, 5, 7});
  add("Mask11SSOfBytes", {{"atten_mask", m11.to(at::kByte)}}, [=](Problem& p) {
    p.visible = [=](int64_t, int64_t, int64_t r, int64_t c) { return !m11[0][0][r][c].item<bool>(); };
  });
  add("MaskB1SS", {{"atten_mask", mb1}}, [=](Problem& p) {
    p.visible = [=](int64_t b, int64_t, int64_t r, int64_t c) { return !mb1[b][0][r][c].item<bool>(); };
  });
  add("MaskBNSS", {{"atten_mask", mbn}}, [=](Problem& p) {
    p.visible = [=](int64_t b, int64_t n, int64_t r, int64_t c) { return !mbn[b][n][r][c].item<bool>(); };
  });
  add("Mode2", {{"atten_mask", triangle()}, {"sparse_mode", 2}},
      [](Problem& p) { p.visible = [](int64_t, int64_t, int64_t r, int64_t c) { return c <= r; }; });
  add("Mode2OnASquare", {{"atten_mask", triangle()}, {"sparse_mode", 2}}, [](Problem& p) {
    p.s2 = 5;
    p.visible = [](int64_t, int64_t, int64_t r, int64_t c) { return c <= r; };
  });
  add("Mode3", {{"atten_mask", triangle()}, {"sparse_mode", 3}},
      [](Problem& p) { p.visible = [](int64_t, int64_t, int64_t r, int64_t c) { return c <= r + 2; }; });
  add("Mode4", {{"atten_mask", triangle()}, {"sparse_mode", 4}, {"pre_tockens", 3}, {"next_tockens", 1}},
      [](Problem& p) {
        p.visible = [](int64_t, int64_t, int64_t r, int64_t c) { return c >= r + 2 - 3 && c <= r + 2 + 1; };
      });
  add("Mode6", {{"atten_mask", triangle(3072)}, {"sparse_mode", 6}, {"prefix", list({6, 0})}}, [](Problem& p) {
    p.visible = [](int64_t b, int64_t, int64_t r, int64_t c) { return c <= r + 2 || c < (b == 0 ? 6 : 0); };
  });
  add("Mode2WithAFullMaskIsTakenAsItIs", {{"atten_mask", bits({5, 7})}, {"sparse_mode", 2}}, [&](Problem& p) {
    at::Tensor m = bits({5, 7});
    p.visible = [m](int64_t, int64_t, int64_t r, int64_t c) { return !m[r][c].item<bool>(); };
  });
  at::Tensor bnss = wave({2, 4, 5, 7}, 2.2), bn1s = wave({2, 4, 1, 7}, 2.4), nss = wave({1, 4, 5, 7}, 2.6);
  add("PseBNSS", {{"pse", bnss}}, [=](Problem& p) {
    p.pse = [=](int64_t b, int64_t n, int64_t r, int64_t c) { return bnss[b][n][r][c].item<double>(); };
  });
  add("PseBN1SWithMode3", {{"pse", bn1s}, {"atten_mask", triangle()}, {"sparse_mode", 3}}, [=](Problem& p) {
    p.pse = [=](int64_t b, int64_t n, int64_t, int64_t c) { return bn1s[b][n][0][c].item<double>(); };
    p.visible = [](int64_t, int64_t, int64_t r, int64_t c) { return c <= r + 2; };
  });
  add("Pse1NSS", {{"pse", nss}}, [=](Problem& p) {
    p.pse = [=](int64_t, int64_t n, int64_t r, int64_t c) { return nss[0][n][r][c].item<double>(); };
  });
  add("Sink", {{"sink", wave({4}, 0.2)}},
      [](Problem& p) { p.sink = [](int64_t n) { return wave({4}, 0.2)[n].item<double>(); }; });
  add("ARowWithNothingVisibleGivesZero",
      {{"atten_mask", (at::arange(5) == 2).unsqueeze(1).expand({5, 7}).contiguous()}},
      [](Problem& p) { p.visible = [](int64_t, int64_t, int64_t r, int64_t) { return r != 2; }; });
  add("SmallerHeadsOfV", {}, [](Problem& p) { p.dv = 3; });
  add("AsManyKeyHeadsAsQueryHeads", {}, [](Problem& p) { p.n2 = 4; });
  return all;
}

TEST(AttentionForms, EqualALoopOverSingleScoresInEveryLayout) {
  for (const Form& f : forms()) {
    for (const char* layout : {"BNSD", "BSND", "BSH", "SBH"}) {
      SCOPED_TRACE(std::string(f.name) + " " + layout);
      expect_near(attend(f.problem, layout, f.keywords), laid_out(f.problem.expected(), layout), 1e-12);
    }
  }
}

// What CUDA calls, on the CPU, whose scaled_dot_product_attention computes the same function.
TEST(AttentionForms, TheKernelGivesTheSameWhereItIsTaken) {
  for (const Form& f : forms()) {
    SCOPED_TRACE(f.name);
    Keywords keywords = f.keywords;
    keywords.emplace_back("scale", f.problem.scale);
    at::Tensor q = f.problem.q().requires_grad_(true), k = f.problem.k().requires_grad_(true),
               v = f.problem.v().requires_grad_(true);
    inputs::Arguments arguments{{q, k, v, f.problem.n1, "BNSD"}, keywords};
    AttentionOptions options = attention_options(
        Call("npu_fusion_attention", python_parameters(find_built_in("npu_fusion_attention")->schema), arguments),
        "scale");
    EXPECT_FALSE(options.kernel);  // not on the CPU
    options.kernel = true;
    const AttentionResult r = attention(q, k, v, options);
    expect_near(r.output, f.problem.expected(), 1e-12);
    const bool formula = f.problem.sink || std::string(f.name) == "ARowWithNothingVisibleGivesZero";
    EXPECT_EQ(at::isnan(r.softmax_max).all().item<bool>(), !formula);
    EXPECT_EQ(r.softmax_max.sizes(), (std::vector<int64_t>{2, 4, f.problem.s1, 8}));
    at::Tensor g = wave(r.output.sizes().vec(), 0.5);
    const auto got = torch::autograd::grad({r.output}, {q, k, v}, {g});
    options.kernel = false;
    const auto want = torch::autograd::grad({attention(q, k, v, options).output}, {q, k, v}, {g});
    for (size_t i = 0; i < 3; ++i) expect_near(got[i], want[i], 1e-12);
  }
}

TEST(AttentionForms, GradientsAreTheDerivatives) {
  for (const Form& f : forms()) {
    if (std::string(f.name) != "Mode4" && std::string(f.name) != "PseBN1SWithMode3" && std::string(f.name) != "Sink")
      continue;
    SCOPED_TRACE(f.name);
    const Problem& p = f.problem;
    at::Tensor q = p.q().requires_grad_(true), k = p.k().requires_grad_(true), v = p.v().requires_grad_(true);
    Keywords keywords = f.keywords;
    keywords.emplace_back("scale", p.scale);
    at::Tensor y = output(call_built_in("npu_fusion_attention", {q, k, v, p.n1, "BNSD"}, keywords)),
               g = wave({2, 4, 5, 4}, 0.5);
    y.backward(g);
    expect_near(q.grad(), numerical([&](const at::Tensor& t) { return p.expected(t, p.k(), p.v()); }, q, g), 1e-8);
    expect_near(k.grad(), numerical([&](const at::Tensor& t) { return p.expected(p.q(), t, p.v()); }, k, g), 1e-8);
    expect_near(v.grad(), numerical([&](const at::Tensor& t) { return p.expected(p.q(), p.k(), t); }, v, g), 1e-8);
  }
}

// Sequences of a packed batch, each an attention of its own.
TEST(AttentionForms, PackedSequencesAreAttentionsOfTheirOwn) {
  struct Packed {
    int64_t mode;
    std::vector<int64_t> q_ends, k_ends;
  };
  constexpr int64_t kPre = 2, kNext = 1;
  for (const Packed& c : {Packed{0, {3, 5}, {4, 9}}, Packed{2, {3, 5}, {4, 9}}, Packed{3, {2, 5}, {3, 9}},
                          Packed{4, {3, 5}, {4, 9}}, Packed{7, {1, 3, 5}, {2, 5, 9}}, Packed{8, {1, 3, 5}, {2, 5, 9}},
                          Packed{3, {2, 2, 5}, {3, 3, 9}}, Packed{3, {2, 5, 0, 0}, {3, 9, 0, 0}}}) {
    SCOPED_TRACE("mode " + std::to_string(c.mode) + ", " + std::to_string(c.q_ends.size()) + " ends");
    at::Tensor q = wave({5, 4, 4}, 0.1), k = wave({9, 2, 4}, 0.7), v = wave({9, 2, 4}, 1.9);
    inputs::List q_list, k_list;
    for (int64_t e : c.q_ends) q_list.items.emplace_back(e);
    for (int64_t e : c.k_ends) k_list.items.emplace_back(e);
    Keywords keywords{{"actual_seq_qlen", q_list}, {"actual_seq_kvlen", k_list}, {"scale", 0.5},
                      {"sparse_mode", c.mode},     {"pre_tockens", kPre},        {"next_tockens", kNext}};
    if (c.mode != 0) keywords.emplace_back("atten_mask", triangle());
    at::Tensor want = at::zeros({5, 4, 4}, at::kDouble);
    size_t n = c.q_ends.size();
    while (c.q_ends[n - 1] == 0) --n;
    int64_t q0 = 0, k0 = 0;
    for (size_t s = 0; s < n; ++s) {
      Problem p;
      p.b = 1;
      p.s1 = c.q_ends[s] - q0;
      p.s2 = c.k_ends[s] - k0;
      int64_t mode = c.mode;
      if (mode == 7) mode = s + 1 == n ? 4 : 3;
      if (mode == 8) mode = s == 0 ? 4 : 2;
      const int64_t corner = p.s2 - p.s1;
      p.visible = [=](int64_t, int64_t, int64_t i, int64_t j) {
        if (mode == 2) return j <= i;
        if (mode == 3) return j <= i + corner;
        if (mode == 4) return j >= i + corner - kPre && j <= i + corner + kNext;
        return true;
      };
      const auto piece = [](const at::Tensor& t, int64_t from, int64_t rows) {
        return t.slice(0, from, from + rows).permute({1, 0, 2}).unsqueeze(0);
      };
      if (p.s1 > 0)
        want.slice(0, q0, q0 + p.s1)
            .copy_(p.expected(piece(q, q0, p.s1), piece(k, k0, p.s2), piece(v, k0, p.s2))[0].permute({1, 0, 2}));
      q0 = c.q_ends[s];
      k0 = c.k_ends[s];
    }
    expect_near(output(call_built_in("npu_fusion_attention", {q, k, v, 4, "TND"}, keywords)), want, 1e-12);
  }
}

TEST(AttentionForms, WhatHasNoReferenceIsRefusedWithTheReason) {
  at::Tensor q = wave({1, 1, 2, 4}, 0);
  const auto what = [&](std::vector<ops::Value> args, Keywords keywords) {
    const std::string text =
        error_of([&] { call_built_in("npu_fusion_attention", std::move(args), std::move(keywords)); });
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(what({q, q, q, 1, "BDNS"}, {}),
            "npu_fusion_attention: input_layout \"BDNS\" is none of BSH, SBH, BSND, BNSD, TND");
  at::Tensor t = wave({4, 1, 4}, 0);
  EXPECT_EQ(what({t, t, t, 1, "TND"}, {}),
            "npu_fusion_attention: layout TND needs actual_seq_qlen and actual_seq_kvlen of one length, got 0 and 0");
  at::Tensor longer = at::zeros({1, 1, 1025, 4});
  EXPECT_EQ(what({longer, longer, longer, 1, "BNSD"}, {{"pse", at::zeros({1, 1, 1024, 1025})}}),
            "npu_fusion_attention: pse of 1024 rows for 1025 queries is a compressed alibi, which has no reference");
}

}  // namespace
}  // namespace msprobe::goldens
