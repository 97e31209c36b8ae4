#include "check/outputs.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "check/index_outputs.h"

namespace msprobe::check {
namespace {

using inputs::List;
using inputs::None;
using inputs::Value;

dump::Argument tensor(const char* dtype, std::vector<int64_t> shape) {
  dump::TensorMeta meta;
  meta.type = "torch.Tensor";
  meta.dtype = dtype;
  meta.shape = std::move(shape);
  return {meta, ""};
}

TEST(Flatten, OpensNestedListsAndKeepsNone) {
  Value nested = List{{Value(at::zeros({2})), Value(List{{Value(1), Value(None{})}})}};
  auto flat = flatten(nested);
  ASSERT_EQ(flat.size(), 3u);
  EXPECT_TRUE(flat[0].is_tensor());
  EXPECT_EQ(flat[1].get<int64_t>(), 1);
  EXPECT_TRUE(flat[2].is_none());
}

TEST(Flatten, CountsATorchSizeAsOneResult) {
  EXPECT_EQ(flatten(Value(List{{Value(2), Value(3)}, true})).size(), 1u);
}

TEST(DifferenceFromRecord, NamesTheFirstDifference) {
  dump::ArgumentList recorded{tensor("torch.bfloat16", {2, 3})};
  auto flat = flatten(recorded);
  EXPECT_EQ(difference_from_record({Value(at::zeros({2, 3}, at::kBFloat16))}, flat), "");
  EXPECT_EQ(difference_from_record({Value(at::zeros({2, 3}))}, flat),
            "output 0: replay gives torch.float32 (2, 3), recorded torch.bfloat16 (2, 3)");
  EXPECT_EQ(difference_from_record({Value(at::zeros({3}, at::kBFloat16))}, flat),
            "output 0: replay gives torch.bfloat16 (3,), recorded torch.bfloat16 (2, 3)");
  EXPECT_EQ(difference_from_record({Value(1), Value(2)}, flat), "replay gives 2 outputs, recorded 1");
  EXPECT_EQ(difference_from_record({Value(true)}, flat), "output 0: replay gives bool, recorded torch.bfloat16 (2, 3)");
}

TEST(DifferenceFromRecord, ShapesOfManyDimensionsAreShortened) {
  dump::TensorMeta meta;
  meta.dtype = "torch.float32";
  meta.shape.assign(5000, 1);
  const dump::ArgumentList recorded{dump::Argument{meta, ""}};
  EXPECT_EQ(difference_from_record({Value(at::zeros({2}))}, flatten(recorded)),
            "output 0: replay gives torch.float32 (2,), recorded torch.float32 (1, 1, 1, 1, 1, 1, 1, 1, ...) of 5000 "
            "dimensions");
  EXPECT_EQ(difference_from_record({}, flatten(recorded)), "replay gives 0 outputs, recorded 1");
}

TEST(DifferenceFromRecord, TakesNullForAnything) {
  dump::ArgumentList recorded{dump::Argument{dump::NoneArg{}, ""}};
  EXPECT_EQ(difference_from_record({Value(at::zeros({1}))}, flatten(recorded)), "");
}

TEST(AsBuiltin, SpeaksPythonsWords) {
  EXPECT_EQ(as_builtin(Value(true))->kind, "bool");
  EXPECT_EQ(as_builtin(Value(int64_t{1} << 62))->text, "4611686018427387904");
  EXPECT_EQ(as_builtin(Value(2.5))->number, 2.5);
  EXPECT_EQ(as_builtin(Value("x"))->text, "x");
  EXPECT_FALSE(as_builtin(Value(at::zeros({1}))).has_value());
}

struct IndexCase {
  const char* api;
  std::vector<Value> args;
  std::vector<std::pair<std::string, Value>> kwargs;
  size_t output;
  std::optional<int64_t> dim;
  bool distinct;
};

dump::ApiName torch(const std::string& name) {
  return dump::parse_api_name("Torch." + name + ".0");
}

TEST(IndexOutput, FindsTheDimensionWherePythonPutsIt) {
  Value x(at::zeros({2, 3}));
  const std::vector<IndexCase> cases = {
      {"topk", {x, 2}, {}, 1, -1, true},
      {"topk", {x, 2, 0}, {}, 1, 0, true},
      {"sort", {x}, {{"dim", Value(0)}}, 1, 0, true},
      {"sort", {x, true}, {}, 1, -1, true},
      {"argsort", {x, 0}, {}, 0, 0, true},
      {"argmax", {x}, {}, 0, std::nullopt, false},
      {"argmax", {x, 1}, {}, 0, 1, false},
      {"max", {x}, {{"axis", Value(1)}}, 1, 1, false},
      {"kthvalue", {x, 1}, {}, 1, -1, false},
      {"cummin", {x, 1}, {}, 1, 1, false},
  };
  for (const auto& c : cases) {
    auto rule = index_output(torch(c.api), {c.args, c.kwargs}, c.output);
    ASSERT_TRUE(rule.has_value()) << c.api;
    EXPECT_EQ(rule->dim, c.dim) << c.api;
    EXPECT_EQ(rule->distinct, c.distinct) << c.api;
    EXPECT_FALSE(index_output(torch(c.api), {c.args, c.kwargs}, 1 - c.output).has_value()) << c.api;
  }
}

TEST(IndexOutput, ValuesAreNone) {
  Value x(at::zeros({2, 3}));
  EXPECT_FALSE(index_output(torch("bincount"), {{x}, {}}, 0).has_value());
  for (const char* api : {"max", "min", "median", "nanmedian"})
    for (const size_t output : {0, 1}) EXPECT_FALSE(index_output(torch(api), {{x}, {}}, output).has_value()) << api;
  for (const char* api : {"max", "min"}) EXPECT_FALSE(index_output(torch(api), {{x, x}, {}}, 0).has_value()) << api;
  EXPECT_FALSE(index_output(torch("msort"), {{x}, {}}, 0).has_value());
}

}  // namespace
}  // namespace msprobe::check
