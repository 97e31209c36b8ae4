#include "overview/beginning.h"

#include <gtest/gtest.h>

#include <string>

#include "overview/find.h"
#include "support/temp_folder.h"

namespace msprobe::overview {
namespace {

std::string tensor(const std::string& low, const std::string& high, const std::string& dtype = "torch.float16") {
  return R"({"type": "torch.Tensor", "dtype": ")" + dtype + R"(", "shape": [4], "Max": )" + high + R"(, "Min": )" +
         low + R"(, "Mean": 0.5, "Norm": 1.0})";
}
std::string number(const std::string& value) {
  return R"({"type": "float", "value": )" + value + "}";
}
std::string call(const std::string& api, const std::string& args, const std::string& output) {
  return "\"" + api + R"(.forward": {"input_args": [)" + args + R"(], "input_kwargs": {}, "output": [)" + output + "]}";
}
std::string back(const std::string& api, const std::string& in, const std::string& out) {
  return "\"" + api + R"(.backward": {"input": [)" + in + R"(], "output": [)" + out + "]}";
}

const std::string kFine = tensor("-2.5", "1.5"), kInf = tensor("-Infinity", "Infinity"), kNan = tensor("NaN", "NaN"),
                  kZero = tensor("0.0", "0.0"), kUnknown = tensor("null", "null");

struct Lines {
  std::string output, gradient, zero;
};

/// The lines of a dump of these entries, without places.
Lines lines(const std::vector<std::string>& entries) {
  const support::TempFolder folder;
  std::string data;
  for (const std::string& entry : entries) data += (data.empty() ? "" : ",\n ") + entry;
  const std::string path = folder.write("dump.json", R"({"task": "statistics", "data": {)" + data + "}}");
  const Beginnings found = find_beginnings(dump::Index::open(path));
  const auto line = [](const std::optional<Beginning>& beginning) { return beginning ? text(*beginning, "") : ""; };
  return {line(found.output), line(found.gradient), line(found.zero)};
}
std::string first(const std::vector<std::string>& entries) {
  return lines(entries).output;
}
std::string zero(const std::string& entry) {
  return lines({entry}).zero;
}

// The recorded training run: rank 1's batch of step 1 overflows in one multiplication, rank 0 gets its nan by
// all_reduce.
TEST(BeginningsTest, OfARecordedOverflow) {
  const auto index = dump::Index::open(MSPROBE_TEST_DATA "/ranks/step1/rank1/dump.json");
  const Beginnings found = find_beginnings(index);
  ASSERT_TRUE(found.output);
  EXPECT_EQ(found.output->kind, Beginning::Kind::kOutput);
  EXPECT_EQ(found.output->api, "Tensor.__mul__.1");
  ASSERT_EQ(found.output->inputs.size(), 2u);
  EXPECT_EQ(found.output->inputs[0].low, -1.720703125);  // as dump.json has it
  EXPECT_EQ(found.output->inputs[0].high, 1.7734375);
  EXPECT_EQ(found.output->inputs[1].high, 1e8);
  EXPECT_EQ(found.output->output.position, "output.0");
  EXPECT_EQ(text(*found.output, "train.py:13, blocks.1.attn"),
            "first inf: Tensor.__mul__.1 (train.py:13, blocks.1.attn): inputs up to 1.77344 and 1e+08, output inf");
  EXPECT_FALSE(found.gradient);
  EXPECT_FALSE(found.zero);
  const Beginnings other = find_beginnings(dump::Index::open(MSPROBE_TEST_DATA "/ranks/step1/rank0/dump.json"));
  EXPECT_FALSE(other.output || other.gradient || other.zero);
}

TEST(BeginningsTest, TheFirstInCallOrderCounts) {
  EXPECT_EQ(first({call("Torch.add.0", kFine, kFine), call("Torch.mul.0", kFine + "," + kFine, kInf),
                   call("Torch.exp.0", kFine, kInf)}),
            "first inf: Torch.mul.0: inputs up to 2.5 and 2.5, output inf");
  EXPECT_EQ(first({call("Torch.log.0", tensor("-1", "3"), kNan)}), "first nan: Torch.log.0: input up to 3, output nan");
  EXPECT_EQ(first({call("Torch.log.0", tensor("0", "3"), tensor("-Infinity", "1.1"))}),
            "first -inf: Torch.log.0: input up to 3, output -inf");
  EXPECT_EQ(first({call("Torch.max.0", kFine, kFine + "," + kInf)}),
            "first inf: Torch.max.0: input up to 2.5, output.1 inf");
}

TEST(BeginningsTest, WhatComesInIsNoBeginning) {
  EXPECT_EQ(first({call("Torch.add.0", kInf, kInf), call("Torch.mul.0", kFine + "," + kNan, kNan)}), "");
  // A mask: -inf is an argument of the call itself.
  EXPECT_EQ(first({call("Tensor.masked_fill.0",
                        kFine + "," + tensor("false", "true", "torch.bool") + "," + number("-Infinity"),
                        tensor("-Infinity", "1.5"))}),
            "");
  EXPECT_EQ(first({call("Torch.full_like.0", kFine + "," + number("-Infinity"), tensor("-Infinity", "-Infinity"))}),
            "");
  // Memory that nobody has written to, and values of other ranks.
  EXPECT_EQ(first({call("Torch.empty_like.0", kFine, kNan), call("Distributed.all_reduce.0", kFine, kNan)}), "");
}

TEST(BeginningsTest, NothingIsSaidWhereTooLittleWasRecorded) {
  EXPECT_EQ(first({call("Torch.mul.0", kFine + "," + kUnknown, kInf)}), "");
  EXPECT_EQ(first({call("Torch.mul.0", kFine, kUnknown)}), "");
  // A call that raised, and a record of another form.
  EXPECT_EQ(first({R"("Torch.mul.0.forward": {"input_args": [], "input_kwargs": {}})",
                   R"("Torch.mul.1.forward": ["output", NaN])", call("Torch.exp.0", kFine, kInf)}),
            "first inf: Torch.exp.0: input up to 2.5, output inf");
}

TEST(BeginningsTest, ComplexAndStringStatistics) {
  EXPECT_EQ(first({call("Torch.mul.0", tensor("0.5", "3e30", "torch.complex64"),
                        tensor("0.5", "Infinity", "torch.complex64"))}),
            "first inf: Torch.mul.0: input up to 3e+30, output inf");
  EXPECT_EQ(first({call("Torch.mul.0", kFine, tensor("\"-inf\"", "1.0"))}),
            "first -inf: Torch.mul.0: input up to 2.5, output -inf");
}

TEST(BeginningsTest, GradientsInTheOrderOfTheBackwardEntries) {
  const Lines found = lines({call("Torch.a.0", kFine, kFine), call("Torch.b.0", kFine, kFine),
                             call("Torch.c.0", kFine, kInf), back("Torch.c.0", kFine, kNan),
                             back("Torch.b.0", kFine, kFine + "," + kInf), back("Torch.a.0", kFine, kNan)});
  EXPECT_EQ(found.output, "first inf: Torch.c.0: input up to 2.5, output inf");
  // c's gradient comes from its own output.
  EXPECT_EQ(found.gradient, "first inf gradient: Torch.b.0.backward: gradient up to 2.5, output.1 inf");
}

TEST(BeginningsTest, ZerosOutOfOtherValues) {
  EXPECT_EQ(zero(call("Functional.relu.0", kFine, kZero)),
            "first all-zero output: Functional.relu.0: input up to 2.5, output 0");
  EXPECT_EQ(zero(call("Functional.relu.0", kFine, tensor("-0.0", "-0.0"))),
            "first all-zero output: Functional.relu.0: input up to 2.5, output 0");
  EXPECT_EQ(zero(call("Functional.relu.0", kFine, tensor("0", "0"))),
            "first all-zero output: Functional.relu.0: input up to 2.5, output 0");
  // A bias of 0, as most begin with, explains nothing.
  EXPECT_EQ(zero(call("Functional.linear.0", kFine + "," + kFine + "," + kZero, kZero)),
            "first all-zero output: Functional.linear.0: inputs up to 2.5, 2.5 and 0, output 0");
}

TEST(BeginningsTest, ZerosThatAreRight) {
  EXPECT_EQ(zero(call("Functional.relu.0", kZero, kZero)), "");
  EXPECT_EQ(zero(call("Torch.mul.0", kFine + "," + kZero, kZero)), "");
  EXPECT_EQ(zero(call("Torch.mul.0", kFine + "," + number("0.0"), kZero)), "");
  EXPECT_EQ(zero(call("Torch.zeros_like.0", kFine, kZero)), "");
  EXPECT_EQ(zero(call("Tensor.zero_.0", kFine, kZero)), "");
  EXPECT_EQ(zero(call("Tensor.__getitem__.0", kFine, kZero)), "");
  EXPECT_EQ(zero(call("Tensor.__gt__.0", kFine, tensor("false", "false", "torch.bool"))), "");
  EXPECT_EQ(zero(call("Tensor.argmax.0", kFine, tensor("0", "0", "torch.int64"))), "");
  // 1 - mask, where the mask is 1 everywhere.
  EXPECT_EQ(zero(call("Tensor.__rsub__.0", tensor("1.0", "1.0") + "," + number("1.0"), kZero)), "");
  EXPECT_EQ(zero(call("Functional.relu.0", kFine, tensor("-0.05", "0.05"))), "");
  EXPECT_EQ(zero(call("Functional.relu.0", kFine, tensor("-1.0", "0.0"))), "");
}

TEST(BeginningsTest, CompactJsonIsReadToo) {
  const support::TempFolder folder;
  const std::string path = folder.write(
      "dump.json",
      R"({"data":{"Functional.relu.0.forward":{"input_args":[{"type":"torch.Tensor","dtype":"torch.float32","shape":[2],"Max":1.0,"Min":-1.0}],"input_kwargs":{},"output":[{"type":"torch.Tensor","dtype":"torch.float32","shape":[2],"Max":0.0,"Min":0.0}]}}})");
  EXPECT_TRUE(find_beginnings(dump::Index::open(path)).zero);
}

}  // namespace
}  // namespace msprobe::overview
