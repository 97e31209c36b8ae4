#include "config/standards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/temp_folder.h"
#include "util/error.h"

namespace msprobe::config {
namespace {

std::string installed() {
  return std::string(MSPROBE_CONFIG_DIR) + "/precision_standard.yaml";
}

/// One that holds the lists which signatures.yaml stands in for.
std::string whole() {
  return std::string(MSPROBE_TEST_DATA) + "/config/precision_standard.yaml";
}

class StandardsTest : public testing::Test {
 protected:
  /// The message of reading a whole file with `from` replaced by `to` ("" when it is taken); the folder is left
  /// out.
  std::string complaint(const std::string& from, const std::string& to) {
    std::string text = text_;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const std::string path = folder_.write("standard.yaml", text);
    try {
      load_standards(path);
      return "";
    } catch (const Error& error) {
      std::string message = error.what();
      const std::string folder = folder_.string() + "/";
      for (size_t i; (i = message.find(folder)) != std::string::npos;) message.erase(i, folder.size());
      return message;
    }
  }
  /// "standard.yaml:<line of the first place of `text`>".
  std::string place(const std::string& text) {
    const size_t at = text_.find(text);
    return "standard.yaml:" + std::to_string(1 + std::count(text_.begin(), text_.begin() + at, '\n'));
  }

  const support::TempFolder folder_;
  const std::string text_ = support::content(whole());
};

// ---- the installed file against the user guide and the tables of the specification

TEST_F(StandardsTest, LimitsOfTheInstalledFile) {
  const Standards s = load_standards(installed());
  struct Case {
    const char* dtype;
    Profile profile;
    DtypeLimits expected;
  };
  const auto p = [](int exponent) { return std::ldexp(1.0, exponent); };
  const Case cases[] = {
      {"float16", Profile::kDocumented, {p(-23), p(-11), p(-16), p(-16), p(-10), p(-11)}},
      {"bfloat16", Profile::kDocumented, {p(-7), p(-8), p(-16), p(-16), p(-8), p(-8)}},
      {"float32", Profile::kDocumented, {p(-52), p(-14), p(-30), p(-30), p(-20), p(-14)}},
      {"float16", Profile::kMindstudio, {p(-23), p(-10), p(-16), 1e-16, p(-10), p(-11)}},
      {"bfloat16", Profile::kMindstudio, {p(-8), p(-10), 1e-16, 1e-16, p(-8), p(-8)}},
      {"float32", Profile::kMindstudio, {p(-52), p(-20), p(-30), p(-30), p(-20), p(-14)}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.dtype) + (c.profile == Profile::kMindstudio ? " mindstudio" : " documented"));
    for (const std::string& name : {std::string(c.dtype), "torch." + std::string(c.dtype)}) {
      const DtypeLimits& l = s.limits(name, c.profile);
      EXPECT_EQ(l.eps, c.expected.eps);
      EXPECT_EQ(l.small_value, c.expected.small_value);
      EXPECT_EQ(l.small_value_atol, c.expected.small_value_atol);
      EXPECT_EQ(l.small_value_atol_benchmark, c.expected.small_value_atol_benchmark);
      EXPECT_EQ(l.rtol, c.expected.rtol);
      EXPECT_EQ(l.ratio_floor, c.expected.ratio_floor);
    }
  }
  EXPECT_EQ(&s.limits("torch.float64", Profile::kDocumented), &s.limits("float32", Profile::kDocumented));
  EXPECT_EQ(&s.limits("torch.complex64", Profile::kMindstudio), &s.limits("float32", Profile::kMindstudio));
}

TEST_F(StandardsTest, ThresholdsOfTheInstalledFile) {
  const Standards s = load_standards(installed());
  EXPECT_EQ(s.path, installed());
  EXPECT_EQ(s.cosine_threshold, 0.99);
  EXPECT_EQ(s.max_abs_threshold, 0.001);
  EXPECT_EQ(s.hundredth_threshold, 0.01);
  EXPECT_EQ(s.thousandth_threshold, 0.001);
  EXPECT_EQ(s.ten_thousandth_threshold, 0.0001);
  EXPECT_EQ(s.dropout_zero_share, 0.1);
  EXPECT_EQ(s.dropout_min_elements, 100);
  EXPECT_EQ(s.quantization_max_abs, 1);
  EXPECT_EQ(s.ulp_share_limit.at("float16"), 1);
  EXPECT_EQ(s.ulp_share_limit.at("bfloat16"), 1);
  EXPECT_EQ(s.ulp_share_limit.at("float32"), 32);
  EXPECT_EQ(s.ulp_share_limit.count("float64"), 0u);
  const double expected[3][5] = {{2, 2, 10, 2, 2}, {2, 1.5, 5, 1.5, 2}, {2, 1.2, 2, 1.2, 2}};
  for (int level = 0; level < 3; ++level) {
    SCOPED_TRACE(level);
    EXPECT_EQ(s.levels[level].small_value_ratio, expected[level][0]);
    EXPECT_EQ(s.levels[level].rmse_ratio, expected[level][1]);
    EXPECT_EQ(s.levels[level].max_relative_ratio, expected[level][2]);
    EXPECT_EQ(s.levels[level].mean_relative_ratio, expected[level][3]);
    EXPECT_EQ(s.levels[level].balance_ratio, expected[level][4]);
  }
  EXPECT_EQ(s.ulp_share_pass_half, 0.001);
  EXPECT_EQ(s.ulp_share_pass_single, 0.05);
  EXPECT_EQ(s.ulp_mean_pass_single, 64);
  EXPECT_EQ(s.ulp_ratio_pass, 1);
  EXPECT_EQ(s.thousandth_pass, 0.999);
  EXPECT_EQ(s.accumulative_small_value, 1);
  EXPECT_EQ(s.accumulative_bound.at("float16"), std::ldexp(1.0, -8));
  EXPECT_EQ(s.accumulative_bound.at("bfloat16"), std::ldexp(1.0, -7));
  EXPECT_EQ(s.accumulative_bound.at("float32"), std::ldexp(1.0, -11));
  EXPECT_EQ(s.accumulative_balance.at("float16"), std::ldexp(1.0, -20));
  EXPECT_EQ(s.accumulative_balance.at("bfloat16"), std::ldexp(1.0, -7));
  EXPECT_EQ(s.accumulative_balance.at("float32"), std::ldexp(1.0, -14));
}

TEST_F(StandardsTest, ListsOfTheInstalledFile) {
  const Standards s = load_standards(installed());
  std::map<Algorithm, int> count;
  for (const auto& [api, algorithm] : s.algorithm_of_api) ++count[algorithm];
  EXPECT_EQ(count[Algorithm::kAbsolute], 30);
  EXPECT_EQ(count[Algorithm::kBinary], 62);
  EXPECT_EQ(count[Algorithm::kUlp], 17);
  EXPECT_EQ(count[Algorithm::kThousandth], 2);
  EXPECT_EQ(count[Algorithm::kAccumulative], 0);
  EXPECT_EQ(s.level_of_api.size(), 5u + 14u);
  EXPECT_EQ(*s.level_of_api.find_entry("scatter_add_"), 1);
  EXPECT_EQ(*s.level_of_api.find_entry("GELU"), 2);
  EXPECT_EQ(*s.level_of_api.find_entry("gelu"), 2);
  EXPECT_EQ(s.quantization_apis.size(), 3u);
  EXPECT_EQ(s.no_backward_apis, (ApiList{"masked_select", "repeat_interleave"}));
  for (const char* api : {"topk", "sort", "argsort", "max", "min", "argmax", "argmin", "kthvalue", "median",
                          "nanmedian", "mode", "cummax", "cummin", "unique"}) {
    EXPECT_TRUE(s.index_apis.has_entry(api)) << api;
  }
  for (const char* api :
       {"to", "empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_with_format"}) {
    EXPECT_TRUE(s.skip_apis.has_entry(api)) << api;
  }
  for (const char* api : {"normal_", "bernoulli", "multinomial", "gumbel_softmax", "randperm", "poisson", "binomial"}) {
    EXPECT_TRUE(s.random_apis.has_entry(api)) << api;
  }
  EXPECT_FALSE(s.random_apis.has_entry("dropout"));
  EXPECT_EQ(*s.random_by_argument.find_entry("scaled_dot_product_attention"), "dropout_p");
  EXPECT_EQ(*s.random_by_argument.find_entry("multi_head_attention_forward"), "dropout_p");
  EXPECT_EQ(*s.random_by_argument.find_entry("rrelu"), "training");
  EXPECT_EQ(*s.random_by_argument.find_entry("lstm"), "dropout");
  EXPECT_EQ(*s.random_without_argument.find_entry("fractional_max_pool2d"), "_random_samples");
  EXPECT_EQ(*s.random_below_one.find_entry("npu_fusion_attention"), "keep_prob");
  EXPECT_TRUE(s.removed_apis.has_entry("symeig"));
  EXPECT_EQ(*s.unsupported.find_entry("map_"), "the Python function it was given is not recorded");
}

// Files that were written when each list stood in precision_standard.yaml.
TEST_F(StandardsTest, SectionsThatStandReplaceWhatSignaturesSay) {
  const Standards before = load_standards(whole()), now = load_standards(installed());
  const auto names = [](const ApiList& list) { return std::set<std::string>(list.begin(), list.end()); };
  const auto entries = [](const auto& map) { return std::map(map.begin(), map.end()); };
  EXPECT_EQ(names(now.index_apis), names(before.index_apis));
  EXPECT_EQ(names(now.skip_apis), names(before.skip_apis));
  EXPECT_EQ(names(now.random_apis), names(before.random_apis));
  EXPECT_EQ(names(now.no_backward_apis), names(before.no_backward_apis));
  EXPECT_EQ(names(now.not_raised), names(before.not_raised));
  EXPECT_EQ(names(now.removed_apis), names(before.removed_apis));
  EXPECT_EQ(entries(now.random_by_argument), entries(before.random_by_argument));
  EXPECT_EQ(entries(now.random_without_argument), entries(before.random_without_argument));
  EXPECT_EQ(entries(now.random_below_one), entries(before.random_below_one));
  EXPECT_EQ(entries(now.dtype_defaults), entries(before.dtype_defaults));
  EXPECT_EQ(entries(now.judged_outputs), entries(before.judged_outputs));
  EXPECT_EQ(entries(now.unsupported), entries(before.unsupported));

  std::ifstream file(installed());
  std::stringstream text;
  text << file.rdbuf() << "\nindex_apis: [my_sort]\nrandom_by_argument:\n";
  std::ofstream(folder_ / "own.yaml") << text.str();
  const Standards own = load_standards(folder_ / "own.yaml");
  EXPECT_EQ(own.index_apis, (ApiList{"my_sort"}));
  EXPECT_TRUE(own.random_by_argument.empty());
  EXPECT_EQ(names(own.random_apis), names(before.random_apis));
}

// ---- jumps

TEST_F(StandardsTest, JumpsOfTheInstalledFile) {
  const Standards s = load_standards(installed());
  const auto of = [&](const char* type, const char* name) {
    return s.jumps.find(ApiNames(type, name).with_plain_forms());
  };
  for (const auto& [type, name] : {std::pair("Tensor", "__ge__"), {"Torch", "not_equal"}, {"Tensor", "lt_"}}) {
    ASSERT_NE(of(type, name), nullptr) << name;
    EXPECT_EQ(of(type, name)->operands, Jump::Operands::kTensor) << name;
    EXPECT_EQ(of(type, name)->near, "") << name;
  }
  EXPECT_EQ(of("Functional", "threshold")->operands, Jump::Operands::kArithmetic);
  EXPECT_EQ(of("Tensor", "remainder_")->near, "input");
  EXPECT_EQ(of("Torch", "histc")->bins, "input");
  EXPECT_TRUE(of("Functional", "interpolate")->positions);
  EXPECT_EQ(of("Functional", "interpolate")->when.at("mode"),
            (std::vector<std::string>{"nearest", "nearest-exact", ""}));
  EXPECT_EQ(of("Functional", "linear"), nullptr);
  const Standards without = load_standards(whole());
  EXPECT_EQ(std::map(without.jumps.begin(), without.jumps.end()),
            std::map(s.jumps.begin(), s.jumps.end()));  // a file that leaves the section out
}

TEST_F(StandardsTest, JumpsAreTheUsersWhereTheySayAny) {
  std::ifstream file(whole());
  std::stringstream text;
  text << file.rdbuf() << "\njumps:\n  my_step: {operands: as given, near: x, when: {kind: [1, null]}}\n";
  std::ofstream(folder_ / "own.yaml") << text.str();
  const Standards s = load_standards(folder_ / "own.yaml");
  EXPECT_EQ(s.jumps.size(), 1u);
  EXPECT_EQ(*s.jumps.find_entry("my_step"),
            (Jump{Jump::Operands::kAsGiven, false, false, "x", "", {{"kind", {"1", ""}}}}));
  const auto of = [&](const std::string& fact) {
    return complaint("\nquantization_apis:", "\njumps: {x: {" + fact + "}}\nquantization_apis:");
  };
  const std::string here = place("quantization_apis:");
  EXPECT_EQ(of("operand: tensor"), here + ": unknown key operand, did you mean operands?");
  EXPECT_EQ(of("golden: half"), here + ": unknown golden half; expected one of float64, float32, positions");
  EXPECT_EQ(of("when: {mode: 1}"), here + ": mode: found the number 1, expected a list of values");
  EXPECT_EQ(of("near: [x]"), here + ": near: found a list of 1, expected text");
}

TEST_F(StandardsTest, AlgorithmByWholeNameThenItsEndsThenItsBeginnings) {
  const Standards s = load_standards(installed());
  EXPECT_EQ(s.algorithm({"Torch", "matmul"}), Algorithm::kUlp);
  EXPECT_EQ(s.algorithm({"Torch", "linalg.matmul"}), Algorithm::kUlp);
  EXPECT_EQ(s.algorithm({"Torch", "add.Tensor"}), Algorithm::kAbsolute);
  EXPECT_EQ(s.algorithm({"Torch", "conv2d"}), Algorithm::kThousandth);
  EXPECT_EQ(s.algorithm({"Torch", "softmax"}), Algorithm::kBenchmark);
  EXPECT_EQ(s.algorithm({"Torch", ""}), Algorithm::kBenchmark);
  EXPECT_EQ(algorithm_name(Algorithm::kBenchmark), "标杆比对法");
  EXPECT_EQ(algorithm_name(Algorithm::kAbsolute), "绝对阈值法");
  EXPECT_EQ(algorithm_name(Algorithm::kBinary), "二进制一致法");
  EXPECT_EQ(algorithm_name(Algorithm::kUlp), "ULP误差比对法");
  EXPECT_EQ(algorithm_name(Algorithm::kThousandth), "双千指标法");
  EXPECT_EQ(algorithm_name(Algorithm::kAccumulative), "累积误差比对法");
}

// ---- what is refused, and how it is said

TEST_F(StandardsTest, UnknownKeyNamesTheNearest) {
  EXPECT_EQ(complaint("cosine_threshold: 0.99", "cosine_treshold: 0.99"),
            place("cosine_threshold") + ": unknown key cosine_treshold, did you mean cosine_threshold?");
  EXPECT_EQ(
      complaint("  双千指标法: [conv1d, conv2d]", "  conv: [conv1d, conv2d]"),
      place("双千指标法: [conv1d") +
          ": unknown key conv; expected one of 绝对阈值法, 二进制一致法, ULP误差比对法, 双千指标法, 累积误差比对法");
}

TEST_F(StandardsTest, MissingKeyIsNamed) {
  EXPECT_EQ(complaint("  thousandth_pass: 0.999", ""), place("api_precision_compare:\n") +
                                                           ": api_precision_compare: thousandth_pass is missing; take "
                                                           "the installed precision_standard.yaml as a pattern");
}

TEST_F(StandardsTest, MissingDtypeIsNamed) {
  EXPECT_EQ(complaint("{float16: 2^-8, bfloat16: 2^-7, float32: 2^-11}", "{float16: 2^-8, float32: 2^-11}"),
            place("accumulative_bound:") +
                ": accumulative_bound: dtype bfloat16 of float16, bfloat16, float32 is missing; add a row for it");
}

TEST_F(StandardsTest, UnknownDtypeNamesTheNearest) {
  EXPECT_EQ(complaint("accumulative_bound: {float16", "accumulative_bound: {float61"),
            place("accumulative_bound:") + ": unknown dtype float61, did you mean float16?");
}

TEST_F(StandardsTest, WrongTypeSaysWhatWasFound) {
  EXPECT_EQ(complaint("small_value: 2^-11", "small_value: tiny"),
            place("small_value: 2^-11") +
                ": small_value: found the text \"tiny\", expected a number; write it as 0.001, 1e-16 or 2^-14");
  EXPECT_EQ(complaint("eps: 2^-7 ", "eps: 0 "), place("eps: 2^-7 ") + ": eps: found 0, expected a number above 0");
  EXPECT_EQ(complaint("dropout_zero_share: 0.1 ", "dropout_zero_share: 10 "),
            place("dropout_zero_share") + ": dropout_zero_share: found 10, expected a share from 0 to 1");
  EXPECT_EQ(complaint("rtol: 2^-20", "rtol: -1"),
            place("rtol: 2^-20") + ": rtol: found -1, expected a number of at least 0");
  EXPECT_NE(complaint("no_backward_apis: [repeat_interleave, masked_select]", "no_backward_apis: {a: 1}"), "");
  EXPECT_NE(complaint("acc_check:\n", "acc_check: 3\n"), "");
}

TEST_F(StandardsTest, AnApiHasOneAlgorithmAndOneLevel) {
  EXPECT_EQ(complaint("[conv1d, conv2d]", "[conv1d, matmul]"),
            place("[conv1d, conv2d]") +
                ": 双千指标法: matmul is listed under ULP误差比对法 too; "
                "an API has one algorithm; remove it from one of the lists");
  EXPECT_EQ(complaint("L2: [addmm", "L2: [embedding"), place("L2: [addmm") +
                                                           ": L2: embedding is listed under L1 too; "
                                                           "an API has one level; remove it from one of the lists");
  EXPECT_EQ(complaint("[repeat_interleave, masked_select]", "[masked_select, masked_select]"),
            place("no_backward_apis") + ": no_backward_apis: masked_select is listed twice; remove one of them");
}

TEST_F(StandardsTest, DefaultsByDtypeAreRead) {
  const Standards s = load_standards(installed());
  EXPECT_EQ(*s.dtype_defaults.find_entry("rms_norm"), std::pair(std::string("eps"), DtypeDefault::kEps));
  EXPECT_EQ(*s.dtype_defaults.find_entry("linalg_pinv"), std::pair(std::string("rtol"), DtypeDefault::kEpsLongerSide));
  EXPECT_EQ(*s.dtype_defaults.find_entry("lstsq"), std::pair(std::string("rcond"), DtypeDefault::kEpsLongerSide));
  EXPECT_EQ(complaint("  rms_norm: {eps: eps}", "  rms_norm: {eps: epsilon}"),
            place("  rms_norm: {eps: eps}") +
                ": eps: found the text \"epsilon\", expected a rule for a default; write one of \"eps\", \"eps * "
                "longer side\"");
  EXPECT_EQ(complaint("  rms_norm: {eps: eps}", "  rms_norm: {eps: eps, rtol: eps}"),
            place("  rms_norm: {eps: eps}") + ": rtol: rms_norm has a parameter already; write one parameter an API");
  EXPECT_NE(complaint("  rms_norm: {eps: eps}", "  rms_norm: eps"), "");
}

TEST_F(StandardsTest, NumbersMayBeWrittenAsPowersOfTwo) {
  EXPECT_EQ(complaint("cosine_threshold: 0.99", "cosine_threshold: 2^-1"), "");
  EXPECT_NE(complaint("cosine_threshold: 0.99", "cosine_threshold: 2^"), "");
  EXPECT_NE(complaint("cosine_threshold: 0.99", "cosine_threshold: 2^1x"), "");
  EXPECT_NE(complaint("cosine_threshold: 0.99", "cosine_threshold: 2^9999"), "");
}

TEST_F(StandardsTest, EmptyListsAreTaken) {
  EXPECT_EQ(complaint("removed_apis: [eig, symeig, Tensor.solve, Tensor.lstsq]", "removed_apis:"), "");
  EXPECT_EQ(complaint("累积误差比对法: []", "累积误差比对法: [my_op]"), "");
}

TEST_F(StandardsTest, MissingFileIsNamed) {
  try {
    load_standards(folder_ / "absent.yaml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("absent.yaml"), std::string::npos);
  }
}

}  // namespace
}  // namespace msprobe::config
