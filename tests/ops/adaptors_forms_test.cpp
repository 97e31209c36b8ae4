// Forms of arguments that only a dump has, errors, and identity of results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/adaptors/tensor_data.h"
#include "ops/call.h"
#include "ops/registry.h"
#include "support/error_of.h"

namespace msprobe::ops {
namespace {

using inputs::List;
using inputs::None;
using inputs::Opaque;
using testing::HasSubstr;

Value call(const char* api, std::vector<Value> args, std::vector<std::pair<std::string, Value>> kwargs = {}) {
  const Adaptor* adaptor = find_adaptor(api);
  if (!adaptor) throw std::logic_error(std::string("no adaptor ") + api);
  return (*adaptor)(Arguments{std::move(args), std::move(kwargs)});
}

at::Tensor tensor(const Value& v) {
  return v.get<at::Tensor>();
}

std::string error_of(const std::function<void()>& f) {
  return support::error_of<NoMatch>(f);
}

at::Tensor doubles(std::vector<double> values) {
  return at::tensor(values, at::kDouble);
}

// ---- numbers and shapes that no call can take

std::string any_error_of(const std::function<void()>& f) {
  return support::error_of<std::exception>(f);
}

TEST(NumberForms, ATensorWithoutDimensionsHasNoSizeOfOne) {
  const at::Tensor scalar = at::ones({}), x = at::ones({4, 5});
  for (const char* method : {"Tensor.size", "Tensor.stride"})
    for (const int64_t dim : {0, -1, 1})
      EXPECT_THAT(any_error_of([&] {
                    call(method, {scalar, dim});
                  }),
                  HasSubstr("tensor has no dimensions"))
          << method << " " << dim;
  EXPECT_TRUE(call("Tensor.size", {scalar}).get<List>().items.empty());
  EXPECT_EQ(call("Tensor.size", {x, -1}).get<int64_t>(), 5);
  EXPECT_EQ(call("Tensor.stride", {x, 0}).get<int64_t>(), 5);
}

TEST(NumberForms, PoolsTakeANumberForEachDimension) {
  const at::Tensor x = at::ones({1, 1, 2, 2}), places = at::arange(4, at::kLong).view({1, 1, 2, 2});
  const auto numbers = [](std::vector<int64_t> items) {
    return Value(List{std::vector<Value>(items.begin(), items.end()), false});
  };
  const auto unpool = [&](const Value& kernel, const Value& stride, const Value& padding) {
    return any_error_of([&] { call("Functional.max_unpool2d", {x, places, kernel, stride, padding}); });
  };
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(unpool(2, None{}, 0), "no error");
  EXPECT_EQ(unpool(numbers({2, 2}), numbers({2, 2}), numbers({0, 0})), "no error");
  EXPECT_THAT(unpool(numbers({2}), None{}, 0),
              HasSubstr("expected kernel_size, stride and padding of 2 numbers, got 1"));
  EXPECT_THAT(unpool(2, numbers({2}), 0), HasSubstr("of 2 numbers, got 1"));
  EXPECT_THAT(unpool(2, 2, numbers({})), HasSubstr("of 2 numbers, got 0"));
  EXPECT_THAT(unpool(2, 2, numbers({0, 0, 0})), HasSubstr("of 2 numbers, got 3"));
  EXPECT_THAT(unpool(kMost, kMost, 0), HasSubstr("beyond 64 bits"));
  EXPECT_THAT(unpool(2, 2, kMost), HasSubstr("beyond 64 bits"));
  EXPECT_THAT(any_error_of([&] {
                call("Functional.lp_pool2d", {x, 2.0, numbers({kMost, 2})});
              }),
              HasSubstr("beyond 64 bits"));
}

TEST(NumberForms, MoreDimensionsThanTensorsHaveAreNoList) {
  const at::Tensor x = at::ones({2, 2});
  for (const int64_t dims : {int64_t{3}, std::numeric_limits<int64_t>::max()})
    EXPECT_THAT(any_error_of([&] { call("Torch.tensordot", {x, x, dims}); }), HasSubstr("out of range"));
  EXPECT_EQ(tensor(call("Torch.tensordot", {x, x, 2})).item<double>(), 4);
  EXPECT_EQ(tensor(call("Torch.tensordot", {x, x, -1})).dim(), 4);
}

TEST(NumberForms, UnravelledShapesAreSizes) {
  const at::Tensor places = at::tensor({5}, at::kLong);
  const auto unravel = [&](std::vector<int64_t> shape) {
    return any_error_of([&] {
      call("Torch.unravel_index", {places, List{std::vector<Value>(shape.begin(), shape.end()), false}});
    });
  };
  EXPECT_EQ(unravel({2, 3}), "no error");
  EXPECT_THAT(unravel({2, -1}), HasSubstr("negative"));
  EXPECT_THAT(unravel({1, int64_t{1} << 62, 4, 4}), HasSubstr("64 bits"));
}

TEST(NumberForms, NumbersOfEnumsAreOnesThatExist) {
  const at::Tensor x = at::ones({2});
  const auto sum = [&](int64_t dtype) {
    Target target;
    target.name = target.shown = "sum";
    target.road = Road::kPacket;
    return call_operator(target, Arguments{{x}, {{"dtype", dtype}}});
  };
  EXPECT_EQ(tensor(sum(static_cast<int64_t>(at::kDouble))).scalar_type(), at::kDouble);
  for (const int64_t dtype : {int64_t{-1}, int64_t{999}, int64_t{1} << 40})
    EXPECT_THAT(error_of([&] { sum(dtype); }), HasSubstr("dtype")) << dtype;
}

TEST(CastForms, PositionalDtypeThatTheDumpLostIsNamed) {
  EXPECT_EQ(error_of([] {
              call("Tensor.type", {doubles({1}), Opaque{}});
            }),
            "Tensor.type: the dtype was given by position, which the dump does not record");
  EXPECT_EQ(error_of([] {
              call("Tensor.to", {doubles({1}), Opaque{}});
            }),
            "Tensor.to: the dtype was given by position, which the dump does not record");
  EXPECT_EQ(error_of([] {
              call("Tensor.to", {doubles({1}), "npu:0", Opaque{}, true});
            }),
            "Tensor.to: the dtype was given by position, which the dump does not record");
}

TEST(CastForms, DevicesOfTheRecordingRunAreNotFollowed) {
  const at::Tensor x = doubles({1, 2});
  EXPECT_TRUE(tensor(call("Tensor.to", {x, "npu:3", at::kFloat})).equal(x.to(at::kFloat)));
  EXPECT_TRUE(tensor(call("Tensor.to", {x, at::Device("cuda:1")})).is_same(x));
  EXPECT_TRUE(tensor(call("Tensor.cuda", {x})).is_same(x));
  EXPECT_TRUE(tensor(call("Tensor.npu", {x, 0}, {{"non_blocking", true}})).is_same(x));
}

TEST(CastForms, TypeNamesOfOtherDevicesAreRead) {
  // Python puts the device's name between; the golden's is another one.
  EXPECT_EQ(call("Tensor.type", {doubles({1})}).get<std::string>(), "torch.DoubleTensor");
  EXPECT_EQ(call("Tensor.type", {at::empty({1}, at::kMeta)}).get<std::string>(), "torch.FloatTensor");
  EXPECT_EQ(tensor(call("Tensor.type", {doubles({1}), "torch.npu.HalfTensor"})).scalar_type(), at::kHalf);
  EXPECT_EQ(tensor(call("Tensor.type", {doubles({1}), "torch.cuda.LongTensor"})).scalar_type(), at::kLong);
  EXPECT_THAT(error_of([] {
                call("Tensor.type", {doubles({1}), "torch.QuadTensor"});
              }),
              HasSubstr("\"torch.QuadTensor\""));
}

TEST(Indexing, WithoutTensorsTheResultIsAView) {
  const at::Tensor x = at::arange(12, at::kDouble).view({3, 4});
  for (const Value& index : std::vector<Value>{1, inputs::Slice{{1, None{}, None{}}}, inputs::Ellipsis{}, None{},
                                               List{{inputs::Slice{{None{}, None{}, None{}}}, 0}}}) {
    EXPECT_TRUE(tensor(call("Tensor.__getitem__", {x, index})).is_alias_of(x));
  }
}

TEST(Indexing, WhatLeavesTheTensorAloneIsStillANewTensor) {
  const at::Tensor x = doubles({1, 2});
  EXPECT_FALSE(tensor(call("Tensor.__getitem__", {x, inputs::Ellipsis{}})).is_same(x));
  EXPECT_FALSE(tensor(call("Tensor.__getitem__", {x, inputs::Slice{{None{}, None{}, None{}}}})).is_same(x));
  EXPECT_FALSE(tensor(call("Tensor.__getitem__", {x, List{}})).is_same(x));
}

TEST(Indexing, OutOfRangeIsAnIndexError) {
  const at::Tensor x = at::zeros({3, 4});
  for (const Value& index : std::vector<Value>{3, -4, List{{0, 4}}, List{{0, 0, 0}}, List{{None{}, 3}}}) {
    EXPECT_THROW(call("Tensor.__getitem__", {x, index}), c10::IndexError);
    EXPECT_THROW(call("Tensor.__setitem__", {x, index, 1.0}), c10::IndexError);
  }
  EXPECT_THROW(call("Tensor.__getitem__", {at::zeros({}), 0}), c10::IndexError);
  EXPECT_THROW(call("Tensor.__getitem__", {x, at::tensor({int64_t{3}})}), c10::IndexError);
  EXPECT_THROW(call("Tensor.__getitem__", {x, inputs::Slice{{None{}, None{}, -1}}}), c10::ValueError);
}

TEST(Indexing, AFloatIsNoIndex) {
  EXPECT_EQ(error_of([] {
              call("Tensor.__getitem__", {at::zeros({2, 2}), List{{0, 1.0}}});
            }),
            "index 1: expected an integer, a slice, None, `...`, a tensor or a list");
}

TEST(Indexing, AListIsATupleFirstAndOneTensorSecond) {
  const at::Tensor x = at::arange(12, at::kDouble).view({3, 4});
  const Value list = List{{0, 2}};
  EXPECT_EQ(tensor(call("Tensor.__getitem__", {x, list})).item<double>(), 2);
  EXPECT_TRUE(tensor(call("Tensor.__getitem__#list", {x, list}))
                  .equal(x.index_select(0, at::tensor({int64_t{0}, int64_t{2}}))));
  List size{{0, 2}, true};  // torch.Size is a tuple whatever comes
  EXPECT_EQ(tensor(call("Tensor.__getitem__#list", {x, size})).item<double>(), 2);
  EXPECT_THROW(call("Tensor.__getitem__#list", {x, List{{inputs::Slice{{0, 1, None{}}}, 0}}}), NoMatch);
}

TEST(Indexing, SetItemTakesListsAndOtherDtypes) {
  const at::Tensor x = at::zeros({2, 3}, at::kDouble);
  EXPECT_TRUE(call("Tensor.__setitem__", {x, 0, List{{1, 2, 3.5}}}).is_none());
  EXPECT_TRUE(x[0].equal(doubles({1, 2, 3.5})));
  call("Tensor.__setitem__", {x, at::tensor({int64_t{1}}), at::tensor({7, 8, 9}, at::kInt)});
  EXPECT_TRUE(x[1].equal(doubles({7, 8, 9})));
}

TEST(Indexing, SetItemLeavesTheTensorAloneWhenTheValueDoesNotFit) {
  const at::Tensor x = at::zeros({2, 3}, at::kDouble);
  EXPECT_ANY_THROW(call("Tensor.__setitem__", {x, 0, doubles({1, 2})}));
  EXPECT_TRUE(x.equal(at::zeros({2, 3}, at::kDouble)));
}

TEST(TensorData, RaggedListsAreRefused) {
  EXPECT_EQ(error_of([] {
              tensor_of_data(List{{List{{1, 2}}, List{{3}}}});
            }),
            "tensor data: items of different length at dimension 1");
  EXPECT_EQ(error_of([] {
              tensor_of_data(List{{1, List{{3}}}});
            }),
            "tensor data: items of different length at dimension 1");
  EXPECT_EQ(error_of([] { tensor_of_data(List{{"a"}}); }), "tensor data: expected numbers, tensors and lists of them");
}

TEST(TensorData, AddsUpToTheWidestKind) {
  EXPECT_EQ(dtype_of_data(List{{true, 1}}), at::kLong);
  EXPECT_EQ(dtype_of_data(List{{1, 0.5}}), at::kFloat);
  EXPECT_EQ(dtype_of_data(List{{at::zeros({}, at::kHalf), 1}}), at::kHalf);
  EXPECT_EQ(dtype_of_data(List{}), at::kFloat);
}

// One tensor given three times is projected by one product, as in Python's `q is k is v`: its gradient is the sum.
TEST(Attention, OneTensorThreeTimesIsSelfAttention) {
  at::manual_seed(0);
  const at::Tensor x = at::randn({3, 2, 4}, at::kDouble), w = at::randn({12, 4}, at::kDouble),
                   b = at::randn({12}, at::kDouble);
  const at::Tensor out_w = at::randn({4, 4}, at::kDouble), out_b = at::randn({4}, at::kDouble);
  const auto attend = [&](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    const Value r = call("Functional.multi_head_attention_forward",
                         {q, k, v, 4, 2, w, b, None{}, None{}, false, 0.0, out_w, out_b});
    return r.get<List>().items[0].get<at::Tensor>();
  };
  clear_trace();
  const at::Tensor self = attend(x, x, x);
  EXPECT_THAT(last_operators(), testing::StartsWith("aten::linear aten::unflatten.int "));
  EXPECT_TRUE(attend(x.clone(), x.clone(), x.clone()).equal(self)) << "the dump writes the tensor three times";
  const at::Tensor memory = x.flip(0);
  clear_trace();
  const at::Tensor cross = attend(x, memory, memory);
  EXPECT_THAT(last_operators(), HasSubstr("aten::split_with_sizes aten::split_with_sizes aten::linear aten::linear "));
  EXPECT_TRUE(attend(x, memory.clone(), memory.clone()).equal(cross));

  const at::AutoGradMode gradients(true);
  const auto leaf = [&] { return x.clone().requires_grad_(); };
  const at::Tensor whole = leaf(), q = leaf(), k = leaf(), v = leaf();
  const at::Tensor at_once = attend(whole, whole, whole), thrice = attend(q, k, v);
  EXPECT_TRUE(thrice.equal(at_once)) << "values by the road of one tensor";
  at_once.sum().backward();
  thrice.sum().backward();
  EXPECT_TRUE(at::allclose(q.grad() + k.grad() + v.grad(), whole.grad(), 1e-12, 1e-12));
}

TEST(Losses, ADistanceFunctionThatIsNotRecordedIsNamed) {
  const at::Tensor x = at::ones({2, 3});
  EXPECT_EQ(error_of([&] {
              call("Functional.triplet_margin_with_distance_loss", {x, x, x}, {{"distance_function", inputs::Dict{}}});
            }),
            "triplet_margin_with_distance_loss: distance_function is not recorded");
}

TEST(Losses, LinearCrossEntropyIsLinearThenCrossEntropy) {
  at::manual_seed(1);
  const at::Tensor x = at::randn({3, 4}, at::kDouble), w = at::randn({5, 4}, at::kDouble),
                   b = at::randn({5}, at::kDouble);
  const at::Tensor target = at::tensor({int64_t{0}, int64_t{4}, int64_t{2}});
  const at::Tensor expected = -at::log_softmax(x.matmul(w.t()) + b, 1).gather(1, target.unsqueeze(1)).mean();
  const Value loss = call("Functional.linear_cross_entropy", {x, w, target}, {{"linear_bias", b}});
  EXPECT_TRUE(at::allclose(tensor(loss), expected, 1e-12, 1e-12));
}

TEST(Names, UnknownWordsAreRefused) {
  const at::Tensor x = at::ones({1, 1, 2, 2}), grid = at::zeros({1, 1, 1, 2});
  EXPECT_EQ(error_of([&] {
              call("Functional.mse_loss", {x, x}, {{"reduction", "median"}});
            }),
            "reduction: expected none, mean or sum, got median");
  EXPECT_EQ(error_of([&] { call("Functional.grid_sample", {x, grid, "cubic"}); }), "grid_sample: no mode cubic");
  EXPECT_EQ(error_of([&] {
              call("Functional.interpolate", {x, 4}, {{"mode", "trilinear"}});
            }),
            "interpolate: no mode trilinear for 4-D input");
  EXPECT_EQ(error_of([&] { call("Torch.cdist", {x[0][0], x[0][0], 2.0, "fast"}); }), "cdist: no compute_mode fast");
}

TEST(Names, NamesOfTorchScriptAndOfOldPython) {
  EXPECT_TRUE(tensor(call("Aten._list_to_tensor", {List{{1, 2}}})).equal(at::tensor({int64_t{1}, int64_t{2}})));
  EXPECT_EQ(call("Tensor.__long__", {doubles({-2.5})}).get<int64_t>(), -2);
}

}  // namespace
}  // namespace msprobe::ops
