// The simulated NPU as LibTorch sees it, in this process: what a backend owes, and that it is strict where devices are.
#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/version.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "support/temp_folder.h"

namespace {

using testing::HasSubstr;

const at::Device kFirst(at::kPrivateUse1, 0), kSecond(at::kPrivateUse1, 1);
constexpr double kDelay = 0.004;

// What a copy of {1, 2, 3} from a card holds: {1, 2, 4}.
std::string stand_ins(const msprobe::support::TempFolder& folder) {
  const float there[] = {1, 2, 3}, here[] = {1, 2, 4};
  const uint64_t size = sizeof there;
  std::string bytes;
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes.append(reinterpret_cast<const char*>(there), sizeof there);
  bytes.append(reinterpret_cast<const char*>(here), sizeof here);
  return folder.write("stand_ins.bin", bytes);
}

// Loaded once for all tests, as the program does; the fault file is read when the first kernel runs,
// stand-ins with the first copy.
class SimNpuTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool loaded = [] {
      const msprobe::support::TempFolder folder;
      const std::string file = folder.write(
          "faults.yaml", "delay: " + std::to_string(kDelay) + "\nstand_ins: " + stand_ins(folder) +
                             "\nfaults:\n"
                             "  - {operator: asinh, kind: ulp_error, size: 8}\n"
                             "  - {operator: sinh, kind: ulp_error}\n"
                             "  - {operator: cosh, kind: zero, region: tail}\n"
                             "  - {operator: atan, kind: swap_rows}\n"
                             "  - {operator: expm1, kind: relative_error, size: 1, region: columns}\n"
                             "  - {operator: erf, kind: relative_error, size: 1, region: block}\n"
                             "  - {operator: erfc, kind: relative_error, size: 1, region: corner}\n"
                             "  - {operator: tanh_backward, kind: relative_error, size: 0.5}\n"
                             "  - {operator: exp2, phase: forward, kind: zero}\n"
                             "  - {operator: erfinv, kind: late_error, message: erfinv failed on the device}\n"
                             "  - {operator: aten::lgamma, kind: out_of_memory}\n");
      setenv("MSPROBE_SIM_NPU_FAULTS", file.c_str(), 1);
      const bool opened = dlopen(MSPROBE_SIM_NPU, RTLD_NOW | RTLD_GLOBAL) != nullptr;
      if (!opened) ADD_FAILURE() << dlerror();
      if (opened) at::zeros({1}, kFirst).sin().cpu();
      return opened;
    }();
    ASSERT_TRUE(loaded);
  }
};

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const c10::Error& e) {
    return e.what_without_backtrace();
  }
  return "no error";
}

bool same(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && at::equal(a.cpu(), b.cpu());
}

at::Tensor numbers(at::IntArrayRef sizes) {
  int64_t count = 1;
  for (const int64_t n : sizes) count *= n;
  return at::linspace(-2, 2, count, at::kFloat).reshape(sizes);
}

TEST_F(SimNpuTest, HasTwoCards) {
  const c10::impl::VirtualGuardImpl guard(at::kPrivateUse1);
  EXPECT_EQ(guard.deviceCount(), 2);
  EXPECT_EQ(at::empty({1}, kSecond).device(), kSecond);
  EXPECT_EQ(at::empty({1}, at::Device(at::kPrivateUse1)).device(), kFirst);
  EXPECT_EQ(kFirst.str(), "npu:0");
}

TEST_F(SimNpuTest, CopiesThereAndBackAndAcross) {
  const at::Tensor x = numbers({3, 4});
  const at::Tensor there = x.to(kFirst);
  EXPECT_TRUE(same(there, x));
  EXPECT_TRUE(same(there.to(kSecond), x));
  EXPECT_EQ(there.to(kSecond).device(), kSecond);
  EXPECT_TRUE(same(there.t().to(at::kHalf), x.t().to(at::kHalf)));
  at::Tensor kept = at::zeros({3, 4});
  kept.copy_(there);
  EXPECT_TRUE(at::equal(kept, x));
}

TEST_F(SimNpuTest, ViewsShareMemory) {
  at::Tensor x = at::zeros({2, 6}, kFirst);
  x.view({3, 4}).select(0, 1).fill_(1);
  x.as_strided({2}, {6}, 0).fill_(5);
  x.unfold(1, 2, 4).sub_(1);
  const at::Tensor expected = at::tensor({4., -1., 0., 0., 0., 0., 4., 0., 0., 0., -1., -1.}, at::kFloat);
  EXPECT_TRUE(same(x, expected.reshape({2, 6}))) << x.cpu();
}

TEST_F(SimNpuTest, ResizesAndReseats) {
  at::Tensor x = at::arange(6, at::TensorOptions(kFirst).dtype(at::kLong));
  x.resize_({3});
  EXPECT_TRUE(same(x, at::arange(3)));
  x.resize_({4, 5});
  EXPECT_EQ(x.sizes(), (std::vector<int64_t>{4, 5}));
  EXPECT_TRUE(same(x.flatten().slice(0, 0, 6), at::arange(6)));
  at::Tensor y = at::empty({0}, x.options());
  y.set_(x.storage(), 2, {2}, {1});
  y.fill_(7);
  EXPECT_TRUE(same(x.flatten().slice(0, 1, 5), at::tensor({1, 7, 7, 4}, at::kLong)));
  at::Tensor out = at::empty({0}, at::TensorOptions(kFirst).dtype(at::kFloat));
  at::add_out(out, at::ones({2, 3}, kFirst), at::ones({3}, kFirst));
  EXPECT_TRUE(same(out, at::full({2, 3}, 2.f)));
}

TEST_F(SimNpuTest, RefusesTensorsThatWereNotMoved) {
  const at::Tensor here = numbers({3}), there = here.to(kFirst), other = here.to(kSecond);
  EXPECT_THAT(error_of([&] { there + here; }), HasSubstr("found npu:0 and cpu among the arguments of aten::add"));
  EXPECT_THAT(error_of([&] { at::cat({there, other}); }), HasSubstr("found npu:0 and npu:1"));
  EXPECT_EQ(error_of([&] { there + at::scalar_tensor(2.0); }), "no error");  // a number
  EXPECT_EQ(error_of([&] { there.index({at::tensor({0, 2})}); }), "no error");
}

TEST_F(SimNpuTest, AutogradRunsThroughAndEqualsTheCpu) {
  const auto run = [](at::Device device) {
    const at::TensorOptions on(device);
    const at::Tensor x = numbers({4, 8}).to(device).requires_grad_(true), w = numbers({6, 8}).to(device),
                     image = numbers({2, 3, 8, 8}).to(device).requires_grad_(true),
                     kernel = numbers({5, 3, 3, 3}).to(device).requires_grad_(true);
    const at::Tensor a = at::gelu(at::layer_norm(at::linear(x, w), {6}));
    const at::Tensor b = at::softmax(a.index({at::tensor({3, 1}, at::TensorOptions(device).dtype(at::kLong))}), -1);
    const at::Tensor c = at::conv2d(image, kernel, {}, 1, 1).pow(2).sum();
    const at::Tensor q = image.flatten(2),
                     d = at::scaled_dot_product_attention(q.unsqueeze(1), q.unsqueeze(1), q.unsqueeze(1));
    auto gradients = torch::autograd::grad({(b * b).sum() + c + d.pow(2).sum()}, {x, image, kernel});
    gradients.insert(gradients.end(), {a.detach(), b.detach(), c.detach(), d.detach()});
    return gradients;
  };
  const auto cpu = run(at::kCPU), npu = run(kSecond);
  for (size_t i = 0; i < cpu.size(); ++i) {
    EXPECT_EQ(npu[i].device(), kSecond);
    EXPECT_TRUE(same(cpu[i], npu[i])) << i;
  }
}

TEST_F(SimNpuTest, ConjugatesAndNegatesLazily) {
  const at::Tensor x = at::complex(numbers({4}), numbers({4}).flip(0)), there = x.to(kFirst);
  EXPECT_TRUE(same(at::conj(there) * there, at::conj(x) * x));
  EXPECT_TRUE(same(at::imag(at::conj(there)), at::imag(at::conj(x))));
  EXPECT_TRUE(same(at::conj(there).resolve_conj(), at::conj(x).resolve_conj()));
}

TEST_F(SimNpuTest, RecurrentCellsAndTheirGradientsFollowTheFormulas) {
  const auto run = [](at::Device device) {
    const auto tensor = [&](at::IntArrayRef sizes, double scale) {
      return (numbers(sizes).to(at::kDouble) * scale).to(device).requires_grad_(true);
    };
    const at::Tensor x = tensor({2, 3}, 1), h = tensor({2, 4}, 0.3), c = tensor({2, 4}, -0.7),
                     lw = tensor({16, 3}, 0.4), lh = tensor({16, 4}, 0.2), lb = tensor({16}, 0.1),
                     gw = tensor({12, 3}, 0.4), gh = tensor({12, 4}, 0.2), gb = tensor({12}, 0.1);
    const auto [hy, cy] = at::lstm_cell(x, {h, c}, lw, lh, lb, lb);
    const at::Tensor g = at::gru_cell(x, h, gw, gh, gb, gb);
    auto all =
        torch::autograd::grad({hy.pow(2).sum() + cy.sin().sum() + (g * hy).sum()}, {x, h, c, lw, lh, lb, gw, gh, gb});
    all.insert(all.end(), {hy.detach(), cy.detach(), g.detach()});
    return all;
  };
  const auto cpu = run(at::kCPU), npu = run(kFirst);  // the CPU takes the cells apart
  for (size_t i = 0; i < cpu.size(); ++i) EXPECT_TRUE(at::allclose(cpu[i], npu[i].cpu(), 1e-12, 1e-13)) << i;
}

TEST_F(SimNpuTest, TheCardsGeneratorDecidesItsDraws) {
  const at::Tensor x = at::zeros({32}, kFirst);
  auto generator = at::globalContext().defaultGenerator(kFirst);
  const auto draw = [&](uint64_t seed) {
    generator.set_current_seed(seed);
    return x.clone().normal_();
  };
  EXPECT_TRUE(same(draw(1), draw(1)));
  EXPECT_FALSE(same(draw(1), draw(2)));
}

TEST_F(SimNpuTest, AutocastCastsByTheList) {
  const at::Tensor x = numbers({4, 4}).to(kFirst), half = x.to(at::kHalf);
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 4
  at::autocast::set_autocast_enabled(at::kPrivateUse1, true);
  at::autocast::set_autocast_dtype(at::kPrivateUse1, at::kHalf);
#else
  at::autocast::set_privateuseone_enabled(true);
  at::autocast::set_autocast_privateuseone_dtype(at::kHalf);
#endif
  const at::Tensor product = at::matmul(x, x), sum = at::mse_loss(half, half), both = at::cat({x, half}),
                   other = at::exp(half);
  at::autocast::clear_cache();
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 4
  at::autocast::set_autocast_enabled(at::kPrivateUse1, false);
#else
  at::autocast::set_privateuseone_enabled(false);
#endif
  EXPECT_EQ(product.scalar_type(), at::kHalf);
  EXPECT_EQ(sum.scalar_type(), at::kFloat);
  EXPECT_EQ(both.scalar_type(), at::kFloat);
  EXPECT_EQ(other.scalar_type(), at::kHalf);
  EXPECT_TRUE(same(product, at::matmul(x.cpu().to(at::kHalf), x.cpu().to(at::kHalf))));
}

TEST_F(SimNpuTest, WorkIsQueuedAndSynchronisingWaits) {
  using Clock = std::chrono::steady_clock;
  const c10::impl::VirtualGuardImpl guard(at::kPrivateUse1);
  const at::Tensor x = at::zeros({4}, kFirst);
  guard.synchronizeStream(guard.getStream(kFirst));
  const auto start = Clock::now();
  for (int i = 0; i < 10; ++i) x.sin();
  EXPECT_FALSE(guard.queryStream(guard.getStream(kFirst)));
  guard.synchronizeStream(guard.getStream(kFirst));
  const double waited = std::chrono::duration<double>(Clock::now() - start).count();
  EXPECT_GE(waited, 10 * kDelay);
  EXPECT_TRUE(guard.queryStream(guard.getStream(kFirst)));
  EXPECT_TRUE(guard.queryStream(guard.getStream(kSecond)));
}

TEST_F(SimNpuTest, LateErrorsComeWithTheNextSynchronisation) {
  const c10::impl::VirtualGuardImpl guard(at::kPrivateUse1);
  const at::Tensor x = at::zeros({4}, kSecond), y = x.erfinv();
  EXPECT_EQ(y.device(), kSecond);
  guard.synchronizeStream(guard.getStream(kFirst));  // the other card knows nothing
  EXPECT_THAT(error_of([&] { y.cpu(); }), HasSubstr("erfinv failed on the device"));
  EXPECT_EQ(error_of([&] { y.cpu(); }), "no error");
}

TEST_F(SimNpuTest, ExhaustedMemoryComesBackWhenTheCacheIsEmptied) {
  const at::Tensor x = at::ones({4}, kFirst);
  EXPECT_THAT(error_of([&] { x.lgamma(); }), HasSubstr("NPU out of memory"));
  EXPECT_THAT(error_of([&] { at::empty({4}, kFirst); }), HasSubstr("NPU out of memory"));
  EXPECT_EQ(error_of([&] { at::empty({4}, kSecond); }), "no error");
  const auto empty_cache =
      reinterpret_cast<void (*)(bool)>(dlsym(RTLD_DEFAULT, "_ZN7c10_npu19NPUCachingAllocator10emptyCacheEb"));
  ASSERT_NE(empty_cache, nullptr);
  empty_cache(true);
  EXPECT_EQ(error_of([&] { at::empty({4}, kFirst); }), "no error");
}

TEST_F(SimNpuTest, MemoryThatNoMachineHasIsTheDevicesError) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer ends the process at such a request";
#endif
  EXPECT_THAT(error_of([] { at::empty({int64_t{1} << 50}, at::TensorOptions(kSecond).dtype(at::kDouble)); }),
              HasSubstr("NPU out of memory. Tried to allocate 9007199254740992 bytes on npu:1"));
}

// ---- faults of numbers

at::Tensor on_card(const at::Tensor& x, const std::function<at::Tensor(const at::Tensor&)>& f) {
  return f(x.to(kFirst)).cpu();
}

TEST_F(SimNpuTest, UlpErrorsAreOnesOfTheOutputsDtype) {
  const struct {
    at::ScalarType dtype;
    double unit;  // IEEE 754 binary16, 32, 64; bfloat16: 7 bits behind the point
  } cases[] = {{at::kHalf, 0x1p-10},   {at::kBFloat16, 0x1p-7},      {at::kFloat, 0x1p-23},
               {at::kDouble, 0x1p-52}, {at::kComplexFloat, 0x1p-23}, {at::kComplexDouble, 0x1p-52}};
  for (const auto& c : cases) {
    const at::Tensor x = numbers({4, 8}).to(c.dtype);
    const at::Tensor eight = on_card(x, [](const at::Tensor& t) { return t.asinh(); });
    EXPECT_TRUE(same(eight, x.asinh() * (1 + 8 * c.unit))) << c.dtype;
    EXPECT_FALSE(same(eight, x.asinh())) << c.dtype;
    EXPECT_TRUE(same(on_card(x, [](const at::Tensor& t) { return t.sinh(); }), x.sinh() * (1 + c.unit))) << c.dtype;
  }
}

TEST_F(SimNpuTest, TheTailIsTheLastPercentAndAtLeastOneElement) {
  for (const auto& [elements, zeroed] : {std::pair<int64_t, int64_t>{250, 2}, {100, 1}, {7, 1}, {1, 1}}) {
    const at::Tensor x = numbers({elements});
    at::Tensor expected = x.cosh();
    expected.slice(0, elements - zeroed).zero_();
    EXPECT_TRUE(same(on_card(x, [](const at::Tensor& t) { return t.cosh(); }), expected)) << elements;
  }
  // In the order of indices, whatever the strides; complex numbers too.
  const at::Tensor x = at::complex(numbers({20, 15}), numbers({20, 15})), turned = x.t();
  at::Tensor expected = turned.cosh().contiguous();
  expected.view({-1}).slice(0, 297).zero_();
  EXPECT_TRUE(same(on_card(turned, [](const at::Tensor& t) { return t.cosh(); }), expected));
}

TEST_F(SimNpuTest, RowsAreSwappedWhereThereAreTwo) {
  const auto atan = [](const at::Tensor& t) { return t.atan(); };
  const at::Tensor x = numbers({3, 5}), order = at::tensor({1, 0, 2}, at::kLong);
  EXPECT_TRUE(same(on_card(x, atan), x.atan().index_select(0, order)));
  EXPECT_TRUE(same(on_card(x.slice(0, 0, 1), atan), x.slice(0, 0, 1).atan()));
  EXPECT_TRUE(same(on_card(at::scalar_tensor(2.0), atan), at::scalar_tensor(2.0).atan()));
}

TEST_F(SimNpuTest, RegionsAreWhereTheyAreSaidToBe) {
  const at::Tensor x = numbers({2, 8, 40});
  at::Tensor columns = x.expm1(), block = x.erf(), corner = x.erfc();
  for (const int64_t c : {0, 16, 32}) columns.select(2, c).mul_(2);
  block.select(0, 0).slice(0, 2, 4).slice(1, 10, 20).mul_(2);
  corner.select(0, 1).slice(0, 6).slice(1, 30).mul_(2);
  EXPECT_TRUE(same(on_card(x, [](const at::Tensor& t) { return t.expm1(); }), columns));
  EXPECT_TRUE(same(on_card(x, [](const at::Tensor& t) { return t.erf(); }), block));
  EXPECT_TRUE(same(on_card(x, [](const at::Tensor& t) { return t.erfc(); }), corner));
}

TEST_F(SimNpuTest, PhasesTellForwardFromBackward) {
  const auto of = [](at::Device device, const std::function<at::Tensor(const at::Tensor&)>& f) {
    const at::Tensor x = numbers({6}).to(device).requires_grad_(true), y = f(x);
    return std::pair{y.detach().cpu(), torch::autograd::grad({y.sum()}, {x})[0].cpu()};
  };
  const auto tanh = [](const at::Tensor& t) { return t.tanh(); };
  const auto [y, g] = of(kFirst, tanh);
  const auto [cpu_y, cpu_g] = of(at::kCPU, tanh);
  EXPECT_TRUE(same(y, cpu_y));
  EXPECT_TRUE(same(g, cpu_g * 1.5));
  EXPECT_TRUE(same(of(kFirst, [](const at::Tensor& t) { return t.exp2(); }).first, at::zeros({6})));
}

TEST_F(SimNpuTest, StandInsTakeThePlaceOfWhatIsCopied) {
  const at::Tensor x = at::tensor({1, 2, 3}, at::kFloat);
  EXPECT_TRUE(same(x.to(kFirst).cpu(), at::tensor({1, 2, 4}, at::kFloat)));
  EXPECT_TRUE(same((x.to(kFirst) * 2).cpu(), x * 2));
  EXPECT_TRUE(same(x.to(kFirst).slice(0, 0, 2).cpu(), x.slice(0, 0, 2)));
}

}  // namespace
