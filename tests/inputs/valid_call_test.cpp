// Records whose shapes have fewer dimensions, or other sizes, than a rule of valid.cpp's table looks at: what the rule
// cannot be asked of stays as it was drawn, and nothing is read beyond a shape.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "inputs/support.h"
#include "inputs/valid_call.h"

namespace msprobe::inputs {
namespace {

using testing::argument;
using ::testing::IsEmpty;
using testing::record;
using testing::same_bits;
using testing::tensor_meta;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

dump::Argument floats(std::vector<int64_t> shape) {
  return argument(tensor_meta("torch.float32", std::move(shape), 1.84, -1.87));
}
dump::Argument integers(std::vector<int64_t> shape, int64_t max, int64_t min) {
  return argument(tensor_meta("torch.int64", std::move(shape), max, min));
}
dump::Argument list(dump::ArgumentList items) {
  return argument(dump::ListArg{std::move(items)});
}
dump::Argument whole(int64_t number) {
  return argument(number);
}
const dump::Argument kAll =
    argument(dump::SliceArg{{argument(dump::NoneArg{}), argument(dump::NoneArg{}), argument(dump::NoneArg{})}});
const dump::Argument kDots = argument(dump::EllipsisArg{});
const dump::Argument kTrue = argument(tensor_meta("torch.bool", {}, true, true));

struct Row {
  const char* what;
  const char* name;
  dump::ArgumentList args;
  dump::ArgumentList output;
};

/// Every tensor of the call as it is drawn without a rule, and nothing noted.
void expect_as_drawn(const Row& row, bool real_data = false) {
  SCOPED_TRACE(row.what);
  testing::Fixture fixture;
  fixture.real_data = real_data;
  dump::Record call = record("Tensor", row.name, row.args);
  call.forward.output = row.output;
  Built built = fixture.build(call);
  if (!real_data) {
    EXPECT_THAT(built.notes, IsEmpty());
  }
  for (size_t i = 0; i < row.args.size(); ++i) {
    std::vector<std::string> ignored;
    Value plain = build_value(row.args[i], call.name.full, "input." + std::to_string(i), fixture.context(), ignored);
    std::vector<at::Tensor> tensors;
    for_each_tensor(plain, [&](at::Tensor& t) { tensors.push_back(t); });
    size_t next = 0;
    for_each_tensor(built.arguments.args[i], [&](at::Tensor& t) {
      ASSERT_LT(next, tensors.size());
      EXPECT_TRUE(same_bits(t, tensors[next++])) << "input " << i;
    });
    EXPECT_EQ(next, tensors.size());
  }
}

TEST(ValidShapesTest, AnIndexWithoutMasksSelectsNothing) {
  const dump::Argument x = floats({4, 5}), scalar = integers({}, 2, 2);
  const Row rows[] = {
      {"x[1, 2]", "__getitem__", {x, list({whole(1), whole(2)})}, {floats({})}},
      {"x[-1, 2]", "__getitem__", {x, list({whole(-1), whole(2)})}, {floats({})}},
      {"x[[-1, 2]]", "__getitem__", {x, list({whole(-1), whole(2)})}, {floats({2, 5})}},
      {"x[2] of one dimension", "__getitem__", {floats({4}), whole(2)}, {floats({})}},
      {"x[numpy.int64(2)]", "__getitem__", {floats({4}), argument(int64_t{2}, "int64")}, {floats({})}},
      {"x[tensor(2)]", "__getitem__", {floats({4}), scalar}, {floats({})}},
      {"x[tensor(2), tensor(2)]", "__getitem__", {x, list({scalar, scalar})}, {floats({})}},
      {"x[:, tensor(2)]", "__getitem__", {x, list({kAll, scalar})}, {floats({4})}},
      {"x[..., tensor(2)]", "__getitem__", {floats({3, 4, 5}), list({kDots, scalar})}, {floats({3, 4})}},
      {"x[()]", "__getitem__", {floats({}), list({})}, {floats({})}},
      {"x[...]", "__getitem__", {floats({}), kDots}, {floats({})}},
      {"x[2 ** 63 - 1, -2 ** 63]", "__getitem__", {x, list({whole(kMost), whole(-kMost - 1)})}, {floats({})}},
      {"no output recorded", "__getitem__", {x, list({whole(1), whole(2)})}, {}},
      {"x[1, 2] = a", "__setitem__", {x, list({whole(1), whole(2)}), floats({})}, {}},
      {"x[1, 2] = a of one", "__setitem__", {x, list({whole(1), whole(2)}), floats({1, 1})}, {}},
      {"x[:, tensor(2)] = a", "__setitem__", {x, list({kAll, scalar}), floats({4})}, {}},
      {"x[tensor(2)] = a, aten", "index_put_", {floats({4}), list({scalar}), floats({})}, {}},
  };
  for (const Row& row : rows) expect_as_drawn(row);
}

TEST(ValidShapesTest, WhatNoTensorCanHoldIsNoCount) {
  const dump::Argument mask = argument(tensor_meta("torch.bool", {64}, true, false));
  const dump::Argument x = floats({64});
  const auto recorded = [](std::vector<int64_t> shape) { return dump::ArgumentList{floats(std::move(shape))}; };
  const Row rows[] = {
      {"more than all", "masked_select", {x, mask}, recorded({65})},
      {"fewer than none", "masked_select", {x, mask}, recorded({-3})},
      {"fewer than none, twice", "masked_select", {x, mask}, recorded({-3, -3})},
      {"2^126", "masked_select", {x, mask}, recorded({int64_t{1} << 62, int64_t{1} << 62, 4})},
      {"-2^63", "masked_select", {x, mask}, recorded({-kMost - 1})},
      {"x[mask], -2^63", "__getitem__", {x, mask}, recorded({-kMost - 1})},
      {"x[mask], 2^63 - 1", "__getitem__", {x, mask}, recorded({kMost})},
      {"x[mask], no dimension", "__getitem__", {x, mask}, recorded({})},
      {"0-dim mask", "__getitem__", {floats({}), kTrue}, recorded({})},
      {"nonzero, no dimension", "nonzero", {x}, recorded({})},
      {"repeats, no dimension", "repeat_interleave", {x, integers({64}, 3, 0)}, recorded({})},
      {"repeats, -2^63", "repeat_interleave", {x, integers({64}, 3, 0)}, recorded({-kMost - 1})},
      {"parts beyond 2^63", "tensor_split", {x, integers({2}, 9, 0)}, {floats({kMost}), floats({kMost}), floats({66})}},
      {"parts below 0", "tensor_split", {x, integers({1}, 9, 9)}, {floats({-1}), floats({65})}},
  };
  for (const Row& row : rows) expect_as_drawn(row);
}

TEST(ValidShapesTest, RecordedShapesOfFilesMayContradictThem) {
  // Three numbers lie in the file; the record says otherwise.
  const auto file = [](std::vector<int64_t> shape) {
    dump::TensorMeta meta = tensor_meta("torch.float32", std::move(shape), 1.0, -1.0);
    meta.data_name = "float32.pt";
    return argument(meta);
  };
  const dump::Argument offsets = integers({4}, 3, 0);
  const Row rows[] = {
      {"fewer indices than none", "embedding_bag", {file({-7}), floats({5, 2}), offsets}, {}},
      {"no dimension", "_pad_packed_sequence", {file({}), offsets}, {}},
      {"fewer rows than none", "_pad_packed_sequence", {file({-7}), offsets}, {}},
      {"parts of fewer than none", "tensor_split", {file({-7}), offsets}, {}},
      {"masked_scatter of -7 by a mask of one",
       "masked_scatter",
       {file({-7}), argument(tensor_meta("torch.bool", {1}, true, false)), floats({3})},
       {}},
  };
  for (const Row& row : rows) expect_as_drawn(row, /*real_data=*/true);
}

TEST(ValidShapesTest, PivotsBelowAllNumbersAreRowsToo) {
  testing::Fixture fixture;
  dump::Record call =
      record("Torch", "linalg_ldl_solve", {floats({3, 3}), integers({3}, 9, -kMost - 1), floats({3, 1})});
  const Built built = fixture.build(call);
  const auto pivots = testing::values_of(built.arguments.args[1].get<at::Tensor>());
  EXPECT_EQ(pivots.front(), 3);
  EXPECT_EQ(pivots.back(), 3);
}

TEST(ValidShapesTest, ElementsOfAShapeAreCountedWithoutOverflow) {
  EXPECT_EQ(elements_of({}), 1);
  EXPECT_EQ(elements_of({3, 4, 5}), 60);
  EXPECT_EQ(elements_of({3, 0, 5}), 0);
  EXPECT_EQ(elements_of({int64_t{1} << 32, int64_t{1} << 31}), kMost);  // 2^63
  EXPECT_EQ(elements_of({int64_t{1} << 32, int64_t{1} << 31, 0}), 0);
  EXPECT_EQ(elements_of({2, -3}), -1);
  EXPECT_EQ(elements_of({-2, -3}), -1);
}

}  // namespace
}  // namespace msprobe::inputs
