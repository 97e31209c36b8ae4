#include "run/dump_contents.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "run/dump_warnings.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace msprobe::run {
namespace {

namespace fs = std::filesystem;

/// A dump with these entries under "data"; `dir` is the value of dump_data_dir.
std::string dump(const std::string& entries, const std::string& level = "L1", const std::string& dir = "null") {
  return R"({"task": "statistics", "level": ")" + level + R"(", "dump_data_dir": )" + dir + R"(, "data": {)" + entries +
         "}}";
}
std::string entry(const std::string& key, const std::string& args = "") {
  return "\"" + key + R"(": {"input_args": [)" + args + R"(], "input_kwargs": {}, "output": []})";
}

class DumpContentsTest : public testing::Test {
 protected:
  std::string opened(const std::string& text) {
    folder_.write("dump.json", text);
    return support::error_of([&] { open_dump(path_); });
  }
  const support::TempFolder folder_;
  const std::string path_ = folder_ / "dump.json";
};

TEST_F(DumpContentsTest, ADumpWithoutAnApiIsAnErrorWithWhatToRecord) {
  EXPECT_EQ(opened(dump("")), path_ +
                                  ": holds no API: its data is empty; record again: debugger.start() must come before "
                                  "the forward pass, and the dumper's config.json must not leave out this step, rank "
                                  "or these APIs");
  EXPECT_EQ(opened(dump(entry("Module.net.Net.forward.0") + "," + entry("Module.net.fc.Linear.forward.0"), "L0")),
            path_ +
                ": holds 2 entries of modules and no API (level L0); record again with \"level\": \"L1\" or \"mix\" in "
                "the dumper's config.json");
  EXPECT_EQ(opened(dump(entry("Torch.mul.0.backward"))),
            path_ +
                ": holds backward entries alone, and no forward entry of an API; record again, with debugger.start() "
                "before the forward pass");
}

TEST_F(DumpContentsTest, NamesOfMindSporeAloneAreAnError) {
  EXPECT_EQ(opened(dump(entry("Mint.add.0.forward") + "," + entry("Jit.net.0.forward"))),
            path_ +
                ": holds names of MindSpore alone, the first is Mint.add.0; only dumps of PyTorch can be checked: give "
                "the dump.json of a PyTorch program");
  EXPECT_EQ(opened(dump(entry("Mint.add.0.forward") + "," + entry("Torch.mul.0.forward"))), "no error");
  EXPECT_EQ(opened(dump(entry("Torch.mul.0.forward"))), "no error");
}

TEST_F(DumpContentsTest, ATensorDumpNeedsOneOfItsFiles) {
  const std::string tensor = R"({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1, "Min": 0,
                                 "data_name": "Torch.mul.0.forward.input.0.pt"})";
  folder_.write("dump.json", dump(entry("Torch.mul.0.forward", tensor), "L1", "\"/home/a/dump_tensor_data\""));
  const dump::Index index = open_dump(path_);
  const std::string dir = folder_ / "dump_tensor_data",
                    remedy =
                        "; copy the whole folder that was recorded, dump_tensor_data/ included; for random inputs "
                        "within the recorded ranges, record with \"task\": \"statistics\"";
  const auto error = [&] { return support::error_of([&] { require_tensor_files(index); }); };
  EXPECT_EQ(error(), path_ + ": is a dump of task tensor, and " + dir + " is not there" + remedy);
  fs::create_directories(dir);
  EXPECT_EQ(error(), path_ + ": is a dump of task tensor, and " + dir + " holds no file" + remedy);
  folder_.write("dump_tensor_data/other.pt", "");
  EXPECT_EQ(error(), "no error");
}

TEST_F(DumpContentsTest, ADumpThatRefersToNoFileNeedsNone) {
  folder_.write("dump.json", dump(entry("Torch.mul.0.forward"), "L1", "\"/home/a/dump_tensor_data\""));
  const dump::Index index = open_dump(path_);
  EXPECT_EQ(support::error_of([&] { require_tensor_files(index); }), "no error");
}

}  // namespace
}  // namespace msprobe::run
