#include "cli/selection.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "util/error.h"

namespace msprobe::cli {
namespace {

using Names = std::vector<std::string>;

std::string tensor(const std::string& dtype, const std::string& shape, const std::string& max) {
  return R"({"type":"torch.Tensor","dtype":"torch.)" + dtype + R"(","shape":[)" + shape + R"(],"Max":)" + max +
         R"(,"Min":-1.0,"Mean":0.5,"Norm":2.0,"requires_grad":false})";
}

std::string entry(const std::string& key, const std::string& arguments, const std::string& kwargs = "{}") {
  return "\"" + key + R"(":{"input_args":[)" + arguments + R"(],"input_kwargs":)" + kwargs + R"(,"output":[]})";
}

class SelectionTest : public testing::Test {
 protected:
  SelectionTest()
      : folder_(std::filesystem::temp_directory_path() / ("msprobe_selection_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~SelectionTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }

  dump::Index index_of(const std::vector<std::string>& entries) {
    std::string text = R"({"task":"statistics","level":"L1","dump_data_dir":null,"data":{)";
    for (size_t i = 0; i < entries.size(); ++i) text += (i ? "," : "") + entries[i];
    return dump::Index::open(write("dump.json", text + "}}"));
  }

  dump::Index three() {
    return index_of({entry("Torch.add.0.forward", tensor("float32", "2,3", "1.0")),
                     entry("Tensor.add.0.forward", tensor("float32", "2,3", "1.0")),
                     entry("Functional.conv2d.0.forward", tensor("float32", "2,3", "1.0"))});
  }

  static Names names(const dump::Index& index, const std::vector<size_t>& selected) {
    Names result;
    for (size_t i : selected) result.emplace_back(index.entries()[i].api);
    return result;
  }

  std::filesystem::path folder_;
};

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(SelectionTest, EverythingInTheDumpsOrder) {
  const dump::Index index = three();
  EXPECT_EQ(names(index, select_apis(index, {})), (Names{"Torch.add.0", "Tensor.add.0", "Functional.conv2d.0"}));
}

TEST_F(SelectionTest, OnlyAndExceptSearchInTheFullName) {
  const dump::Index index = three();
  config::Settings settings;
  settings.only = "add";
  EXPECT_EQ(names(index, select_apis(index, settings)), (Names{"Torch.add.0", "Tensor.add.0"}));
  settings.except = "^Tensor\\.";
  EXPECT_EQ(names(index, select_apis(index, settings)), (Names{"Torch.add.0"}));
}

TEST_F(SelectionTest, ExpressionThatLeavesNothingIsAnError) {
  const dump::Index index = three();
  config::Settings settings;
  settings.only = "matmul";
  EXPECT_EQ(error_of([&] { select_apis(index, settings); }),
            "--only: \"matmul\" leaves none of the 3 APIs of " + index.path() +
                "; msprobe acc_check -api_info FILE --list shows their names");
}

TEST_F(SelectionTest, FilterKeepsTheFirstOfCallsThatDifferInValuesAlone) {
  const dump::Index index = index_of({
      entry("Torch.add.0.forward", tensor("float32", "2,3", "1.0")),
      entry("Torch.add.1.forward", tensor("float32", "2,3", "9.0")),  // values alone
      entry("Torch.add.2.forward", tensor("float16", "2,3", "1.0")),  // dtype
      entry("Torch.add.3.forward", tensor("float32", "3,2", "1.0")),  // shape
      entry("Torch.add.4.forward",
            tensor("float32", "2,3", "1.0") + R"(,{"type":"int","value":1})"),  // a further argument
      entry("Torch.add.5.forward", tensor("float32", "2,3", "1.0") + R"(,{"type":"int","value":2})"),  // its value
      entry("Torch.add.6.forward", "[" + tensor("float32", "2,3", "1.0") + "]"),                       // a list
      entry("Torch.add.7.forward", "[" + tensor("float32", "2,4", "1.0") + "]"),  // shape within it
      entry("Torch.add.8.forward", tensor("float32", "2,3", "1.0"), R"({"alpha":{"type":"float","value":2.0}})"),
      entry("Torch.add.9.forward", tensor("float32", "2,3", "3.0"),
            R"({"alpha":{"type":"float","value":2.0}})"),              // values alone
      entry("Torch.mul.0.forward", tensor("float32", "2,3", "1.0")),   // name
      entry("Tensor.add.0.forward", tensor("float32", "2,3", "1.0")),  // type
      entry("Torch.add.10.forward", tensor("float32", "2,3", "1.0")),  // has a backward
      R"("Torch.add.10.backward":{"input":[],"output":[]})",
  });
  config::Settings settings;
  settings.filter_api = true;
  EXPECT_EQ(names(index, select_apis(index, settings)),
            (Names{"Torch.add.0", "Torch.add.2", "Torch.add.3", "Torch.add.4", "Torch.add.5", "Torch.add.6",
                   "Torch.add.7", "Torch.add.8", "Torch.mul.0", "Tensor.add.0", "Torch.add.10"}));
}

TEST_F(SelectionTest, RerunFailedTakesErrorsAndWarnings) {
  const dump::Index index = three();
  config::Settings settings;
  settings.rerun_failed =
      write("old.csv",
            "\xEF\xBB\xBF"
            "API name,Forward Test Success,Backward Test Success,Message\r\n"
            "Torch.add.0,pass,warning,\r\nTensor.add.0,SKIP, ,\r\nFunctional.conv2d.0,error,SKIP,\r\n");
  EXPECT_EQ(names(index, select_apis(index, settings)), (Names{"Torch.add.0", "Functional.conv2d.0"}));
}

TEST_F(SelectionTest, RerunFailedWithoutFailuresLeavesNothing) {
  const dump::Index index = three();
  config::Settings settings;
  settings.rerun_failed =
      write("old.csv", "API name,Forward Test Success,Backward Test Success,Message\nTorch.add.0,pass,pass,\n");
  EXPECT_TRUE(select_apis(index, settings).empty());
}

TEST_F(SelectionTest, RerunFailedOfAnotherDumpIsAnError) {
  const dump::Index index = three();
  config::Settings settings;
  settings.rerun_failed =
      write("old.csv", "API name,Forward Test Success,Backward Test Success,Message\nTorch.sin.0,error,pass,\n");
  EXPECT_EQ(error_of([&] { select_apis(index, settings); }),
            "--rerun-failed: \"" + settings.rerun_failed + "\" leaves none of the 3 APIs of " + index.path() +
                "; msprobe acc_check -api_info FILE --list shows their names");
}

TEST_F(SelectionTest, WithoutDoneGoesOnBehindThem) {
  const dump::Index index = three();
  EXPECT_EQ(names(index, without_done(index, select_apis(index, {}), {"Torch.add.0"}, "r.csv")),
            (Names{"Tensor.add.0", "Functional.conv2d.0"}));
}

TEST_F(SelectionTest, ResumedFileOfAnotherDumpIsAnError) {
  const dump::Index index = three();
  EXPECT_EQ(error_of([&] { without_done(index, select_apis(index, {}), {"Torch.sin.0"}, "r.csv"); }),
            "r.csv: holds a row of Torch.sin.0, which " + index.path() +
                " does not have: it was made from another dump; name the dump.json of that run with -api_info");
}

TEST_F(SelectionTest, ShardsAreDisjointAndComplete) {
  const dump::Index index = three();
  config::Settings settings;
  settings.shards = 2;
  std::vector<size_t> all;
  for (settings.shard = 0; settings.shard < 2; ++settings.shard) {
    for (size_t i : select_apis(index, settings)) all.push_back(i);
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<size_t>{0, 1, 2}));
}

TEST(PartOfTest, BalancesByCost) {
  const std::vector<double> costs = {8, 1, 7, 2, 6, 3, 5, 4};  // 36 in all
  // by hand: 8 | 7, then 6 to the second, 5 to the first, 4 to the first, 3 to the second, 2 to the second, 1 to the
  // first
  EXPECT_EQ(part_of(costs, 0, 2), (std::vector<size_t>{0, 1, 6, 7}));
  for (int shard : {0, 1}) {
    double sum = 0;
    for (size_t i : part_of(costs, shard, 2)) sum += costs[i];
    EXPECT_EQ(sum, 18);
  }
}

TEST(PartOfTest, MorePartsThanApis) {
  EXPECT_EQ(part_of({5, 5}, 0, 4).size() + part_of({5, 5}, 1, 4).size(), 2u);
  EXPECT_TRUE(part_of({5, 5}, 3, 4).empty());
}

}  // namespace
}  // namespace msprobe::cli
