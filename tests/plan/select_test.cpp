#include "plan/select.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "plan/cost.h"
#include "plan/filter.h"
#include "plan/shard.h"
#include "report/file_names.h"
#include "support/error_of.h"
#include "support/temp_folder.h"
#include "util/error.h"

namespace msprobe::plan {
namespace {

using support::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

std::string tensor(const std::string& shape,
                   const std::string& more = R"("Max": 1.0, "Min": 0.0, "Mean": 0.5, "Norm": 2.0)",
                   const std::string& dtype = "torch.float16", const char* grad = "false") {
  return R"({"type": "torch.Tensor", "dtype": ")" + dtype + R"(", "shape": )" + shape + ", " + more +
         R"(, "requires_grad": )" + grad + "}";
}

std::string forward(const std::string& name, const std::string& args, const std::string& kwargs = "",
                    const std::string& output = tensor("[2]")) {
  return "\"" + name + R"(.forward": {"input_args": [)" + args + R"(], "input_kwargs": {)" + kwargs +
         R"(}, "output": [)" + output + "]}";
}

std::string backward(const std::string& name) {
  return "\"" + name + R"(.backward": {"input": [)" + tensor("[2]") + R"(], "output": [)" + tensor("[2]") + "]}";
}

class SelectTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const { return folder_.write(name, text); }

  dump::Index dump(const std::vector<std::string>& entries) {
    std::string text = R"({"task": "statistics", "level": "L1", "dump_data_dir": null, "data": {)";
    for (size_t i = 0; i < entries.size(); ++i) text += (i == 0 ? "\n" : ",\n") + entries[i];
    return dump::Index::open(write("dump.json", text + "}}"));
  }

  static std::vector<std::string> names(const dump::Index& index, const std::vector<size_t>& todo) {
    std::vector<std::string> all;
    for (size_t i : todo) all.emplace_back(index.entries()[i].api);
    return all;
  }

  std::vector<std::string> kept(const std::vector<std::string>& entries) {
    const auto index = dump(entries);
    SelectOptions options;
    options.filter_api = true;
    return names(index, select(options, index).todo);
  }

  const support::TempFolder folder_;
  const std::string dir_ = folder_.string();
};

TEST_F(SelectTest, AllApisInTheDumpsOrderByDefault) {
  const auto index =
      dump({forward("Torch.b.0", ""), forward("Torch.a.0", ""), backward("Torch.b.0"), forward("Tensor.c.1", "")});
  EXPECT_THAT(names(index, select({}, index).todo), ElementsAre("Torch.b.0", "Torch.a.0", "Tensor.c.1"));
}

TEST_F(SelectTest, OnlyAndExceptMatchAnywhereInTheName) {
  const auto index = dump({forward("Torch.mul.0", ""), forward("Tensor.mul_.0", ""), forward("Torch.add.10", "")});
  SelectOptions options;
  options.only = "mul";
  EXPECT_THAT(names(index, select(options, index).todo), ElementsAre("Torch.mul.0", "Tensor.mul_.0"));
  options.except = "^Tensor\\.";
  EXPECT_THAT(names(index, select(options, index).todo), ElementsAre("Torch.mul.0"));
  options.only = "div";
  EXPECT_EQ(error_of([&] { select(options, index); }),
            "--only: \"div\" leaves none of the 3 APIs of " + index.path() + "; --list shows their names");
  options.only = "mul(";
  EXPECT_THAT(error_of([&] { select(options, index); }), HasSubstr("--only: \"mul(\" is not a regular expression; "));
}

TEST_F(SelectTest, AVeryLongNameIsMatchedWithoutOverflow) {
  const auto index = dump({forward("Torch." + std::string(1 << 20, 'x') + ".0", ""), forward("Torch.mul.0", "")});
  SelectOptions options;
  options.only = "(x|y)*mul";
  EXPECT_THAT(names(index, select(options, index).todo), ElementsAre("Torch.mul.0"));
}

// A pass is taken again where its Message tells of a suspect, and not where it merely holds the word.
TEST_F(SelectTest, FailedApisAreSuspectsToo) {
  const auto csv =
      write("accuracy_checking_result_20260102030405.csv",
            "API name,Forward Test Success,Backward Test Success,Message\r\n"
            "Torch.a.0,pass,pass,\"forward.output.0: 最大绝对误差 1e-06 < 0.001; suspect: root mean square error 41 "
            "times that of the golden rounded\"\r\n"
            "Torch.b.0,pass, ,golden: a suspect: function\r\nTorch.c.0,pass,pass, \r\n");
  EXPECT_THAT(failed_apis(csv), ElementsAre("Torch.a.0"));
}

TEST_F(SelectTest, FailedApisAreErrorsWarningsAndWhatBrokeDown) {
  const auto csv = write("accuracy_checking_result_20260102030405.csv",
                         "\xEF\xBB\xBF"
                         "API name,Forward Test Success,Backward Test Success,Message\r\n"
                         "Torch.a.0,pass,pass, \r\nTorch.b.0,error, , \r\nTorch.c.0,pass,warning, \r\n"
                         "Torch.d.0,SKIP,SKIP,crashed: SIGSEGV (segmentation fault)\r\n"
                         "Torch.e.0,SKIP,SKIP,timed out after 5 s\r\nTorch.f.0,SKIP,SKIP,on the black list\r\n"
                         "Torch.g.0,SKIP,SKIP,out of memory\r\nTorch.h.0,SKIP,SKIP,the call ran out of memory\r\n");
  EXPECT_THAT(failed_apis(csv), ElementsAre("Torch.b.0", "Torch.c.0", "Torch.d.0", "Torch.e.0", "Torch.g.0"));
  std::vector<std::string> entries;
  for (const char* name : {"Torch.g.0", "Torch.e.0", "Torch.d.0", "Torch.c.0", "Torch.b.0", "Torch.a.0"})
    entries.push_back(forward(name, ""));
  SelectOptions options;
  options.rerun_failed = csv;
  {
    const auto index = dump(entries);
    EXPECT_THAT(names(index, select(options, index).todo),
                ElementsAre("Torch.g.0", "Torch.e.0", "Torch.d.0", "Torch.c.0", "Torch.b.0"));
  }
  const auto index = dump({forward("Torch.b.0", "")});
  EXPECT_EQ(error_of([&] { select(options, index); }),
            csv + ": names 4 APIs that " + index.path() +
                " does not have, one is Torch.c.0; give the dump.json that the file "
                "was made from");
}

TEST_F(SelectTest, VerdictsThatNobodyWritesAreNotTakenForAPass) {
  const std::string header = "API name,Forward Test Success,Backward Test Success,Message\r\n";
  EXPECT_EQ(
      error_of([&] { failed_apis(write("r.csv", header)); }),
      dir_ + "/r.csv: holds no rows, so that nothing can be said of its APIs; name the result file of a finished run");
  EXPECT_EQ(
      error_of([&] { failed_apis(write("r.csv", header + "Torch.a.0,pass, , \r\nTorch.b.0,pass,failed, \r\n")); }),
      dir_ +
          "/r.csv:3: \"failed\" is no verdict, expected pass, warning, error, SKIP or a blank; name a result file "
          "that msprobe wrote");
  for (const char* truth : {"TRUE", "FALSE", "True", "False"})
    EXPECT_EQ(
        error_of([&] { failed_apis(write("r.csv", header + "Torch.a.0," + truth + ",,\r\n")); }),
        dir_ + "/r.csv:2: \"" + truth +
            "\" is no verdict, expected pass, warning, error, SKIP or a blank; TRUE and FALSE are what old versions "
            "of MindStudio msprobe wrote: check the dump again to have verdicts");
  const auto index = dump({forward("Torch.a.0", "")});
  SelectOptions options;
  options.rerun_failed = write("r.csv", header + "Torch.a.0,pass,,\r\n");
  const Selection selection = select(options, index);
  EXPECT_TRUE(selection.none_failed);
  EXPECT_TRUE(selection.todo.empty());
}

TEST_F(SelectTest, NamesThatWouldBeOneInTheFilesAreRefused) {
  const auto index = dump({forward("Torch.abs\\n.0", ""), forward("Torch.mul.0", ""), forward("Torch.abs .0", "")});
  EXPECT_EQ(error_of([&] { select({}, index); }),
            index.path() +
                ": \"Torch.abs\\n.0\" and \"Torch.abs .0\" are two names that read alike in a result file, "
                "\"Torch.abs .0\"; the names are damaged, or made by hand: give the calls names that differ in "
                "letters or digits");
  EXPECT_EQ(select({}, dump({forward("Torch.abs\\n.0", ""), forward("=Torch.abs.1", "")})).todo.size(), 2u);
}

TEST_F(SelectTest, AlikeButForStatisticsKeepsTheFirst) {
  EXPECT_THAT(
      kept({forward("Torch.mul.0", tensor("[2, 3]")),
            forward("Torch.mul.1", tensor("[2, 3]", R"("Max": NaN, "Min": -Infinity, "Mean": null, "Norm": 7)")),
            forward("Torch.mul.2", tensor("[2, 3]", R"("Max": 1, "Min": 0, "Mean": 0, "Norm": 0, "md5": "77", )"
                                                    R"("data_name": "Torch.mul.2.forward.input.0.pt")"))}),
      ElementsAre("Torch.mul.0"));
}

TEST_F(SelectTest, WhatMakesAnotherCallIsKept) {
  const std::string base = tensor("[2, 3]");
  EXPECT_THAT(kept({forward("Torch.mul.0", base),
                    forward("Torch.div.0", base),              // name
                    forward("Tensor.mul.0", base),             // type
                    forward("Torch.mul.1", tensor("[3, 2]")),  // shape
                    forward("Torch.mul.2", tensor("[6]")),     // number of dimensions
                    forward("Torch.mul.3", tensor("[2, 3]", R"("Max": 1, "Min": 0)", "torch.float32")),
                    forward("Torch.mul.4", tensor("[2, 3]", R"("Max": 1, "Min": 0)", "torch.float16", "true")),
                    forward("Torch.mul.5", base + ", " + base),        // one more argument
                    forward("Torch.mul.6", "[" + base + "]"),          // in a list
                    forward("Torch.mul.7", "", "\"input\": " + base),  // by keyword
                    forward("Torch.mul.8", "", "\"other\": " + base),  // by another one
                    forward("Torch.mul.9", base, "", tensor("[9]")),   // other result
                    forward("Torch.mul.10", base + R"(, {"type": "int", "value": 1})"),
                    forward("Torch.mul.11", base + R"(, {"type": "int", "value": 2})"),
                    forward("Torch.mul.12", base + R"(, {"type": "float", "value": 1.0})"),
                    forward("Torch.mul.13", base + R"(, {"type": "bool", "value": true})"),
                    forward("Torch.mul.14", base + R"(, {"type": "str", "value": "1"})"),
                    forward("Torch.mul.15", base + ", null"),
                    forward("Torch.mul.16", base + ", {}"),
                    forward("Torch.mul.17", base),
                    backward("Torch.mul.17")}),  // with a gradient
              testing::SizeIs(20));
}

TEST_F(SelectTest, ABackwardThatDiffersInMoreThanValuesIsKept) {
  const auto with_backward = [](int i, const std::string& input, const std::string& output) {
    const std::string name = "Torch.mul." + std::to_string(i);
    return forward(name, tensor("[2]")) + ",\n\"" + name + R"(.backward": {"input": [)" + input + R"(], "output": [)" +
           output + "]}";
  };
  const std::string two = tensor("[2]");
  EXPECT_THAT(kept({with_backward(0, two, two), with_backward(1, tensor("[2]", R"("Max": 7, "Min": -7)"), two),
                    with_backward(2, "null", two), with_backward(3, two, "null"),
                    with_backward(4, tensor("[2]", R"("Max": 1, "Min": 0)", "torch.float32"), two),
                    with_backward(5, "null", two)}),
              ElementsAre("Torch.mul.0", "Torch.mul.2", "Torch.mul.3", "Torch.mul.4"));
  // What cannot be read is alike.
  const auto broken = [](int i) {
    const std::string name = "Torch.mul." + std::to_string(i);
    return forward(name, tensor("[2]")) + ",\n\"" + name + R"(.backward": 5)";
  };
  EXPECT_THAT(kept({broken(0), broken(1), with_backward(2, two, two)}), ElementsAre("Torch.mul.0", "Torch.mul.2"));
}

TEST_F(SelectTest, ThousandsOfCallsAreFilteredExactly) {
  std::vector<std::string> entries;
  for (int i = 0; i < 3000; ++i)
    entries.push_back(forward("Torch.mul." + std::to_string(i), tensor(fmt::format("[{}]", 1 + i % 1500))));
  EXPECT_EQ(kept(entries).size(), 1500u);
}

TEST_F(SelectTest, ARecordThatCannotBeReadIsKept) {
  EXPECT_THAT(kept({forward("Torch.mul.0", tensor("[2]")), "\"Torch.mul.1.forward\": [1]",
                    "\"Torch.mul.2.forward\": [1]", forward("Torch.mul.3", tensor("[2]"))}),
              ElementsAre("Torch.mul.0", "Torch.mul.1", "Torch.mul.2"));
}

TEST_F(SelectTest, ShardsAreNeighboursThatTogetherAreAll) {
  std::vector<std::string> entries;
  for (int i = 0; i < 100; ++i)
    entries.push_back(forward("Torch.mul." + std::to_string(i), tensor(fmt::format("[{}]", 1 + i * 10000))));
  const auto index = dump(entries);
  for (int shards : {2, 3, 7, 100, 128}) {
    std::vector<size_t> all;
    for (int shard = 0; shard < shards; ++shard) {
      SelectOptions options;
      options.shard = shard;
      options.shards = shards;
      const auto part = select(options, index).todo;
      all.insert(all.end(), part.begin(), part.end());
    }
    std::vector<size_t> expected(100);
    std::iota(expected.begin(), expected.end(), size_t{0});
    EXPECT_EQ(all, expected) << shards;
  }
}

TEST(ShardTest, TheDearestPartIsAsCheapAsNeighboursAllow) {
  struct Case {
    std::vector<double> costs;
    int shards;
    std::vector<size_t> cuts;
  };
  // By hand: the least possible maximum is 15, 9, 17, 10, 5.
  for (const auto& c : std::vector<Case>{{{1, 2, 3, 4, 5, 6, 7}, 2, {0, 5, 7}},
                                         {{9, 1, 1, 1, 1, 1}, 2, {0, 1, 6}},
                                         {{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, {0, 5, 7, 9}},
                                         {{10, 1}, 4, {0, 1, 2, 2, 2}},
                                         {{5}, 1, {0, 1}},
                                         {{}, 2, {0, 0, 0}}})
    EXPECT_EQ(shard_cuts(c.costs, c.shards), c.cuts) << c.shards;
  // Far more parts than there is to do: the rest is empty, and that quickly.
  const auto cuts = shard_cuts({3, 1, 2}, 65536);
  EXPECT_EQ(cuts.size(), 65537u);
  EXPECT_EQ((std::vector<size_t>(cuts.begin(), cuts.begin() + 5)), (std::vector<size_t>{0, 1, 3, 3, 3}));
  EXPECT_EQ(cuts.back(), 3u);
}

TEST(ShardTest, FoldersSayWhichPartTheyHold) {
  EXPECT_EQ(report::shard_folder(3, 16), "shard_3_of_16");
  int shard = 0, shards = 0;
  EXPECT_TRUE(report::parse_shard_folder("shard_3_of_16", shard, shards));
  EXPECT_EQ(shard, 3);
  EXPECT_EQ(shards, 16);
  for (const char* name : {"shard_3_of_16x", "shard_3", "shard_16_of_16", "shard_-1_of_2", "out", ""})
    EXPECT_FALSE(report::parse_shard_folder(name, shard, shards)) << name;
}

double seconds(const std::string& api, const std::string& args, const std::string& output, bool has_backward = false) {
  return estimated_seconds(api, forward(api, args, "", output), has_backward);
}

TEST(CostTest, GrowsWithElementsAndOperations) {
  const double small = seconds("Torch.mul.0", tensor("[2]"), tensor("[2]"));
  EXPECT_GT(small, 0);
  EXPECT_LT(small, 1e-3);
  // Ten times the elements, about ten times the time once the call itself does not count.
  const double large = seconds("Torch.mul.0", tensor("[1000, 1000]"), tensor("[1000, 1000]"));
  EXPECT_NEAR(seconds("Torch.mul.0", tensor("[1000, 10000]"), tensor("[1000, 10000]")) / large, 10, 0.2);
  EXPECT_GT(seconds("Torch.mul.0", tensor("[1000, 1000]"), tensor("[1000, 1000]"), true), 2 * large);
  // A product of matrices does more with the same elements, a convolution and attention too.
  const std::string two = tensor("[1000, 1000]") + ", " + tensor("[1000, 1000]");
  EXPECT_GT(seconds("Torch.matmul.0", two, tensor("[1000, 1000]")),
            3 * seconds("Torch.add.0", two, tensor("[1000, 1000]")));
  const std::string image = tensor("[8, 64, 56, 56]") + ", " + tensor("[64, 64, 3, 3]");
  EXPECT_GT(seconds("Functional.conv2d.0", image, tensor("[8, 64, 56, 56]")),
            3 * seconds("Torch.add.0", image, tensor("[8, 64, 56, 56]")));
  const std::string heads = tensor("[1, 16, 4096, 64]");
  EXPECT_GT(seconds("Functional.scaled_dot_product_attention.0", heads + ", " + heads + ", " + heads, heads),
            3 * seconds("Torch.add.0", heads + ", " + heads + ", " + heads, heads));
}

TEST(CostTest, WhatFitsIntoNoMemoryCostsACallAlone) {
  // It is a SKIP at once; priced by its elements it would be all of the run, and the progress 100 % from there on.
  const double small = seconds("Torch.mul.0", tensor("[0]"), tensor("[0]"));
  for (const char* shape : {"[1000000000000]", "[4611686018427387904, 4611686018427387904]"})
    EXPECT_EQ(seconds("Torch.mul.0", tensor(shape), tensor(shape)), small) << shape;
}

TEST(CostTest, HostileTextGivesAFiniteEstimate) {
  for (const std::string& text :
       {std::string(), std::string("\"shape\""), std::string("\"shape\": ["),
        std::string("\"shape\": [99999999999999999999, 9"), std::string("\"output\"\"shape\": [1e400, -5, \"x\"]"),
        "\"shape\": [" + std::string(10000, '9') + "]"}) {
    const double cost = estimated_seconds("Torch.matmul.0", text, true);
    EXPECT_GT(cost, 0) << text.substr(0, 40);
    EXPECT_LT(cost, 1e15) << text.substr(0, 40);
  }
}

TEST_F(SelectTest, TheFractionGrowsToOneWithTheCost) {
  std::vector<std::string> entries;
  for (int i = 0; i < 1000; ++i)  // the second half is dear
    entries.push_back(forward("Torch.mul." + std::to_string(i), tensor(i < 500 ? "[2]" : "[1000, 1000]")));
  const auto index = dump(entries);
  std::vector<size_t> todo(1000);
  std::iota(todo.begin(), todo.end(), size_t{0});
  const CostModel costs(index, todo);
  double last = 0;
  for (size_t written = 0; written <= 1000; ++written) {
    const double fraction = costs.fraction(written);
    ASSERT_GE(fraction, last) << written;
    last = fraction;
  }
  EXPECT_EQ(costs.fraction(0), 0);
  EXPECT_EQ(costs.fraction(1000), 1);
  EXPECT_LT(costs.fraction(500), 0.02);
  EXPECT_NEAR(costs.fraction(750), 0.5, 0.02);
  EXPECT_DOUBLE_EQ(costs.cost(0), estimated_seconds("Torch.mul.0", entries[0], false));
}

}  // namespace
}  // namespace msprobe::plan
