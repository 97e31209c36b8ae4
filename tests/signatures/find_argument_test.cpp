// Which argument of a call stands for a parameter. What is right is Python's own signature of each function.
#include "signatures/find_argument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inputs/build.h"
#include "inputs/valid.h"
#include "support/temp_folder.h"
#include "util/error.h"

namespace msprobe::signatures {
namespace {

using testing::HasSubstr;
using testing::Optional;

const Place kFirst{false, 0}, kSecond{false, 1}, kThird{false, 2}, kFourth{false, 3};

struct Call {
  const char* api;
  std::vector<Form> args;
  std::vector<std::pair<std::string_view, Form>> kwargs = {};
};

Found find(const Call& call, std::string_view parameter,
           const config::FactTable& known = config::installed_api_facts()) {
  return find_argument(known, dump::parse_api_name(std::string(call.api) + ".0"), {call.args, call.kwargs}, parameter);
}

constexpr Form kTensor = Form::kTensor, kTensors = Form::kTensors, kInteger = Form::kInteger;

TEST(FindArgument, OfOverloadsThatDisagreeTheCallDecides) {
  // repeat_interleave(repeats) and repeat_interleave(input, repeats, dim)
  EXPECT_EQ(find({"Torch.repeat_interleave", {kTensor}}, "repeats").place, kFirst);
  EXPECT_EQ(find({"Torch.repeat_interleave", {kTensor, kTensor}}, "repeats").place, kSecond);
  EXPECT_EQ(find({"Tensor.repeat_interleave", {kTensor, kInteger, kInteger}}, "dim").place, kThird);
  // lstm(input, hx, params, ...) and lstm(data, batch_sizes, hx, params, ...)
  const Form b = Form::kBool, n = kInteger, f = Form::kFloating;
  const Call packed{"VF.lstm", {kTensor, kTensor, kTensors, kTensors, b, n, f, b, b}};
  const Call padded{"VF.lstm", {kTensor, kTensors, kTensors, b, n, f, b, b, b}};
  EXPECT_EQ(find(packed, "batch_sizes").place, kSecond);
  EXPECT_FALSE(find(padded, "batch_sizes").known);
  EXPECT_EQ(find(packed, "dropout").place, (Place{false, 6}));
  EXPECT_EQ(find(padded, "dropout").place, (Place{false, 5}));
  // max(input, dim, keepdim) and max(input, other)
  EXPECT_EQ(find({"Torch.max", {kTensor, kInteger}}, "dim").place, kSecond);
  EXPECT_FALSE(find({"Torch.max", {kTensor, kTensor}}, "dim").known);
}

TEST(FindArgument, ByAnyOfItsNames) {
  EXPECT_EQ(find({"Torch.cholesky", {kTensor}}, "input").place, kFirst);
  EXPECT_EQ(find({"Torch.cholesky", {}, {{"self", kTensor}}}, "input").place, (Place{true, 0}));
  EXPECT_EQ(find({"Torch.sum", {kTensor}, {{"axis", kInteger}}}, "dim").place, (Place{true, 0}));
  EXPECT_EQ(find({"Torch.cholesky_solve", {kTensor, kTensor}}, "L").place, kSecond);  // the schema's input2
  EXPECT_EQ(find({"Aten.index_put.default", {kTensor, kTensors, kTensor}}, "value").place, kThird);
  EXPECT_EQ(find({"Aten.nll_loss_backward.default", {kTensor, kTensor, kTensor}}, "input").place, kSecond);
}

TEST(FindArgument, LeftOutIsNotUnknown) {
  const Found left_out = find({"Torch.topk", {kTensor, kInteger}}, "dim");
  EXPECT_TRUE(left_out.known);
  EXPECT_EQ(left_out.place, std::nullopt);
  EXPECT_FALSE(find({"Torch.topk", {kTensor, kInteger}}, "axle").known);
  EXPECT_FALSE(find({"Torch.no_such_operator", {kTensor}}, "input").known);
}

TEST(FindArgument, ThePlaceOfAMethodsOperands) {
  EXPECT_EQ(find({"Tensor.where", {kTensor, kTensor, kTensor}}, "condition").place, kSecond);  // x.where(condition, y)
  EXPECT_EQ(find({"Torch.where", {kTensor, kTensor, kTensor}}, "condition").place, kFirst);
  EXPECT_EQ(find({"Tensor.__floordiv__", {kTensor, kTensor}}, "other").place, kSecond);
  EXPECT_EQ(find({"Tensor.__setitem__", {kTensor, kTensor, kTensor}}, "indices").place, kSecond);
}

TEST(FindArgument, FileGoesBeforeSchemas) {
  // functional.embedding_bag(input, weight, offsets), the operator's (weight, indices, offsets)
  EXPECT_EQ(find({"Functional.embedding_bag", {kTensor, kTensor, kTensor}}, "input").place, kFirst);
  EXPECT_EQ(find({"Torch.embedding_bag", {kTensor, kTensor, kTensor}}, "indices").place, kSecond);
  const std::vector<Form> all(17, Form::kOther);
  EXPECT_EQ(find({"NPU.npu_fusion_attention", all}, "sparse_mode").place, (Place{false, 16}));
  EXPECT_EQ(find({"NPU.npu_fusion_attention_v2", {all.begin(), all.begin() + 5}}, "atten_mask").place, std::nullopt);
  EXPECT_EQ(find({"NPU.npu_grouped_matmul_add_", {kTensor, kTensor, kTensor, kTensor}}, "group_list").place, kFourth);
}

// ---- files of our own

class OwnFile : public testing::Test {
 protected:
  config::FactTable load(const std::string& text) { return config::load_api_facts(folder_.write("own.yaml", text)); }
  std::string complaint(const std::string& text) {
    try {
      inputs::require_known_rules(load(text));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  const support::TempFolder folder_;
};

// The values that are drawn for NPU.new_operator(three tensors) with an entry for it.
std::vector<std::vector<int64_t>> drawn(const config::FactTable& known) {
  dump::TensorMeta meta;
  meta.type = "torch.Tensor";
  meta.dtype = "torch.int64";
  meta.shape = {16};
  meta.max = int64_t{1000};
  meta.min = int64_t{0};
  dump::Record record;
  record.name = {"NPU", "new_operator", "0", "NPU.new_operator.0"};
  for (int i = 0; i < 3; ++i) record.forward.args.push_back({meta, ""});
  inputs::BuildContext context{{}, "", false, false, known};
  std::vector<std::vector<int64_t>> all;
  for (const auto& value : inputs::build_inputs(record, context).arguments.args) {
    const auto& t = value.get<at::Tensor>();
    all.emplace_back(t.data_ptr<int64_t>(), t.data_ptr<int64_t>() + t.numel());
  }
  return all;
}

TEST_F(OwnFile, ARuleFollowsItsParameter) {
  for (size_t place = 0; place < 3; ++place) {
    std::vector<std::string> names = {"x", "y"};
    names.insert(names.begin() + static_cast<ptrdiff_t>(place), "ends");
    const auto values = drawn(load("new_operator: {parameters: \"" + names[0] + ", " + names[1] + ", " + names[2] +
                                   "\", values: {ends: ascending}}\n"));
    for (size_t i = 0; i < 3; ++i)
      EXPECT_EQ(std::is_sorted(values[i].begin(), values[i].end()), i == place) << i << " of " << place;
  }
}

TEST_F(OwnFile, ComplaintsNameThePlace) {
  EXPECT_THAT(complaint("x:\n  parameters: \"a, b=1\"\n  values: {c: ascending}\n"),
              testing::AllOf(HasSubstr("yaml:1: x: its parameters have no c"), HasSubstr("correct the name")));
  EXPECT_THAT(complaint("x: {parameters: \"a\", random: {above_zero: p}}\n"), HasSubstr("its parameters have no p"));
  EXPECT_THAT(complaint("x:\n  valued: {c: ascending}\n"), HasSubstr("yaml:2: unknown key valued"));
  EXPECT_THAT(complaint("x: {random: never}\n"), HasSubstr("expected keys with values"));
  EXPECT_THAT(complaint("x: {random: {above: p}}\n"), HasSubstr("unknown condition above"));
  EXPECT_THAT(complaint("x: {index_output: {output: 1, without_dim: first}}\n"),
              HasSubstr("unknown without_dim first"));
  EXPECT_THAT(complaint("x: {dtype_default: {eps: small}}\n"), HasSubstr("unknown rule for a default small"));
  EXPECT_THAT(complaint("x: {hf32: 3}\n"), HasSubstr("yaml:1: hf32"));
  EXPECT_THAT(complaint("- x\n"), HasSubstr("expected names of APIs"));
  EXPECT_THAT(complaint("a: {cost: product}\nx: {values: {c: increasing}}\n"),
              HasSubstr("yaml:2: no rule for values is called increasing"));
}

TEST(ParseParameters, TakesDefaultsWithCommasAndBrackets) {
  const auto parameters = config::parse_parameters("input, size=[1, 2], *, mode='a', out=(1, (2, 3))");
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_EQ(parameters[1], (config::DeclaredName{"size", false}));
  EXPECT_EQ(parameters[2], (config::DeclaredName{"mode", true}));
  EXPECT_EQ(parameters[3], (config::DeclaredName{"out", true}));
}

}  // namespace
}  // namespace msprobe::signatures
