#include "dump/record.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dump/describe.h"
#include "dump/index.h"
#include "dump/test_files.h"

namespace msprobe::dump {
namespace {

std::string forward(const std::string& json) {
  std::string text;
  const std::string error = error_of([&] { text = describe(parse_forward(json, "k")); });
  return error == "no error" ? text : error;
}

/// The description of one argument.
std::string argument(const std::string& json) {
  const std::string text = forward("{\"input_args\": [" + json + "]}");
  const std::string before = "args [", after = "] kwargs {} output -";
  if (text.rfind(before, 0) != 0) return text;
  return text.substr(before.size(), text.size() - before.size() - after.size());
}

std::string nested(size_t levels, const std::string& open, const std::string& inner, const std::string& close) {
  std::string text;
  for (size_t i = 0; i < levels; ++i) text += open;
  text += inner;
  for (size_t i = 0; i < levels; ++i) text += close;
  return text;
}

TEST(RecordTest, ReadsAsPythonDoes) {
  const Index index = Index::open(data_path("forms.json"));
  std::map<std::string, std::string> lines;
  for (size_t i = 0; i < index.entries().size(); ++i) {
    const std::string api(index.entries()[i].api);
    const Record record = index.read(i);
    EXPECT_EQ(record.name.full, api);
    lines[api + ".forward"] = describe(record.forward);
    if (record.backward) lines[api + ".backward"] = describe(*record.backward);
  }
  const auto expected = support::lines(data_path("forms.expected.txt"));
  EXPECT_EQ(lines.size(), expected.size());
  for (const std::string& line : expected) {
    const size_t colon = line.find(": ");
    EXPECT_EQ(lines[line.substr(0, colon)], line.substr(colon + 2)) << line.substr(0, colon);
  }
}

struct ArgumentRow {
  const char *json, *words;
};

TEST(ArgumentTest, FormsBesideThoseOfRealDumps) {
  const ArgumentRow rows[] = {
      {R"({"type":"float","value":1})", "float 1"},
      {R"({"type":"float","value":"inf"})", "float inf"},
      {R"({"type":"float","value":"-Infinity"})", "float -inf"},
      {R"({"type":"float","value":1e400})", "float inf"},
      {R"({"type":"float","value":18446744073709551616})", "float 1.8446744073709552e+19"},
      {R"({"type":"int","value":2.0})", "2"},
      {R"({"type":"int","value":true})", "1"},
      {R"({"type":"int","value":18446744073709551616})", "18446744073709551616"},
      {R"({"type":"bool","value":0})", "False"},
      {R"({"type":"numpy.bool","value":true})", "numpy.bool True"},
      {R"({"type":"numpy.bool_","value":1})", "numpy.bool True"},
      {R"({"type":"intc","value":3})", "numpy.int32 3"},
      {R"({"type":"numpy.intp","value":3})", "numpy.int64 3"},
      {R"({"type":"numpy.longdouble","value":3})", "numpy.float64 float 3"},
      {R"({"type":"float32","value":"nan"})", "numpy.float32 float nan"},
      {R"({"type":"uint64","value":18446744073709551615})", "numpy.uint64 18446744073709551615"},
      {R"({"type":"numpy.str_","value":"x"})", "\"x\""},
      {R"({"type":"torch.memory_format","value":"torch.channels_last"})", "memory_format channels_last"},
      {R"({"type":"torch.Size","value":[{"type":"int","value":2},3]})", "Size[2, 3]"},
      {R"({"type":"slice","value":[{"type":"int","value":2},null,{"type":"torch.Tensor","dtype":"torch.int64","shape":[]}]})",
       "slice[2, None, <torch.Tensor torch.int64 () - - - - - - False \"\">]"},
      {R"({"type":"tuple","value":[1,[2]]})", "[1, [2]]"},
      {R"({"type":"NoneType","value":null})", "None"},
      {R"({"type":{"type":"int","value":1},"a":[]})", "{type=1, a=[]}"},
      {R"({"type":"any.Class","dtype":"torch.int8","shape":[2],"requires_grad":null,"data_name":null})",
       "<any.Class torch.int8 (2) - - - - - - False \"\">"},
      {R"(3)", "3"},
      {R"(2.5)", "float 2.5"},
      {R"("s")", "\"s\""},
  };
  for (const ArgumentRow& row : rows) EXPECT_EQ(argument(row.json), row.words) << row.json;
}

TEST(ArgumentTest, UnknownFormsAreQuoted) {
  for (const std::string json : {
           R"({"type": "torch.Tensor", "shape": [1]})",
           R"({"type": "torch.Tensor", "dtype": "torch.int8", "shape": [-1]})",
           R"({"type": "torch.Tensor", "dtype": "torch.int8", "shape": [1.5]})",
           R"({"type": "torch.Tensor", "dtype": "torch.int8", "shape": [9223372036854775808]})",
           R"({"type": "torch.Tensor", "dtype": null, "shape": [1]})",
           R"({"type": "complex", "value": [1, 2]})",
           R"({"type": "int", "value": 2.5})",
           R"({"type": "int", "value": "2"})",
           R"({"type": "int"})",
           R"({"type": "float", "value": "two"})",
           R"({"type": "bool", "value": "True"})",
           R"({"type": "str", "value": 3})",
           R"({"type": "torch.dtype", "value": null})",
           R"({"type": "slice", "value": 3})",
           R"({"type": "torch.memory_format", "format": 1})",
           R"({"type": "torch.ProcessGroup", "group_ranks": [0, 1]})",
       }) {
    EXPECT_EQ(argument(json), "unknown " + json);
  }
  const std::string words = argument(R"({"type":"x","value":")" + std::string(1000, 'a') + "\"}");
  EXPECT_EQ(words.size(), std::string("unknown ").size() + 200 + 3);
}

TEST(ArgumentTest, StatisticsKeepTheirKind) {
  EXPECT_EQ(
      argument(
          R"({"type":"torch.Tensor","dtype":"torch.int64","shape":[],"Max":9223372036854775807,"Min":-9223372036854775808,)"
          R"("Mean":9223372036854775808,"Norm":1e400,"Max_except_inf_nan":null,"Min_except_inf_nan":"x"})"),
      "<torch.Tensor torch.int64 () int 9223372036854775807 int -9223372036854775808 9.2233720368547758e+18 inf null "
      "other "
      "\"x\" False \"\">");
}

TEST(ArgumentTest, FourHundredLevelsAreEnough) {
  const std::string tensor = R"({"type":"torch.Tensor","dtype":"torch.int8","shape":[1]})";
  const std::string words = "<torch.Tensor torch.int8 (1) - - - - - - False \"\">";
  EXPECT_EQ(argument(nested(400, "[", tensor, "]")), nested(400, "[", words, "]"));
  EXPECT_EQ(argument(nested(400, "{\"a\":", tensor, "}")), nested(400, "{a=", words, "}"));
  EXPECT_EQ(argument(nested(401, "[", tensor, "]")), "k.input_args: an argument is nested deeper than 400 levels");
  EXPECT_EQ(argument(nested(401, "{\"a\":", "1", "}")), "k.input_args: an argument is nested deeper than 400 levels");
  EXPECT_EQ(argument(nested(100'000, "[", "", "]")), "k: is nested 100002 levels deep, more than the limit of 410");
}

TEST(RecordTest, OlderDumpsAreRead) {
  EXPECT_EQ(forward("{}"), "args [] kwargs {} output -");
  EXPECT_EQ(forward(R"({"input_args": null, "input_kwargs": null, "output": null})"), "args [] kwargs {} output -");
  EXPECT_EQ(forward(R"({"input": [1], "output": [2]})"), "args [1] kwargs {} output [2]");
  EXPECT_EQ(forward(R"({"input_args": [], "input": [1]})"), "args [] kwargs {} output -");
  EXPECT_EQ(forward(R"({"input_args": {"type":"int","value":1}, "output": {"type":"int","value":2}, "more": [[[]]]})"),
            "args [1] kwargs {} output [2]");
  EXPECT_EQ(describe(parse_backward("{}", "k")), "input [] output []");
  EXPECT_EQ(describe(parse_backward(R"({"input": [null, 1], "output": null})", "k")), "input [None, 1] output []");
}

TEST(RecordTest, KeywordOrderIsKept) {
  EXPECT_EQ(forward(R"({"input_args": [], "input_kwargs": {"z": 1, "a": 2, "m": []}})"),
            "args [] kwargs {z=1, a=2, m=[]} output -");
}

TEST(RecordTest, BrokenEntriesNameTheirPlace) {
  EXPECT_EQ(forward("[]"), "k: is [], expected an object with the inputs and outputs of the API");
  EXPECT_EQ(forward("null"), "k: is null, expected an object with the inputs and outputs of the API");
  EXPECT_EQ(forward(R"({"input_kwargs": [1]})"), "k.input_kwargs: is [1], expected an object");
  EXPECT_EQ(forward(R"({"input_args": [], "input_args": []})"), "k: \"input_args\" occurs twice");
  EXPECT_EQ(forward(R"({"input_kwargs": {"a": 1, "a": 2}})"), "k.input_kwargs: \"a\" occurs twice");
  EXPECT_EQ(forward("{\"input_args\": [1"), "k: not JSON at line 1, column 18: the text ends, expected \",\" or \"]\"");
}

}  // namespace
}  // namespace msprobe::dump
