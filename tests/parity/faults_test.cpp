// Small dumps after real bug reports (tests/data/faults), each with what is right. Tensors are saved, so that the
// rebuilt inputs can be looked at.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>

#include "dump/tensor_file.h"
#include "run_program.h"

namespace msprobe::parity {
namespace {

using testing::HasSubstr;

constexpr const char* kForward = "Forward Test Success";
constexpr const char* kBackward = "Backward Test Success";

class FaultsTest : public testing::Test {
 protected:
  const Outcome& run(const std::string& fault) {
    run_ = std::make_unique<Outcome>(fs::path(MSPROBE_TEST_DATA) / "faults" / fault / "dump.json",
                                     R"({"save_data": "all"})");
    EXPECT_EQ(run_->code, 0) << run_->log;
    return *run_;
  }

  /// Elements of a saved tensor as doubles, in row-major order; int64 as they are.
  template <class T>
  std::vector<T> elements(const std::string& name) {
    const dump::TensorFile file = dump::read_pt((run_->saved / (name + ".pt")).string());
    std::vector<T> out;
    std::vector<int64_t> at(file.sizes.size(), 0);
    int64_t count = 1;
    for (const int64_t size : file.sizes) count *= size;
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset = 0;
      for (size_t d = 0; d < at.size(); ++d) offset += at[d] * file.strides[d];
      out.push_back(element<T>(file, offset));
      for (size_t d = at.size(); d-- > 0 && ++at[d] == file.sizes[d];) at[d] = 0;
    }
    return out;
  }

  void expect_results(const std::vector<std::array<std::string, 3>>& expected) {
    std::vector<std::array<std::string, 3>> found;
    for (const std::string& name : run_->results.names)
      found.push_back({name, run_->results.at(name, kForward), run_->results.at(name, kBackward)});
    EXPECT_EQ(found, expected);
  }

  std::unique_ptr<Outcome> run_;

 private:
  template <class T>
  static T element(const dump::TensorFile& file, int64_t offset) {
    const auto read = [&](auto zero) {
      std::memcpy(&zero, static_cast<const char*>(file.data) + offset * static_cast<int64_t>(sizeof zero), sizeof zero);
      return zero;
    };
    switch (file.dtype) {
      case dump::Dtype::kFloat64:
        return static_cast<T>(read(double{}));
      case dump::Dtype::kFloat32:
        return static_cast<T>(read(float{}));
      case dump::Dtype::kFloat16: {
        const uint16_t bits = read(uint16_t{});
        const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
        const double size = exponent == 31  ? (mantissa ? std::nan("") : INFINITY)
                            : exponent == 0 ? std::ldexp(mantissa, -24)
                                            : std::ldexp(1024 + mantissa, exponent - 25);
        return static_cast<T>(bits & 0x8000 ? -size : size);
      }
      case dump::Dtype::kBfloat16: {
        const uint32_t bits = uint32_t{read(uint16_t{})} << 16;
        float value;
        std::memcpy(&value, &bits, sizeof value);
        return static_cast<T>(value);
      }
      case dump::Dtype::kInt64:
        return static_cast<T>(read(int64_t{}));
      case dump::Dtype::kInt32:
        return static_cast<T>(read(int32_t{}));
      case dump::Dtype::kInt16:
        return static_cast<T>(read(int16_t{}));
      case dump::Dtype::kInt8:
        return static_cast<T>(read(int8_t{}));
      case dump::Dtype::kUint8:
        return static_cast<T>(read(uint8_t{}));
      default:
        ADD_FAILURE() << "another dtype";
        return T{};
    }
  }
};

TEST_F(FaultsTest, DirectionIsTheLastSegmentOfAKey) {
  const Outcome& r = run("direction-in-the-name");
  expect_results({{"Torch.add.0", "pass", " "},
                  {"Functional.multi_head_attention_forward.0", "pass", "pass"},
                  {"Aten.threshold_backward.0", "pass", " "},
                  {"Torch.mul.0", "pass", " "}});
  const char* const shapes[] = {"(5, 2, 8)", "(5, 2, 8)", "(5, 2, 8)", "(24, 8)", "(24,)", "(8, 8)", "(8,)"};
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(r.details.at("Functional.multi_head_attention_forward.0.backward.output." + std::to_string(i), "Shape"),
              shapes[i]);
  EXPECT_EQ(r.details.at("Functional.multi_head_attention_forward.0.forward.output.1", "Status"), "SKIP");
}

TEST_F(FaultsTest, ClassTargetsAreClassesOrTheMark) {
  const Outcome& r = run("class-targets");
  ASSERT_EQ(r.results.names.size(), 6u);
  for (const std::string& name : r.results.names) {
    SCOPED_TRACE(name);
    EXPECT_EQ(r.results.at(name, kForward), "pass");
    for (const double value : elements<double>(name + ".forward.output.device.0")) EXPECT_TRUE(std::isfinite(value));
    const bool probabilities = name == "Functional.cross_entropy.3";
    const bool by_position = fs::exists(r.saved / (name + ".forward.input.1.pt"));
    for (const double value : elements<double>(name + (by_position ? ".forward.input.1" : ".forward.kwargs.target"))) {
      EXPECT_GE(value, 0);
      EXPECT_LE(value, probabilities ? 1 : 9);
    }
  }
  for (const char* name : {"Functional.cross_entropy.0", "Functional.cross_entropy.2", "Functional.nll_loss.0"}) {
    EXPECT_EQ(r.results.at(name, kBackward), "pass") << name;
    EXPECT_EQ(r.details.at(std::string(name) + ".backward.output.0", "Shape"), "(32, 10)") << name;
    // A target by position is an argument too, which has no gradient.
    const std::string target = std::string(name) + ".backward.output.1";
    EXPECT_TRUE(r.details.cells.count(target) == 0 || r.details.at(target, "Status") == "SKIP") << name;
  }
}

TEST_F(FaultsTest, IntegersReachTheEndsOfTheirTypeAndDoNotWrap) {
  const Outcome& r = run("integer-extremes");
  constexpr int64_t kMost = INT64_MAX;
  const std::pair<int64_t, int64_t> ends[] = {{0, kMost},
                                              {0, kMost},
                                              {-kMost - 1, kMost},
                                              {0, 2147483647},
                                              {-2147483648LL, 2147483647},
                                              {-32768, 32767},
                                              {-128, 127},
                                              {0, 255},
                                              {0, 255}};
  for (int i = 0; i < 9; ++i) {
    const std::string name = "Torch.eq." + std::to_string(i);
    SCOPED_TRACE(name);
    EXPECT_EQ(r.results.at(name, kForward), "pass");
    EXPECT_EQ(r.details.at(name + ".forward.output.0", "DEVICE Dtype"), "torch.bool");
    EXPECT_EQ(r.details.at(name + ".forward.output.0", "二进制一致错误率"), "0.00000000000000");
    const auto values = elements<int64_t>(name + ".forward.input.0");
    EXPECT_EQ(values.front(), ends[i].first);
    EXPECT_EQ(values.back(), ends[i].second);
    EXPECT_GE(*std::min_element(values.begin(), values.end()), ends[i].first);
    EXPECT_LE(*std::max_element(values.begin(), values.end()), ends[i].second);
  }
}

TEST_F(FaultsTest, TheSameInfinityOnBothSidesAgrees) {
  const Outcome& r = run("matched-infinities");
  for (const char* name :
       {"Tensor.masked_fill.0", "Torch.full_like.0", "Torch.log.0", "Functional.softmax.0", "Tensor.sqrt.0"}) {
    SCOPED_TRACE(name);
    const std::string row = std::string(name) + ".forward.output.0";
    EXPECT_EQ(r.results.at(name, kForward), "pass");
    // The other half of sqrt's elements are rounded to float32.
    EXPECT_LE(std::stod(r.details.at(row, "最大绝对误差")), std::string(name) == "Tensor.sqrt.0" ? 1e-6 : 0) << name;
    EXPECT_EQ(r.details.at(row, "inf/nan错误率"), "0.00000000000000");
    for (const char* share : {"双百指标", "双千指标", "双万指标"})
      EXPECT_EQ(r.details.at(row, share), "1.00000000000000") << share;
    const auto values = elements<double>(row.substr(0, row.size() - 1) + "device.0");
    EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](double x) { return !std::isfinite(x); }));
  }
}

TEST_F(FaultsTest, RandomOutputsAreSkippedAndDropoutCountsZeros) {
  const Outcome& r = run("random-by-argument");
  expect_results({{"Functional.scaled_dot_product_attention.0", "SKIP", "SKIP"},
                  {"Functional.scaled_dot_product_attention.1", "pass", "pass"},
                  {"Functional.scaled_dot_product_attention.2", "SKIP", "SKIP"},
                  {"Functional.gumbel_softmax.0", "SKIP", "SKIP"},
                  {"Functional.rrelu.0", "SKIP", "SKIP"},
                  {"Functional.rrelu.1", "pass", " "},
                  {"Torch.bernoulli.0", "SKIP", "SKIP"},
                  {"Tensor.normal_.0", "SKIP", "SKIP"},
                  {"Functional.dropout.0", "pass", "pass"},
                  {"Functional.dropout.1", "pass", " "}});
  for (const std::string& name : r.results.names)
    if (r.results.at(name, kForward) == "SKIP") {
      EXPECT_THAT(r.results.at(name, "Message"), HasSubstr("random")) << name;
    }
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(r.details.at("Functional.scaled_dot_product_attention.1.backward.output." + std::to_string(i), "Status"),
              "pass");
  const Outcome again(fs::path(MSPROBE_TEST_DATA) / "faults/random-by-argument/dump.json", R"({"save_data": "all"})");
  EXPECT_EQ(again.details.cells, r.details.cells);
  EXPECT_EQ(again.results.cells, r.results.cells);
}

TEST_F(FaultsTest, GradientsOfUnusedOutputsContributeNothing) {
  const Outcome& r = run("several-output-gradients");
  const std::pair<const char*, const char*> shapes[] = {{"Torch.split.0", "(6, 4)"},
                                                        {"Torch.chunk.0", "(2, 8)"},
                                                        {"Tensor.unbind.0", "(3, 4)"},
                                                        {"Torch.std_mean.0", "(8, 16)"}};
  for (const auto& [name, shape] : shapes) {
    SCOPED_TRACE(name);
    const std::string row = std::string(name) + ".backward.output.";
    EXPECT_EQ(r.results.at(name, kForward), "pass");
    EXPECT_EQ(r.results.at(name, kBackward), "pass");
    EXPECT_EQ(r.details.at(row + "0", "Shape"), shape);
    EXPECT_EQ(r.details.cells.count(row + "1"), 0u);
    if (std::string(name) != "Torch.std_mean.0") {
      EXPECT_EQ(r.details.at(row + "0", "最大绝对误差"), "0.00000000000000");
    }
  }
  // Both sides: the gradient is known.
  for (const char* side : {"device.0", "bench.0"}) {
    std::vector<double> split(24, 0), chunk(16, 0), unbind(12, 0);
    for (int i = 0; i < 4; ++i) split[i] = 2, unbind[i] = 1, unbind[4 + i] = 2;
    for (int i = 12; i < 24; ++i) split[i] = 5;
    for (const int i : {4, 5, 6, 7, 12, 13, 14, 15}) chunk[i] = 1;
    EXPECT_EQ(elements<double>(std::string("Torch.split.0.backward.output.") + side), split);
    EXPECT_EQ(elements<double>(std::string("Torch.chunk.0.backward.output.") + side), chunk);
    EXPECT_EQ(elements<double>(std::string("Tensor.unbind.0.backward.output.") + side), unbind);
  }
}

TEST_F(FaultsTest, ExtremesAsWideAsTheDtypeAreDrawnBetween) {
  const Outcome& r = run("whole-dtype-range");
  ASSERT_GE(r.results.names.size(), 6u);
  for (const std::string& name : r.results.names) {
    SCOPED_TRACE(name);
    EXPECT_EQ(r.results.at(name, kForward), "pass");
    EXPECT_EQ(r.details.at(name + ".forward.output.0", "最大绝对误差"), "0.00000000000000");
    EXPECT_EQ(r.details.at(name + ".forward.output.0", "余弦相似度").substr(0, 12), "1.0000000000");
    const auto values = elements<double>(name + ".forward.input.0");
    const double min = values.front(), max = values.back();
    EXPECT_EQ(*std::min_element(values.begin(), values.end()), min);
    EXPECT_EQ(*std::max_element(values.begin(), values.end()), max);
    EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }));
    EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 100u);
    const auto share = [&](auto holds) {
      return static_cast<double>(std::count_if(values.begin(), values.end(), holds)) /
             static_cast<double>(values.size());
    };
    const char index = name.back();
    if (index <= '3') {
      const double positive = share([](double x) { return x > 0; });
      EXPECT_GT(positive, 0.4);
      EXPECT_LT(positive, 0.6);
    } else {
      EXPECT_GT(share([&](double x) { return x < min / 20; }), 0.9);
    }
  }
}

TEST_F(FaultsTest, PythonNumbersIndexToNoDimension) {
  const Outcome& r = run("scalar-index");
  // x[-1, 2], x[1, 2], x[[-1, 2]], x[tensor(2)], x[numpy.int64(2)], x[:, tensor(2)], x[1, 2] = a
  const std::pair<const char*, const char*> shapes[] = {
      {"Tensor.__getitem__.0", "()"},    {"Tensor.__getitem__.1", "()"}, {"Tensor.__getitem__.2", "(2, 5)"},
      {"Tensor.__getitem__.3", "()"},    {"Tensor.__getitem__.4", "()"}, {"Tensor.__getitem__.5", "(4,)"},
      {"Tensor.__setitem__.0", "(4, 5)"}};
  std::vector<std::array<std::string, 3>> passes;
  for (const auto& [name, shape] : shapes) passes.push_back({name, "pass", " "});
  expect_results(passes);
  for (const auto& [name, shape] : shapes) {
    const std::string row = std::string(name) + ".forward.output.";
    EXPECT_EQ(r.details.at(row + "0", "Shape"), shape) << name;
    EXPECT_EQ(r.details.cells.count(row + "1"), 0u) << name;
  }
  const auto element = [&](int call, size_t place) {
    return elements<double>("Tensor.__getitem__." + std::to_string(call) + ".forward.input.0")[place];
  };
  const auto result = [&](int call) {
    return elements<double>("Tensor.__getitem__." + std::to_string(call) + ".forward.output.device.0");
  };
  EXPECT_EQ(result(0), std::vector<double>{element(0, 3 * 5 + 2)});
  EXPECT_EQ(result(1), std::vector<double>{element(1, 1 * 5 + 2)});
  EXPECT_EQ(result(2).front(), element(2, 3 * 5));
  EXPECT_EQ(result(2).back(), element(2, 2 * 5 + 4));
  EXPECT_EQ(result(3), std::vector<double>{element(3, 2)});
  EXPECT_EQ(result(4), std::vector<double>{element(4, 2)});
  EXPECT_EQ(result(5), (std::vector<double>{element(5, 2), element(5, 7), element(5, 12), element(5, 17)}));
}

}  // namespace
}  // namespace msprobe::parity
