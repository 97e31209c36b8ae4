// Recorded calls as Python's parser reads them: which overload, and what comes of it. Results are PyTorch 2.13's,
// printed by Python with six digits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/function.h>

#include "ops/registry.h"

namespace msprobe::ops {
namespace {

using inputs::List;
using inputs::None;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

at::Tensor longs(std::vector<int64_t> values) {
  return at::tensor(values, at::kLong);
}

template <class... T>
Value list(T... items) {
  return List{{Value(items)...}};
}

Value numpy(int64_t number) {
  Value value(number);
  value.is_numpy = true;
  return value;
}

std::string short_dtype(at::ScalarType dtype) {
  return inputs::dtype_name(dtype).substr(6);
}

std::string number_text(const char* format, double a, double b = 0) {
  char text[64];
  std::snprintf(text, sizeof text, format, a, b);
  return text;
}

std::string show(const at::Tensor& t) {
  std::string text = short_dtype(t.scalar_type()) + "[";
  for (int64_t d = 0; d < t.dim(); ++d) text.append(d ? "," : "").append(std::to_string(t.size(d)));
  text += "]";
  const auto flat = t.detach().flatten();
  for (int64_t i = 0; i < flat.numel(); ++i) {
    const at::Scalar item = flat[i].item();
    text += " ";
    text += item.isComplex() ? number_text("%.6g%+.6gj", item.toComplexDouble().real(), item.toComplexDouble().imag())
                             : number_text("%.6g", item.toDouble());
  }
  return text;
}

std::string show(const Value& value) {
  if (const auto* t = value.get_if<at::Tensor>()) return show(*t);
  if (const auto* b = value.get_if<bool>()) return *b ? "bool 1" : "bool 0";
  if (const auto* i = value.get_if<int64_t>()) return "int " + std::to_string(*i);
  if (const auto* d = value.get_if<double>()) return "float " + number_text("%.6g", *d);
  if (const auto* t = value.get_if<at::ScalarType>()) return "dtype " + short_dtype(*t);
  if (!value.is<List>()) return "?";
  std::string text;
  for (const auto& item : value.get<List>().items) {
    if (!text.empty()) text += "; ";
    text += show(item);
  }
  return text;
}

// The first candidate that binds, as a run takes it.
Value call(const std::string& api, const Arguments& arguments) {
  std::string why;
  for (const auto& candidate : candidates(dump::parse_api_name(api + ".0"), arguments)) {
    try {
      return candidate.call(arguments);
    } catch (const NoMatch& e) {
      why += e.what();
    }
  }
  throw NoMatch(why);
}

std::string why_not(const std::string& api, const Arguments& arguments) {
  try {
    return "binds: " + show(call(api, arguments));
  } catch (const NoMatch& e) {
    return e.what();
  }
}

struct Row {
  std::string api;
  Arguments arguments;
  std::string operators;  ///< empty: an adaptor's affair
  std::string result;
};

std::vector<Row> rows() {
  const auto x = at::tensor({1.f, 2.f, 3.f, 5.f}).view({2, 2});
  const auto i32 = at::tensor({1, 2}, at::kInt);
  const auto b = at::tensor({1, 0}, at::kInt).to(at::kBool);
  const auto a5 = at::arange(5), f8 = at::arange(8, at::kFloat), ones4 = at::ones({4});
  const auto h = at::scalar_tensor(1.5, at::kHalf);
  // clang-format off
  return {
    {"Torch.std", {{x, true}, {}}, "aten::std", "float32[] 1.70783"},
    {"Torch.std", {{x, 1}, {}}, "aten::std.dim", "float32[2] 0.707107 1.41421"},
    {"Torch.std", {{x}, {{"dim", 0}, {"correction", 0}}}, "aten::std.correction", "float32[2] 1 1.5"},
    {"Tensor.std", {{x}, {{"axis", 1}, {"keepdims", true}}}, "aten::std.dim", "float32[2,1] 0.707107 1.41421"},
    {"Tensor.split", {{a5, 2}, {}}, "", "int64[2] 0 1; int64[2] 2 3; int64[1] 4"},
    {"Tensor.split", {{a5, list(1, 4)}, {}}, "", "int64[1] 0; int64[4] 1 2 3 4"},
    {"Torch.tensor_split", {{a5, 2}, {}}, "aten::tensor_split.sections", "int64[3] 0 1 2; int64[2] 3 4"},
    {"Torch.tensor_split", {{a5, list(1, 3)}, {}}, "aten::tensor_split.indices", "int64[1] 0; int64[2] 1 2; int64[2] 3 4"},
    {"Torch.tensor_split", {{a5, longs({1, 3})}, {}}, "aten::tensor_split.tensor_indices_or_sections", "int64[1] 0; int64[2] 1 2; int64[2] 3 4"},
    {"Torch.hsplit", {{x, 2}, {}}, "aten::hsplit.int", "float32[2,1] 1 3; float32[2,1] 2 5"},
    {"Torch.hsplit", {{x, list(1)}, {}}, "aten::hsplit.array", "float32[2,1] 1 3; float32[2,1] 2 5"},
    {"Torch.clamp_min", {{b, at::scalar_tensor(1, at::kLong)}, {}}, "aten::clamp_min.Tensor", "int64[2] 1 1"},
    {"Torch.clamp", {{x, 2, None{}}, {}}, "aten::clamp", "float32[2,2] 2 2 3 5"},
    {"Tensor.clamp", {{x, x.t()}, {}}, "aten::clamp.Tensor", "float32[2,2] 1 3 3 5"},
    {"Aten.stft", {{f8, 4, 2, 4, ones4, false, true, true}, {}}, "aten::stft", "complex64[3,3] 6+0j 14+0j 22+0j -2+2j -2+2j -2+2j -2+0j -2+0j -2+0j"},
    {"Torch.where", {{x.gt(2), x, 0.5}, {}}, "aten::where.ScalarOther", "float32[2,2] 0.5 0.5 3 5"},
    {"Torch.where", {{x.gt(2), 1, 2}, {}}, "aten::where.Scalar", "int64[2,2] 2 2 1 1"},
    {"Torch.where", {{x.gt(2), 1., x.to(at::kDouble)}, {}}, "aten::where.ScalarSelf", "float64[2,2] 1 2 1 1"},
    {"Torch.where", {{x.gt(2)}, {}}, "aten::where", "int64[2] 1 1; int64[2] 0 1"},
    {"Tensor.where", {{x, x.gt(2), 7}, {}}, "aten::where.ScalarOther", "float32[2,2] 7 7 3 5"},
    {"Torch.pow", {{i32, 2}, {}}, "aten::pow.Tensor_Scalar", "int32[2] 1 4"},
    {"Torch.pow", {{2, i32}, {}}, "aten::pow.Scalar", "int32[2] 2 4"},
    {"Torch.pow", {{x, x}, {}}, "aten::pow.Tensor_Tensor", "float32[2,2] 1 4 27 3125"},
    {"Tensor.__rpow__", {{i32, 2.5}, {}}, "aten::pow.Scalar", "float32[2] 2.5 6.25"},
    {"Tensor.__rfloordiv__", {{i32, 7}, {}}, "aten::floor_divide", "int32[2] 7 3"},
    {"Tensor.__rmod__", {{i32, 7}, {}}, "aten::remainder.Scalar_Tensor", "int32[2] 0 1"},
    {"Tensor.__rsub__", {{i32, 1}, {}}, "aten::rsub.Scalar", "int32[2] 0 -1"},
    {"Tensor.__rlshift__", {{i32, 1}, {}}, "aten::bitwise_left_shift.Scalar_Tensor", "int32[2] 2 4"},
    {"Tensor.__and__", {{i32, true}, {}}, "aten::__and__.Scalar", "int32[2] 1 0"},
    {"Tensor.__ror__", {{i32, 4}, {}}, "aten::bitwise_or.Scalar", "int32[2] 5 6"},
    {"Tensor.__invert__", {{b}, {}}, "aten::bitwise_not", "bool[2] 0 1"},
    {"Tensor.__matmul__", {{x, x}, {}}, "aten::matmul", "float32[2,2] 7 12 18 31"},
    {"Tensor.__ge__", {{x, 2}, {}}, "aten::ge.Scalar", "bool[2,2] 0 1 1 1"},
    {"Tensor.__pos__", {{x}, {}}, "aten::positive", "float32[2,2] 1 2 3 5"},
    {"Tensor.__add__", {{i32, 2.5}, {}}, "aten::add.Tensor", "float32[2] 3.5 4.5"},
    {"Tensor.__mul__", {{h, 2.5}, {}}, "aten::mul.Tensor", "float16[] 3.75"},
    {"Tensor.__truediv__", {{i32, 2}, {}}, "aten::div.Tensor", "float32[2] 0.5 1"},
    {"Tensor.__mul__", {{i32, true}, {}}, "aten::mul.Tensor", "int32[2] 1 2"},
    {"Tensor.__radd__", {{x, c10::complex<double>(0, 2)}, {}}, "aten::add.Tensor", "complex64[2,2] 1+2j 2+2j 3+2j 5+2j"},
    {"Torch.add", {{i32, i32}, {{"alpha", 3}}}, "aten::add.Tensor", "int32[2] 4 8"},
    {"Torch.floor_divide", {{i32, 2.5}, {}}, "aten::floor_divide", "float32[2] 0 0"},
    {"Torch.remainder", {{i32, 1.5}, {}}, "aten::remainder.Scalar", "float32[2] 1 0.5"},
    {"Torch.bitwise_and", {{i32, 3}, {}}, "aten::bitwise_and.Scalar", "int32[2] 1 2"},
    {"Torch.div", {{i32, 2}, {{"rounding_mode", "floor"}}}, "aten::div.Tensor_mode", "int32[2] 0 1"},
    {"Torch.sum", {{x, 1}, {}}, "aten::sum.dim_IntList", "float32[2] 3 8"},
    {"Torch.sum", {{x}, {}}, "aten::sum", "float32[] 11"},
    {"Torch.sum", {{x}, {{"axis", 1}, {"keepdims", true}}}, "aten::sum.dim_IntList", "float32[2,1] 3 8"},
    {"Torch.sum", {{}, {{"input", x}, {"dim", list(0)}}}, "aten::sum.dim_IntList", "float32[2] 4 7"},
    {"Tensor.sum", {{x, at::scalar_tensor(1, at::kLong)}, {}}, "aten::sum.dim_IntList", "float32[2] 3 8"},
    {"Tensor.sum", {{x, List{}}, {}}, "aten::sum.dim_IntList", "float32[] 11"},
    {"Torch.sum", {{i32}, {{"dtype", at::kDouble}}}, "aten::sum", "float64[] 3"},
    {"Torch.mean", {{x, None{}}, {}}, "aten::mean.dim", "float32[] 2.75"},
    {"Torch.max", {{x, 1}, {}}, "aten::max.dim", "float32[2] 2 5; int64[2] 1 1"},
    {"Torch.max", {{x, x.t()}, {}}, "aten::max.other", "float32[2,2] 1 3 3 5"},
    {"Torch.all", {{x.gt(0)}, {{"dim", list(0, 1)}}}, "aten::all.dims", "bool[] 1"},
    {"Torch.any", {{x.gt(2), 0}, {}}, "aten::any.dim", "bool[2] 1 1"},
    {"Torch.kl_div", {{x, x}, {}}, "aten::kl_div", "float32[2,2] -1 -2.61371 -5.70416 -16.9528"},
    {"Aten.kl_div", {{x, x}, {}}, "aten::kl_div", "float32[] -6.56767"},
    {"Torch.margin_ranking_loss", {{x, x.t(), x.sign()}, {}}, "aten::margin_ranking_loss", "float32[2,2] 0 1 0 0"},
    {"Tensor.view", {{f8, 2, 4}, {}}, "aten::view", "float32[2,4] 0 1 2 3 4 5 6 7"},
    {"Tensor.view", {{f8, list(2, -1)}, {}}, "aten::view", "float32[2,4] 0 1 2 3 4 5 6 7"},
    {"Tensor.view", {{f8, -1}, {}}, "aten::view", "float32[8] 0 1 2 3 4 5 6 7"},
    {"Tensor.view", {{f8, at::kInt}, {}}, "aten::view.dtype", "int32[8] 0 1.06535e+09 1.07374e+09 1.07794e+09 1.08213e+09 1.08423e+09 1.08632e+09 1.08842e+09"},
    {"Tensor.permute", {{x, 1, 0}, {}}, "aten::permute", "float32[2,2] 1 3 2 5"},
    {"Tensor.expand", {{at::ones({1}), 2, 3}, {}}, "aten::expand", "float32[2,3] 1 1 1 1 1 1"},
    {"Tensor.repeat", {{i32, 2, 2}, {}}, "aten::repeat", "int32[2,4] 1 2 1 2 1 2 1 2"},
    {"Tensor.flip", {{x, 0, 1}, {}}, "aten::flip", "float32[2,2] 5 3 2 1"},
    {"Tensor.tile", {{i32, 2}, {}}, "aten::tile", "int32[4] 1 2 1 2"},
    {"Tensor.new_zeros", {{x, 2, 1}, {}}, "aten::new_zeros", "float32[2,1] 0 0"},
    {"Tensor.squeeze", {{at::zeros({1, 2, 1}), list(0, 2)}, {}}, "aten::squeeze.dims", "float32[2] 0 0"},
    {"Tensor.roll", {{a5, 1}, {}}, "aten::roll", "int64[5] 4 0 1 2 3"},
    {"Torch.zeros", {{2, 3}, {{"dtype", at::kShort}}}, "aten::zeros", "int16[2,3] 0 0 0 0 0 0"},
    {"Torch.ones", {{list(2)}, {}}, "aten::ones", "float32[2] 1 1"},
    {"Torch.full", {{list(2), true}, {}}, "aten::full", "bool[2] 1 1"},
    {"Torch.arange", {{1, 5, 2}, {}}, "aten::arange.start_step", "int64[2] 1 3"},
    {"Torch.arange", {{0., 1., 0.25}, {}}, "aten::arange.start_step", "float32[4] 0 0.25 0.5 0.75"},
    {"Torch.arange", {{3}, {}}, "aten::arange", "int64[3] 0 1 2"},
    {"Torch.cumsum", {{x}, {{"axis", 0}}}, "aten::cumsum", "float32[2,2] 1 2 4 7"},
    {"Torch.cat", {{List{{x, x}}, -1}, {}}, "aten::cat", "float32[2,4] 1 2 1 2 3 5 3 5"},
    {"Torch.block_diag", {{x, i32}, {}}, "aten::block_diag", "float32[3,4] 1 2 0 0 3 5 0 0 0 0 1 2"},
    {"Torch.broadcast_tensors", {{x, i32}, {}}, "aten::broadcast_tensors", "float32[2,2] 1 2 3 5; int32[2,2] 1 2 1 2"},
    {"Torch.cartesian_prod", {{i32, i32}, {}}, "aten::cartesian_prod", "int32[4,2] 1 1 1 2 2 1 2 2"},
    {"Torch.add", {{x, 2, x}, {}}, "aten::add.Tensor", "float32[2,2] 3 6 9 15"},
    {"Tensor.sub", {{x, 2, x}, {}}, "aten::sub.Tensor", "float32[2,2] -1 -2 -3 -5"},
    {"Torch.addmm", {{2, x, 3, x, x}, {}}, "aten::addmm", "float32[2,2] 23 40 60 103"},
    {"Tensor.addmm", {{x, 2, x, x}, {}}, "aten::addmm", "float32[2,2] 9 16 24 41"},
    {"Torch.addcmul", {{x, 2, x, x}, {}}, "aten::addcmul", "float32[2,2] 3 10 21 55"},
    {"Torch.dropout", {{x, 1, true}, {}}, "aten::dropout", "float32[2,2] 0 0 0 0"},
    {"Torch.quantile", {{x, 0.5}, {}}, "aten::quantile.scalar", "float32[] 2.5"},
    {"Torch.quantile", {{x, at::scalar_tensor(0.5), 0}, {}}, "aten::quantile", "float32[2] 2 3.5"},
    {"Torch.linalg.norm", {{x, "nuc"}, {}}, "aten::linalg_norm.ord_str", "float32[] 6.40312"},
    {"Torch.linalg.norm", {{x, 1}, {}}, "aten::linalg_norm", "float32[] 7"},
    {"Torch.vector_norm", {{x}, {}}, "aten::linalg_vector_norm", "float32[] 6.245"},
    {"Torch.logit", {{x.mul(0.1)}, {}}, "aten::logit", "float32[2,2] -2.19722 -1.38629 -0.847298 0"},
    {"Torch.special.expit", {{x}, {}}, "aten::special_expit", "float32[2,2] 0.731059 0.880797 0.952574 0.993307"},
    {"Torch.fft.rfft", {{ones4}, {}}, "aten::fft_rfft", "complex64[3] 4+0j 0+0j 0+0j"},
    {"Torch.searchsorted", {{x.flatten(), 2.}, {}}, "aten::searchsorted.Scalar", "int64[] 1"},
    {"Torch.bucketize", {{3, x.flatten()}, {}}, "aten::bucketize.Scalar", "int64[] 2"},
    {"Torch.isin", {{2, i32}, {}}, "aten::isin.Scalar_Tensor", "bool[] 1"},
    {"Torch.result_type", {{i32, 1.5}, {}}, "aten::result_type.Scalar", "dtype float32"},
    {"Torch.repeat_interleave", {{i32, 2}, {}}, "aten::repeat_interleave.self_int", "int32[4] 1 1 2 2"},
    {"Torch.repeat_interleave", {{longs({1, 2})}, {}}, "aten::repeat_interleave.Tensor", "int64[3] 0 1 1"},
    {"Torch.gradient", {{f8.slice(0, 0, 3)}, {{"spacing", 2.}}}, "aten::gradient.scalarint", "float32[3] 0.5 0.5 0.5"},
    {"Torch.lerp", {{x, x, 0.5}, {}}, "aten::lerp.Scalar", "float32[2,2] 1 2 3 5"},
    {"Tensor.index_fill", {{x, 0, longs({0}), 7}, {}}, "aten::index_fill.int_Scalar", "float32[2,2] 7 7 3 5"},
    {"Tensor.masked_fill", {{x, x.gt(2), -1}, {}}, "aten::masked_fill.Scalar", "float32[2,2] 1 2 -1 -1"},
    {"Torch.scatter", {{at::zeros({3}), 0, longs({1}), 2.5}, {}}, "aten::scatter.value", "float32[3] 0 2.5 0"},
    {"Tensor.item", {{h}, {}}, "aten::item", "float 1.5"},
    {"Torch.equal", {{x, x}, {}}, "aten::equal", "bool 1"},
    {"Tensor.size", {{x, 1}, {}}, "", "int 2"},
    {"Torch.conv2d", {{f8.view({1, 1, 2, 4}), at::ones({1, 1, 2, 2}), None{}, 1, "same"}, {}}, "aten::conv2d.padding", "float32[1,1,2,4] 10 14 18 10 9 11 13 7"},
    {"Functional.conv2d", {{f8.view({1, 1, 2, 4}), at::ones({1, 1, 2, 2}), None{}, 2, 0, 1, 1}, {}}, "aten::conv2d", "float32[1,1,1,2] 10 18"},
    {"Torch.narrow", {{x, 0, numpy(1), 1}, {}}, "aten::narrow", "float32[1,2] 3 5"},
    {"Aten.var", {{x, 1}, {}}, "aten::var", "float32[] 2.91667"},
    {"Aten.amin.default", {{x, list(1), 1}, {}}, "aten::amin", "float32[2,1] 1 3"},
    {"Tensor.copy_", {{x.clone(), 2}, {}}, "aten::copy_", "float32[2,2] 2 2 2 2"},
    {"Torch.sub", {{x, at::scalar_tensor(2), x}, {}}, "aten::sub.Tensor", "float32[2,2] -1 -2 -3 -5"},
    {"Aten.add.Tensor", {{x, 2}, {}}, "aten::add.Tensor", "float32[2,2] 3 4 5 7"},
    {"Aten.std.correction", {{x, list(0)}, {{"correction", 0}}}, "aten::std.correction", "float32[2] 1 1.5"},
    {"Aten.sum.default", {{x}, {}}, "aten::sum", "float32[] 11"},
    {"Aten.index.Tensor", {{x, List{{None{}, longs({1})}}}, {}}, "aten::index.Tensor", "float32[2,1] 2 5"},
    {"Aten._foreach_add", {{List{{x, i32}}, 1}, {}}, "aten::_foreach_add.Scalar", "float32[2,2] 2 3 4 6; int32[2] 2 3"},
    {"Aten._foreach_mul", {{List{{x, i32}}, list(2, 3)}, {}}, "aten::_foreach_mul.ScalarList", "float32[2,2] 2 4 6 10; int32[2] 3 6"},
  };
  // clang-format on
}

TEST(BindTest, CallsWhatPythonCalls) {
  for (const auto& row : rows()) {
    SCOPED_TRACE(row.api + " " + row.operators);
    EXPECT_EQ(show(call(row.api, row.arguments)), row.result);
    if (row.operators.empty()) continue;
    EXPECT_EQ(last_operators(), row.operators);
  }
}

const at::Tensor two_by_two = at::tensor({1.f, 2.f, 3.f, 5.f}).view({2, 2});

TEST(BindTest, OutSelectsTheOutSchema) {
  const auto out = at::empty({0});
  const Value result = call("Torch.add", {{two_by_two, 1}, {{"out", out}}});
  EXPECT_EQ(last_operators(), "aten::add.out");
  EXPECT_EQ(show(out), "float32[2,2] 2 3 4 6");
  EXPECT_TRUE(result.get<at::Tensor>().is_same(out));

  const auto values = at::empty({0}), indices = at::empty({0}, at::kLong);
  call("Torch.max", {{two_by_two, 1}, {{"out", List{{values, indices}}}}});
  EXPECT_EQ(last_operators(), "aten::max.dim_max");
  EXPECT_EQ(show(values) + "; " + show(indices), "float32[2] 2 5; int64[2] 1 1");

  const auto zeros = at::ones({1});
  call("Torch.zeros", {{2}, {{"out", zeros}, {"dtype", None{}}}});
  EXPECT_EQ(show(zeros), "float32[2] 0 0");

  EXPECT_EQ(show(call("Torch.add", {{two_by_two, 1}, {{"out", None{}}}})), "float32[2,2] 2 3 4 6");
}

TEST(BindTest, InplaceResultIsTheArgument) {
  const auto x = two_by_two.clone();
  const Value result = call("Tensor.__iadd__", {{x, 1}, {}});
  EXPECT_TRUE(result.get<at::Tensor>().is_same(x));
  EXPECT_EQ(show(x), "float32[2,2] 2 3 4 6");
}

TEST(BindTest, RequiresGradIsSetOnTheResult) {
  EXPECT_TRUE(call("Torch.ones", {{2}, {{"requires_grad", true}}}).get<at::Tensor>().requires_grad());
  EXPECT_FALSE(call("Torch.ones", {{2}, {{"requires_grad", false}}}).get<at::Tensor>().requires_grad());
}

TEST(BindTest, AutogradRunsThrough) {
  const auto x = two_by_two.clone().requires_grad_(true);
  const auto y = call("Tensor.__mul__", {{x, x}, {}}).get<at::Tensor>();
  ASSERT_NE(y.grad_fn(), nullptr);
  EXPECT_EQ(y.grad_fn()->name(), "MulBackward0");
  y.sum().backward();
  EXPECT_EQ(show(x.grad()), "float32[2,2] 2 4 6 10");
}

TEST(BindTest, NoneAndLostObjectsAreAbsent) {
  EXPECT_EQ(show(call("Torch.sum", {{two_by_two}, {{"dtype", inputs::Opaque{}}}})), "float32[] 11");
  EXPECT_EQ(show(call("Torch.sum", {{two_by_two, 0}, {{"dtype", None{}}}})), "float32[2] 4 7");
  EXPECT_EQ(show(call("Torch.max_pool1d", {{two_by_two, 2, None{}}, {}})), "float32[2,1] 2 5");
  // Where a dtype must be given, its loss is said.
  EXPECT_EQ(
      why_not("Tensor.type_as", {{two_by_two, inputs::Opaque{}}, {}}),
      "Tensor.type_as(Tensor float32[2, 2], {}) fits no signature; type_as(Tensor other): other: takes Tensor, got {}");
  EXPECT_THAT(why_not("Tensor.view", {{two_by_two, inputs::Opaque{}}, {}}),
              HasSubstr("dtype: takes ScalarType, got {} (the dump does not say which ScalarType)"));
}

TEST(BindTest, NoneForANumberMayHaveBeenComplex) {
  const std::string hint = " (a Python complex number is recorded as null)";
  EXPECT_EQ(show(call("Torch.clamp", {{two_by_two, None{}, 3}, {}})),
            show(call("Torch.clamp", {{two_by_two}, {{"max", 3}}})));
  EXPECT_THAT(why_not("Torch.rsub", {{two_by_two, None{}}, {}}), HasSubstr("other: takes Scalar, got None" + hint));
  EXPECT_THAT(why_not("Torch.add", {{two_by_two, None{}}, {}}), HasSubstr("other: takes Tensor, got None" + hint));
  EXPECT_THAT(why_not("Torch.mv", {{two_by_two, None{}}, {}}), HasSubstr("vec: takes Tensor, got None"));
  EXPECT_THAT(why_not("Torch.mv", {{two_by_two, None{}}, {}}), Not(HasSubstr(hint)));
  EXPECT_THAT(why_not("Torch.narrow", {{two_by_two, 0, None{}, 1}, {}}), Not(HasSubstr(hint)));  // never complex
}

TEST(BindTest, FunctionsTakeNoVarargs) {
  EXPECT_EQ(why_not("Torch.permute", {{two_by_two, 1, 0}, {}}),
            "Torch.permute(Tensor float32[2, 2], int 1, int 0) fits no signature; permute(Tensor input, int[] dims): "
            "takes 2 arguments by position, got 3");
}

TEST(BindTest, NumbersStandForTensorsOnlyWherePythonTakesThem) {
  EXPECT_EQ(
      why_not("Torch.maximum", {{two_by_two, 2}, {}}),
      "Torch.maximum(Tensor float32[2, 2], int 2) fits no signature; maximum(Tensor input, Tensor other, *, Tensor "
      "out=None): other: takes Tensor, got int 2");
}

TEST(BindTest, BoolIsNoIntAndNumpysBoolNoBool) {
  Value numpy_true(true);
  numpy_true.is_numpy = true;
  EXPECT_THAT(why_not("Torch.narrow", {{two_by_two, 0, true, 1}, {}}), HasSubstr("start: takes SymInt, got bool true"));
  EXPECT_THAT(why_not("Torch.sum", {{two_by_two, 0, numpy_true}, {}}),
              HasSubstr("keepdim: takes bool, got numpy bool true"));
}

TEST(BindTest,
     IntegersBeyond64BitsAreNamed) {  // older LibTorch name flatten's overloads by dimension names before this one
  EXPECT_THAT(
      why_not("Tensor.flatten", {{two_by_two, inputs::BigInt{"123456789012345678901"}}, {}}),
      testing::AllOf(
          testing::StartsWith("Tensor.flatten(Tensor float32[2, 2], int 123456789012345678901) fits no signature; "),
          testing::EndsWith("flatten(int start_dim=0, int end_dim=-1): start_dim: takes int, got int "
                            "123456789012345678901, which no 64-bit integer holds")));
}

TEST(BindTest, MissingUnknownAndSurplusArgumentsAreNamed) {
  EXPECT_EQ(why_not("Torch.mv", {{two_by_two}, {}}),
            "Torch.mv(Tensor float32[2, 2]) fits no signature; mv(Tensor input, Tensor vec, *, Tensor out=None): "
            "vec is missing");
  EXPECT_THAT(why_not("Torch.relu", {{two_by_two}, {{"axes", 1}}}),
              HasSubstr("relu(Tensor input): no argument of the name axes"));
  EXPECT_THAT(why_not("Tensor.relu", {{two_by_two, 1}, {}}), HasSubstr("relu(): takes 0 arguments by position, got 1"));
  EXPECT_THAT(why_not("Torch.relu", {{two_by_two}, {{"out", two_by_two}}}),
              HasSubstr("relu(Tensor input): has no out="));
}

TEST(BindTest, MethodsNeedATensorAsSelf) {
  EXPECT_THAT(why_not("Tensor.relu", {{1}, {}}), HasSubstr("self: takes Tensor, got int 1"));
  EXPECT_THAT(why_not("Tensor.conv2d", {{two_by_two}, {}}),
              HasSubstr("no overload of aten::conv2d is a method of Tensor"));
}

TEST(BindTest, ErrorsOfTheCallItselfPassThrough) {
  EXPECT_THROW(call("Torch.matmul", {{two_by_two, at::ones({3})}, {}}), c10::Error);
}

}  // namespace
}  // namespace msprobe::ops
