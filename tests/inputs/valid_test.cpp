// Drawn values that a call can take: each rule of valid.cpp's table, held against what PyTorch asks of the argument, by
// calling the operator wherever it refuses what is wrong.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "inputs/support.h"

namespace msprobe::inputs {
namespace {

using testing::argument;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::Fixture;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Le;
using testing::record;
using testing::same_bits;
using testing::tensor_meta;
using testing::values_of;

using Keywords = std::vector<std::pair<std::string, dump::Argument>>;

dump::Argument floats(std::vector<int64_t> shape, double max = 1, double min = -1) {
  return argument(tensor_meta("torch.float32", std::move(shape), max, min));
}
dump::Argument integers(std::vector<int64_t> shape, int64_t max, int64_t min) {
  return argument(tensor_meta("torch.int64", std::move(shape), max, min));
}
dump::Argument mask(std::vector<int64_t> shape) {
  return argument(tensor_meta("torch.bool", std::move(shape), true, false));
}
dump::Argument list(dump::ArgumentList items) {
  return argument(dump::ListArg{std::move(items)});
}
dump::Argument slice_of_all() {
  return argument(dump::SliceArg{{argument(dump::NoneArg{}), argument(dump::NoneArg{}), argument(dump::NoneArg{})}});
}
dump::Argument none() {
  return argument(dump::NoneArg{});
}

dump::Record with_output(dump::Record call, dump::ArgumentList output) {
  call.forward.output = std::move(output);
  return call;
}

struct Call {
  std::string type, name;
  dump::ArgumentList args = {};
  Keywords kwargs = {};
  dump::ArgumentList output = {};

  Built build() const {
    Fixture fixture;
    return fixture.build(with_output(record(type, name, args, kwargs), output));
  }
};

at::Tensor tensor(const Built& built, size_t i) {
  return built.arguments.args[i].get<at::Tensor>();
}
std::vector<int64_t> numbers(const at::Tensor& t) {
  const auto values = values_of(t);
  return {values.begin(), values.end()};
}
int64_t sum(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{0});
}
bool ascending(const std::vector<int64_t>& v) {
  return std::is_sorted(v.begin(), v.end());
}
bool descending(const std::vector<int64_t>& v) {
  return std::is_sorted(v.rbegin(), v.rend());
}
int64_t trues(const at::Tensor& t) {
  return t.ne(0).sum().item<int64_t>();
}

// ---- ordered

TEST(ValidOrderTest, BagOffsetsAscendFromZeroToTheRecordedMax) {
  for (const bool functional : {true, false}) {
    const Built built = Call{
        functional ? "Functional" : "Aten",
        functional ? "embedding_bag" : "_embedding_bag.default",
        functional ? dump::ArgumentList{integers({60}, 19, 0), floats({20, 4}), integers({10}, 50, 0)}
                   : dump::ArgumentList{floats({20, 4}), integers({60}, 19, 0), integers({10}, 50, 0)},
        {},
        {floats({10, 4})}}.build();
    const auto offsets = numbers(tensor(built, 2));
    EXPECT_TRUE(ascending(offsets));
    EXPECT_EQ(offsets.front(), 0);
    EXPECT_EQ(offsets.back(), 50);
    EXPECT_THAT(built.notes, ElementsAre("offsets sorted ascending from 0"));
  }
}

TEST(ValidOrderTest, IncludedLastOffsetIsTheNumberOfIndices) {
  const dump::ArgumentList args{integers({60}, 19, 0), floats({20, 4})};
  const Built said = Call{"Functional",
                          "embedding_bag",
                          args,
                          {{"offsets", integers({7}, 60, 0)}, {"include_last_offset", argument(true)}}}
                         .build();
  EXPECT_EQ(numbers(said.arguments.kwarg("offsets")->get<at::Tensor>()).back(), 60);
  // By position the flag's place differs; the recorded output has one bag less than there are offsets.
  const Built seen =
      Call{"Functional", "embedding_bag", args, {{"offsets", integers({7}, 55, 0)}}, {floats({6, 4})}}.build();
  EXPECT_EQ(numbers(seen.arguments.kwarg("offsets")->get<at::Tensor>()).back(), 60);
}

TEST(ValidOrderTest, SequencesThatAreSearchedAscendInEachRow) {
  const Built one = Call{"Torch", "searchsorted", {floats({3, 9}), floats({3, 5})}}.build();
  EXPECT_TRUE(at::equal(tensor(one, 0), std::get<0>(at::sort(tensor(one, 0), -1))));
  EXPECT_EQ(tensor(one, 0).max().item<float>(), 1);
  EXPECT_EQ(tensor(one, 0).min().item<float>(), -1);
  EXPECT_THAT(one.notes, ElementsAre("sorted_sequence sorted ascending"));
  for (const char* name : {"bucketize", "histogram"}) {
    const Built built = Call{"Torch", name, {floats({50}), floats({9}, 2, -2)}}.build();
    EXPECT_TRUE(at::equal(tensor(built, 1), std::get<0>(at::sort(tensor(built, 1), -1)))) << name;
  }
  const Built bins = Call{"Torch", "histogramdd", {floats({50, 2}), list({floats({9}), floats({7})})}}.build();
  for (const Value& each : bins.arguments.args[1].get<List>().items)
    EXPECT_TRUE(at::equal(each.get<at::Tensor>(), std::get<0>(at::sort(each.get<at::Tensor>(), -1))));
  EXPECT_THAT(bins.notes, ElementsAre("bins sorted ascending"));
}

TEST(ValidOrderTest, ASorterSortsItsSequenceWhichStaysAsDrawn) {
  const Built built =
      Call{"Torch", "searchsorted", {floats({30}), floats({5})}, {{"sorter", integers({30}, 29, 0)}}}.build();
  const at::Tensor sorter = built.arguments.kwarg("sorter")->get<at::Tensor>();
  EXPECT_TRUE(at::equal(tensor(built, 0).index_select(0, sorter), std::get<0>(at::sort(tensor(built, 0)))));
  EXPECT_FALSE(at::equal(tensor(built, 0), std::get<0>(at::sort(tensor(built, 0)))));
  EXPECT_THAT(built.notes, ElementsAre("sorter made to sort sorted_sequence"));
}

TEST(ValidOrderTest, LengthsOfPackedAttentionAscend) {
  for (const char* name : {"actual_seq_qlen", "actual_seq_lengths_kv"}) {
    const Built built = Call{"NPU", "npu_x", {floats({64, 8})}, {{name, integers({8}, 64, 5)}}}.build();
    const auto ends = numbers(built.arguments.kwarg(name)->get<at::Tensor>());
    EXPECT_TRUE(ascending(ends));
    EXPECT_EQ(ends.front(), 5);
    EXPECT_EQ(ends.back(), 64);
  }
  const Built built = Call{"Aten", "_x", {}, {{"cu_seqlens", integers({8}, 64, 0)}}}.build();
  EXPECT_TRUE(ascending(numbers(built.arguments.kwarg("cu_seqlens")->get<at::Tensor>())));
}

// ---- summing up

TEST(ValidSumTest, BatchSizesDescendAndSumUpToTheRows) {
  for (const char* name : {"lstm", "gru", "rnn_tanh", "rnn_relu"}) {
    const Built built = Call{"VF", name, {floats({24, 3}), integers({9}, 5, 1), floats({1, 5, 6})}}.build();
    const auto sizes = numbers(tensor(built, 1));
    EXPECT_TRUE(descending(sizes)) << name;
    EXPECT_EQ(sum(sizes), 24);
    EXPECT_EQ(sizes.front(), 5);
    EXPECT_EQ(sizes.back(), 1);
    EXPECT_THAT(built.notes, ElementsAre("batch_sizes made descending with sum 24"));
    // hx stands there when the sequence is not packed.
    EXPECT_THAT((Call{"VF", name, {floats({4, 2, 3}), floats({1, 2, 6}), list({})}}.build().notes), IsEmpty());
  }
}

TEST(ValidSumTest, SumsBeyondTheRecordedRangeAreReachedAndSaid) {
  const Built built = Call{"VF", "lstm", {floats({40, 3}), integers({4}, 5, 1), list({})}}.build();
  EXPECT_EQ(sum(numbers(tensor(built, 1))), 40);
  EXPECT_THAT(built.notes,
              ElementsAre("batch_sizes made descending with sum 40, which the recorded Min and Max do not allow"));
}

TEST(ValidSumTest, PackLengthsAreTakenByTheOperator) {
  const Built built = Call{"Torch",
                           "_pack_padded_sequence",
                           {floats({9, 5, 3}), integers({5}, 9, 1), argument(false)},
                           {},
                           {floats({24, 3}), integers({9}, 5, 1)}}
                          .build();
  const auto packed = at::_pack_padded_sequence(tensor(built, 0), tensor(built, 1), false);
  EXPECT_EQ(std::get<0>(packed).size(0), 24);
  EXPECT_EQ(std::get<1>(packed).size(0), 9);
  EXPECT_THAT(built.notes, ElementsAre("lengths made descending with sum 24"));
}

TEST(ValidSumTest, SegmentsCoverTheData) {
  const dump::ArgumentList args{floats({12, 3}), argument(std::string("sum"))};
  const Built lengths =
      Call{"Torch", "segment_reduce", args, {{"lengths", integers({4}, 5, 0)}, {"axis", argument(int64_t{0})}}}.build();
  EXPECT_EQ(sum(numbers(lengths.arguments.kwarg("lengths")->get<at::Tensor>())), 12);
  EXPECT_THAT(lengths.notes, ElementsAre("lengths made to sum up to 12"));
  const Built offsets = Call{"Torch", "segment_reduce", args, {{"offsets", integers({5}, 12, 0)}}}.build();
  const auto ends = numbers(offsets.arguments.kwarg("offsets")->get<at::Tensor>());
  EXPECT_TRUE(ascending(ends));
  EXPECT_EQ(ends.front(), 0);
  EXPECT_EQ(ends.back(), 12);
  // Rows of lengths along the last dimension, each on its own.
  const Built rows = Call{"Torch",
                          "segment_reduce",
                          {floats({2, 12}), argument(std::string("max"))},
                          {{"lengths", integers({2, 4}, 5, 1)}, {"axis", argument(int64_t{1})}}}
                         .build();
  EXPECT_THAT(numbers(rows.arguments.kwarg("lengths")->get<at::Tensor>().sum(1)), ElementsAre(12, 12));
}

TEST(ValidSumTest, RepeatsGiveTheRecordedRows) {
  const auto repeats = integers({6}, 5, 0);
  const Built with_dim =
      Call{"Torch", "repeat_interleave", {floats({6, 2}), repeats}, {{"dim", argument(int64_t{0})}}, {floats({15, 2})}}
          .build();
  EXPECT_EQ(at::repeat_interleave(tensor(with_dim, 0), tensor(with_dim, 1), 0).size(0), 15);
  EXPECT_THAT(with_dim.notes, ElementsAre("repeats made to sum up to the 15 recorded output rows"));
  const Built alone = Call{"Torch", "repeat_interleave", {repeats}, {}, {integers({15}, 5, 0)}}.build();
  EXPECT_EQ(sum(numbers(tensor(alone, 0))), 15);
  const Built second =
      Call{"Tensor", "repeat_interleave", {floats({2, 6}), repeats, argument(int64_t{-1})}, {}, {floats({2, 11})}}
          .build();
  EXPECT_EQ(sum(numbers(tensor(second, 1))), 11);
  // The values to repeat are no repeats.
  const Built values =
      Call{"Torch", "repeat_interleave", {integers({6}, 5, 0), argument(int64_t{2})}, {}, {integers({12}, 5, 0)}}
          .build();
  EXPECT_THAT(values.notes, IsEmpty());
}

TEST(ValidSumTest, SplitsAreTheRecordedOnes) {
  const Built built = Call{"Torch",
                           "tensor_split",
                           {floats({12, 3}), integers({3}, 11, 2)},
                           {},
                           {list({floats({2, 3}), floats({3, 3}), floats({6, 3}), floats({1, 3})})}}
                          .build();
  EXPECT_THAT(numbers(tensor(built, 1)), ElementsAre(2, 5, 11));
}

TEST(ValidSumTest, TargetLengthsSumUpToConcatenatedTargetsAndFitTheirInputs) {
  const Built joined = Call{"Functional",
                            "ctc_loss",
                            {floats({12, 5, 7}), integers({17}, 6, 1), integers({5}, 12, 8), integers({5}, 7, 1)}}
                           .build();
  EXPECT_EQ(sum(numbers(tensor(joined, 3))), 17);
  const Built padded = Call{"Functional",
                            "ctc_loss",
                            {floats({12, 5, 7}), integers({5, 7}, 6, 1), integers({5}, 12, 3), integers({5}, 7, 1)}}
                           .build();
  const auto inputs = numbers(tensor(padded, 2)), targets = numbers(tensor(padded, 3));
  for (size_t i = 0; i < 5; ++i) EXPECT_LE(targets[i], inputs[i]) << i;
}

TEST(ValidSumTest, GroupListsAreEndsOrCounts) {
  const auto build = [](int64_t type) {
    return Call{"NPU",
                "npu_grouped_matmul",
                {list({floats({32, 4})}), list({floats({4, 4, 8})})},
                {{"group_list", integers({4}, type == 0 ? 32 : 12, 3)}, {"group_list_type", argument(type)}}}
        .build();
  };
  const auto ends = numbers(build(0).arguments.kwarg("group_list")->get<at::Tensor>());
  EXPECT_TRUE(ascending(ends));
  EXPECT_EQ(ends.back(), 32);
  EXPECT_EQ(sum(numbers(build(1).arguments.kwarg("group_list")->get<at::Tensor>())), 32);
}

// ---- masks

TEST(ValidMaskTest, TheRecordedShapeSaysHowManyAreTrue) {
  struct Row {
    const char *type, *name;
    dump::ArgumentList args;
    dump::ArgumentList output;
    std::vector<size_t> path;  // of the mask
    int64_t trues;
    const char* note;
  };
  const dump::Argument x = floats({64, 8}), seven = integers({7}, 7, 0);
  const Row rows[] = {
      {"Tensor",
       "__getitem__",
       {x, mask({64})},
       {floats({40, 8})},
       {1},
       40,
       "input 1: 40 of 64 true, as the recorded output's shape shows"},
      {"Tensor",
       "__getitem__",
       {x, mask({64, 8})},
       {floats({52})},
       {1},
       52,
       "input 1: 52 of 512 true, as the recorded output's shape shows"},
      {"Tensor",
       "__getitem__",
       {x, list({slice_of_all(), mask({8})})},
       {floats({64, 7})},
       {1, 1},
       7,
       "input 1.1: 7 of 8 true, as the recorded output's shape shows"},
      {"Tensor",
       "__getitem__",
       {x, list({mask({64}), argument(int64_t{3})})},
       {floats({40})},
       {1, 0},
       40,
       "input 1.0: 40 of 64 true, as the recorded output's shape shows"},
      {"Tensor",
       "__getitem__",
       {x, list({mask({64}), seven})},
       {floats({7})},
       {1, 0},
       7,
       "input 1.0: 7 of 64 true, as the recorded output's shape shows"},
      {"Tensor",
       "__getitem__",
       {floats({3, 6, 5, 2}), list({slice_of_all(), mask({6, 5})})},
       {floats({3, 11, 2})},
       {1, 1},
       11,
       "input 1.1: 11 of 30 true, as the recorded output's shape shows"},
      {"Tensor",
       "__getitem__",
       {floats({3, 6, 9}), list({argument(dump::EllipsisArg{}), mask({9})})},
       {floats({3, 6, 2})},
       {1, 1},
       2,
       "input 1.1: 2 of 9 true, as the recorded output's shape shows"},
      // Apart from each other, what is selected comes first; Python's None adds a dimension.
      {"Tensor",
       "__getitem__",
       {floats({9, 6, 7}), list({mask({9}), none(), slice_of_all(), seven})},
       {floats({7, 1, 6})},
       {1, 0},
       7,
       "input 1.0: 7 of 9 true, as the recorded output's shape shows"},
      // The operator's None is a slice.
      {"Aten",
       "index.Tensor",
       {x, list({none(), mask({8})})},
       {floats({64, 7})},
       {1, 1},
       7,
       "input 1.1: 7 of 8 true, as the recorded output's shape shows"},
      {"Tensor",
       "__setitem__",
       {x, mask({64}), floats({40, 8})},
       {},
       {1},
       40,
       "input 1: 40 of 64 true, as the value's shape shows"},
      {"Tensor",
       "__setitem__",
       {x, list({slice_of_all(), mask({8})}), floats({7})},
       {},
       {1, 1},
       7,
       "input 1.1: 7 of 8 true, as the value's shape shows"},
      {"Tensor",
       "index_put_",
       {x, list({mask({64})}), floats({40, 1})},
       {},
       {1, 0},
       40,
       "input 1.0: 40 of 64 true, as the value's shape shows"},
      {"Torch",
       "masked_select",
       {x, mask({64, 8})},
       {floats({52})},
       {1},
       52,
       "mask: 52 of 512 true, as the recorded output's shape shows"},
      {"Torch",
       "masked_select",
       {x, mask({64, 1})},
       {floats({320})},
       {1},
       40,
       "mask: 40 of 64 true, as the recorded output's shape shows"},
      {"Tensor",
       "masked_scatter_",
       {x, mask({64, 1}), floats({40, 8})},
       {},
       {1},
       40,
       "mask: 40 of 64 true, as the source's size shows"},
      {"Torch",
       "nonzero",
       {mask({64, 8})},
       {integers({52, 2}, 63, 0)},
       {0},
       52,
       "input: 52 of 512 true, as the recorded output's shape shows"},
      {"Torch",
       "where",
       {mask({64, 8})},
       {list({integers({52}, 63, 0), integers({52}, 7, 0)})},
       {0},
       52,
       "condition: 52 of 512 true, as the recorded output's shape shows"},
      {"Torch",
       "argwhere",
       {floats({40})},
       {integers({18, 1}, 39, 0)},
       {0},
       18,
       "input: 18 of 40 not 0, as the recorded output's shape shows"},
      {"Tensor",
       "nonzero",
       {integers({50}, 3, 0)},
       {integers({44, 1}, 49, 0)},
       {0},
       44,
       "input: 44 of 50 not 0, as the recorded output's shape shows"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.note);
    const Built built = Call{row.type, row.name, row.args, {}, row.output}.build();
    const Value* value = &built.arguments.args[row.path[0]];
    for (size_t i = 1; i < row.path.size(); ++i) value = &value->get<List>().items[row.path[i]];
    EXPECT_EQ(trues(value->get<at::Tensor>()), row.trues);
    EXPECT_THAT(built.notes, ElementsAre(row.note));
  }
}

TEST(ValidMaskTest, WhatTheRecordDoesNotSayStaysAsDrawn) {
  const dump::Argument x = floats({64, 8});
  const Call calls[] = {
      {"Tensor", "__getitem__", {x, mask({64})}},                         // no output recorded
      {"Tensor", "__setitem__", {x, mask({64}), argument(2.0)}},          // a number fills whatever is on
      {"Tensor", "__setitem__", {x, mask({64}), floats({})}},             // so does a tensor of one
      {"Tensor", "__setitem__", {x, mask({64}), floats({8})}},            // and one row for all
      {"Tensor", "masked_scatter", {x, mask({64, 8}), floats({64, 8})}},  // more than any mask takes
      {"Torch", "where", {mask({64, 8}), x, x}, {}, {floats({64, 8})}},   // the ternary form
      {"Tensor", "masked_fill", {x, mask({64, 8}), argument(0.0)}, {}, {floats({64, 8})}},
      {"Tensor", "__getitem__", {x, argument(int64_t{3})}, {}, {floats({8})}},
      {"Tensor", "__getitem__", {x, mask({64})}, {}, {floats({65, 8})}},  // no mask has 65 of 64
  };
  for (const Call& call : calls) EXPECT_THAT(call.build().notes, IsEmpty()) << call.name;
}

// The words of this place, computed in Python as tests/inputs/reference_generator.py does, largest first.
TEST(ValidMaskTest, TheLargestWordsAreOnSoThatEveryHostAgrees) {
  const auto on = [](int64_t count) {
    const Built built = Call{"Tensor", "__getitem__", {floats({16, 2}), mask({16})}, {}, {floats({count, 2})}}.build();
    return numbers(at::nonzero(tensor(built, 1)).view({-1}));
  };
  EXPECT_THAT(on(5), ElementsAre(1, 4, 5, 6, 15));
  EXPECT_THAT(on(12), ElementsAre(1, 3, 4, 5, 6, 7, 9, 10, 12, 13, 14, 15));
  EXPECT_THAT(on(0), IsEmpty());
  EXPECT_EQ(on(16).size(), 16u);
}

// ---- places that are written

TEST(ValidIndexTest, PlacesThatAreWrittenDifferAndSpanTheRecordedRange) {
  const auto distinct = [](const at::Tensor& t) {
    const auto values = numbers(t);
    return std::set<int64_t>(values.begin(), values.end()).size() == values.size() &&
           values.front() == *std::min_element(values.begin(), values.end()) &&
           values.back() == *std::max_element(values.begin(), values.end());
  };
  const dump::Argument x = floats({64, 8});
  EXPECT_TRUE(distinct(tensor(
      Call{"Torch", "index_copy", {x, argument(int64_t{0}), integers({50}, 63, 1), floats({50, 8})}}.build(), 2)));
  EXPECT_TRUE(distinct(tensor(Call{"Tensor", "put_", {x, integers({99}, 511, 0), floats({99})}}.build(), 1)));
  EXPECT_TRUE(distinct(tensor(Call{"Tensor", "__setitem__", {x, integers({20}, 63, 0), floats({20, 8})}}.build(), 1)));
  // A whole permutation.
  EXPECT_TRUE(
      distinct(tensor(Call{"NPU", "npu_moe_token_unpermute", {floats({64, 4}), integers({64}, 63, 0)}}.build(), 1)));
}

TEST(ValidIndexTest, ScatterDiffersAlongItsDimensionAndUnpoolingInEachPlane) {
  const Built scatter =
      Call{"Torch", "scatter", {floats({64, 8}), argument(int64_t{0}), integers({30, 4}, 63, 0), floats({30, 4})}}
          .build();
  const at::Tensor columns = tensor(scatter, 2).t().contiguous();
  for (int64_t i = 0; i < 4; ++i) {
    const auto column = numbers(columns[i]);
    EXPECT_EQ(std::set<int64_t>(column.begin(), column.end()).size(), 30u);
  }
  EXPECT_EQ(columns.min().item<int64_t>(), 0);
  EXPECT_EQ(columns.max().item<int64_t>(), 63);
  const Built pooled =
      Call{"Functional", "max_unpool2d", {floats({2, 3, 4, 4}), integers({2, 3, 4, 4}, 63, 0), argument(int64_t{2})}}
          .build();
  const at::Tensor planes = tensor(pooled, 1).view({6, 16});
  for (int64_t i = 0; i < 6; ++i) {
    const auto plane = numbers(planes[i]);
    EXPECT_EQ(std::set<int64_t>(plane.begin(), plane.end()).size(), 16u);
  }
}

TEST(ValidIndexTest, RepetitionsStayWhereTheyDoNoHarmOrCannotBeAvoided) {
  const dump::Argument x = floats({64, 8}), index = integers({99}, 63, 0);
  const Call calls[] = {
      {"Tensor", "put_", {x, integers({99}, 511, 0), floats({99}), argument(true)}},  // accumulate
      {"Torch", "index_add", {x, argument(int64_t{0}), index, floats({99, 8})}},
      {"Torch", "index_select", {x, argument(int64_t{0}), index}},
      {"Torch", "gather", {x, argument(int64_t{0}), integers({30, 4}, 63, 0)}},
      {"Torch", "scatter", {x, argument(int64_t{0}), integers({30, 4}, 63, 0), argument(1.0)}},  // one value for all
      {"Torch", "index_copy", {x, argument(int64_t{0}), index, floats({99, 8})}},                // 99 of 64
      {"Tensor", "__setitem__", {x, integers({20}, 30, -30), floats({20, 8})}},  // -1 and 63 are one place
      {"Functional", "embedding", {index, x}},
  };
  for (const Call& call : calls) EXPECT_THAT(call.build().notes, IsEmpty()) << call.name;
}

// ---- numbers without an answer

TEST(ValidNumberTest, IntegersAreNotDividedByZero) {
  const dump::Argument a = integers({200}, 99, 0), b = integers({200}, 3, -3);
  for (const char* name : {"floor_divide", "remainder", "fmod"}) {
    const Built built = Call{"Torch", name, {a, b}}.build();
    EXPECT_EQ(trues(tensor(built, 1)), 200) << name;
    EXPECT_THAT(built.notes, ElementsAre("other: 0 made 1, integers do not divide by 0"));
  }
  EXPECT_EQ(trues(tensor(Call{"Torch", "div", {a, b}, {{"rounding_mode", argument(std::string("trunc"))}}}.build(), 1)),
            200);
  EXPECT_THAT((Call{"Torch", "remainder", {a, integers({200}, 0, -3)}}.build().notes),
              ElementsAre("other: 0 made -1, integers do not divide by 0"));
  // `/` makes floating numbers, which do.
  EXPECT_THAT((Call{"Torch", "div", {a, b}}.build().notes), IsEmpty());
  EXPECT_THAT((Call{"Torch", "remainder", {floats({200}), b}}.build().notes), IsEmpty());
}

TEST(ValidNumberTest, TargetsOfOneAndMinusOneAreNothingBetween) {
  const Built built = Call{"Functional", "soft_margin_loss", {floats({90}), floats({90})}}.build();
  for (const double v : values_of(tensor(built, 1))) EXPECT_EQ(std::abs(v), 1);
  EXPECT_THAT(built.notes, ElementsAre("target made -1 or 1"));
  const Built classes =
      Call{"Functional", "cosine_embedding_loss", {floats({90, 4}), floats({90, 4}), integers({90}, 1, -1)}}.build();
  EXPECT_EQ(trues(tensor(classes, 2)), 90);
}

// ---- matrices

TEST(ValidMatrixTest, CholeskyTakesWhatIsMade) {
  for (const char* dtype : {"torch.float32", "torch.float64", "torch.complex64"})
    for (const int64_t n : {1, 7, 130}) {
      SCOPED_TRACE(std::string(dtype) + " " + std::to_string(n));
      dump::TensorMeta meta = tensor_meta(dtype, {2, n, n}, 3.0, dtype[6] == 'c' ? 0.0 : -3.0);
      meta.requires_grad = true;
      const Built built = Call{"Torch", "linalg.cholesky", {argument(meta)}}.build();
      const at::Tensor matrix = tensor(built, 0);
      EXPECT_TRUE(matrix.requires_grad() && matrix.is_leaf());
      EXPECT_TRUE(at::equal(matrix, matrix.transpose(-2, -1).conj()));
      // Between m / 2 and m / 2 (1 + 2 n), m the largest number drawn (1 where that is 0): never worse conditioned than
      // its size.
      const at::Tensor eigenvalues =
          at::linalg_eigvalsh(matrix.detach().to(matrix.is_complex() ? at::kComplexDouble : at::kDouble));
      EXPECT_GT(eigenvalues.min().item<double>(), 0.49);
      if (!matrix.is_complex()) {
        EXPECT_LE(matrix.abs().max().item<double>(), 3.0);
      }
      EXPECT_LT(eigenvalues.max().item<double>(), 1.5 * (1 + 2.0 * static_cast<double>(n)) + 1);
      EXPECT_NO_THROW(at::linalg_cholesky(matrix.detach()));
      EXPECT_THAT(built.notes, ElementsAre("input made positive definite, its values are not the recorded range"));
    }
}

TEST(ValidMatrixTest, TriangularFactorsCanBeSolved) {
  const dump::Argument factor = floats({60, 60}), b = floats({60, 3}),
                       pivots = argument(tensor_meta("torch.int32", {60}, int64_t{60}, int64_t{1}));
  struct Row {
    Call call;
    size_t place;
  };
  const Row rows[] = {
      {{"Torch", "cholesky_solve", {b, factor}}, 1},
      {{"Torch", "cholesky_inverse", {factor}}, 0},
      {{"Torch", "triangular_solve", {b, factor}}, 1},
      {{"Torch", "linalg.solve_triangular", {factor, b}}, 0},
      {{"Torch", "lu_solve", {b, factor, pivots}}, 1},
      {{"Torch", "linalg.lu_solve", {factor, pivots, b}}, 0},
      {{"Aten", "linalg_lu_solve.default", {factor, pivots, b}}, 0},
  };
  for (const Row& row : rows) {
    const Built built = row.call.build();
    const at::Tensor upper = at::triu(tensor(built, row.place)).to(at::kDouble);
    EXPECT_LT(at::linalg_cond(upper).item<double>(), 100) << row.call.name;
    EXPECT_EQ(built.notes.size(), 1u) << row.call.name;
  }
}

TEST(ValidMatrixTest, PivotsAreRowsOfTheMatrix) {
  const Built built = Call{
      "Torch",
      "linalg.ldl_solve",
      {floats({9, 9}), argument(tensor_meta("torch.int32", {9}, int64_t{9}, int64_t{-9})),
       floats({9, 2})}}.build();
  EXPECT_THAT(numbers(tensor(built, 1)), Each(::testing::AllOf(Ge(1), Le(9))));
}

// ---- what is not concerned

TEST(ValidTest, TensorsFromFilesAreNeverChanged) {
  Fixture fixture;
  fixture.real_data = true;
  dump::TensorMeta meta = tensor_meta("torch.int32", {3}, int64_t{7}, int64_t{-100});
  meta.data_name = "int32.pt";
  const Built inputs = fixture.build(record("Torch", "bucketize", {floats({9}), argument(meta)}));
  EXPECT_THAT(values_of(inputs.arguments.args[1].get<at::Tensor>()), ElementsAre(3, -100, 7));
  EXPECT_THAT(inputs.notes, ::testing::Not(::testing::Contains("boundaries sorted ascending")));
}

TEST(ValidTest, OtherArgumentsKeepTheirBits) {
  Fixture fixture;
  const dump::Argument x = floats({64, 8});
  const Built with = fixture.build(with_output(record("Tensor", "__getitem__", {x, mask({64})}), {floats({40, 8})}));
  const Value alone = build_value(x, "Tensor.__getitem__.0", "input.0", fixture.context(), fixture.notes);
  EXPECT_TRUE(same_bits(tensor(with, 0), alone.get<at::Tensor>()));
}

TEST(ValidTest, ValuesThatKeepTheRuleAlreadyStayAndAreNotMentioned) {
  EXPECT_THAT((Call{"Torch", "bucketize", {floats({9}), floats({2})}}.build().notes), IsEmpty());
  EXPECT_THAT((Call{"Torch", "bucketize", {floats({9}), floats({0})}}.build().notes), IsEmpty());
  EXPECT_THAT(
      (Call{"Torch", "repeat_interleave", {floats({9}), integers({1}, 3, 3)}, {}, {floats({27})}}.build().notes),
      IsEmpty());
}

}  // namespace
}  // namespace msprobe::inputs
