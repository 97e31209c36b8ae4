#include "places/places.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <sstream>

#include "places/outside.h"
#include "support/files.h"
#include "support/temp_folder.h"

namespace msprobe::places {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kData = MSPROBE_TEST_DATA "/ranks/";

/// Collects the log's warnings, one a line.
class Warnings {
 public:
  Warnings() : before_(spdlog::default_logger()) {
    auto logger = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_st>(lines_));
    logger->set_pattern("%v");
    logger->set_level(spdlog::level::warn);
    spdlog::set_default_logger(logger);
  }
  ~Warnings() { spdlog::set_default_logger(before_); }
  std::string text() const { return lines_.str(); }
  long count() const {
    const std::string all = text();
    return std::count(all.begin(), all.end(), '\n');
  }

 private:
  std::shared_ptr<spdlog::logger> before_;
  std::ostringstream lines_;
};

/// places.expected.txt's line of an API.
std::string described(const Places& places, const std::string& key) {
  const Place place = places.find(key);
  if (!place.shown) return key + "\tno frame";
  const Frame& frame = place.frames[*place.shown];
  std::string modules;
  for (const Module& module : place.modules) modules += (modules.empty() ? "" : " ") + module.name;
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}", key, fs::path(frame.file).filename().string(), frame.line,
                     frame.function, frame.code, modules.empty() ? "-" : modules);
}

// tests/places/describe_places.py reads the same files with Python's json.
TEST(PlacesTest, AreThoseThatPythonReads) {
  const Places places = Places::open(std::string(kData) + "step1/rank1/dump.json");
  EXPECT_TRUE(places.any());
  const auto expected = support::lines(std::string(kData) + "places.expected.txt");
  ASSERT_EQ(expected.size(), 83u);
  for (const std::string& line : expected) EXPECT_EQ(described(places, line.substr(0, line.find('\t'))), line);
}

TEST(PlacesTest, NamesOfApisEntriesAndRowsAreUnderstood) {
  const Places places = Places::open(std::string(kData) + "step1/rank1/dump.json");
  for (const char* name : {"Tensor.__mul__.1", "Tensor.__mul__.1.forward", "Tensor.__mul__.1.backward",
                           "Tensor.__mul__.1.forward.output.0", "Tensor.__mul__.1.backward.output.0"})
    EXPECT_EQ(short_text(places.find(name)), "train.py:13, blocks.1.attn") << name;
  const Place place = places.find("Tensor.__mul__.1");
  EXPECT_EQ(place.frames.size(), 13u);
  ASSERT_EQ(place.modules.size(), 2u);
  EXPECT_EQ(place.modules[1].name, "blocks.1");
  EXPECT_EQ(place.modules[1].type, "Block");
  EXPECT_TRUE(places.find("Tensor.__mul__.77").empty());
  EXPECT_TRUE(places.find("").empty());
}

TEST(PlacesTest, TheFrameShownIsTheInnermostOutsideOfLibraries) {
  const Outside outside = Outside::read(MSPROBE_CONFIG_DIR "/places.yaml");
  for (const char* file : {"/opt/venv/lib/python3.11/site-packages/torch/nn/functional.py",
                           "/opt/venv/lib/python3.11/site-packages/transformers/models/gpt2/modeling_gpt2.py",
                           "/usr/lib/python3/dist-packages/x.py", "/src/pytorch/torch/nn/modules/module.py",
                           "/src/ascend/torch_npu/utils/x.py", "/src/mindstudio-probe/python/msprobe/pytorch/hook.py"})
    EXPECT_TRUE(outside.has(file)) << file;
  for (const char* file : {"/home/user/job/train.py", "/home/user/torchtune/recipe.py", "/home/user/torch.py", "torch",
                           "/home/user/my_torch/a.py", ""})
    EXPECT_FALSE(outside.has(file)) << file;
}

TEST(PlacesTest, WhereAllFramesAreLibrariesTheInnermostIsShown) {
  const support::TempFolder folder;
  folder.write("stack.json", R"({"0": [["Torch.add.0.forward"], ["File /x/torch/a.py, line 1, in f, \n c",
                                                                  "File /x/torch/b.py, line 2, in g, \n d"]]})");
  EXPECT_EQ(short_text(Places::open(folder / "dump.json").find("Torch.add.0")), "a.py:1");
}

TEST(PlacesTest, OlderDumpersWriteTheFramesBehindTheName) {
  const support::TempFolder folder;
  folder.write("stack.json", R"({"Torch.add.0.forward": ["File /x/site-packages/a.py, line 1, in f, \n c",
                                                         "File /x/b.py, line 2, in g, \n d"], "Torch.mul.0.forward": []})");
  const Places places = Places::open(folder / "dump.json");
  EXPECT_EQ(line_text(places.find("Torch.add.0.backward.output.0")), "b.py:2 in g  d");
  EXPECT_TRUE(places.find("Torch.mul.0").empty());
}

TEST(PlacesTest, NothingIsSaidWhereNothingIs) {
  const support::TempFolder folder;
  const Warnings warnings;
  const Places places = Places::open(folder / "dump.json");
  EXPECT_FALSE(places.any());
  EXPECT_TRUE(places.find("Torch.add.0").empty());
  EXPECT_EQ(warnings.text(), "");
}

TEST(PlacesTest, FilesThatCannotBeUsedAreOneWarningEach) {
  const std::string deep = "{\"0\": " + std::string(100000, '[') + std::string(100000, ']') + "}";
  for (const std::string& bytes :
       {std::string(), std::string("no JSON"), std::string("[]"), std::string("NaN"), std::string("{\"0\": [["),
        std::string(R"({"0": 3, "1": NaN, "2": {"a": "b"}})"), deep, std::string("\0\xff\xfe", 3)}) {
    const support::TempFolder folder;
    folder.write("stack.json", bytes);
    folder.write("construct.json", bytes);
    const Warnings warnings;
    const Places places = Places::open(folder / "dump.json");
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(places.find("Torch.add.0").empty());
    EXPECT_EQ(warnings.count(), 2) << bytes.substr(0, 20) << "\n" << warnings.text();
    EXPECT_THAT(warnings.text(), HasSubstr(folder.string() + "/stack.json"));
    EXPECT_THAT(warnings.text(), HasSubstr(folder.string() + "/construct.json"));
  }
}

TEST(PlacesTest, AFolderInTheFilesPlaceIsAWarning) {
  const support::TempFolder folder;
  fs::create_directories(folder / "stack.json");
  const Warnings warnings;
  EXPECT_TRUE(Places::open(folder / "dump.json").find("Torch.add.0").empty());
  EXPECT_THAT(warnings.text(), HasSubstr("is a folder"));
}

TEST(PlacesTest, EntriesOfOtherFormsAreToldAndLeaveTheOthers) {
  const support::TempFolder folder;
  const std::string frames = R"(["File /x/b.py, line 2, in g, \n d", 3, null, ["deeper"], "no frame"])";
  folder.write("stack.json", R"({"0": [["A.a.0.forward", "A.b.0.forward"], )" + frames + R"(], "1": NaN, "2": [[3], []],
                                 "3": [["A.c.0.forward"], "text"], "4": [["A.d.0.forward"], )" +
                                 std::string(500, '[') + std::string(500, ']') + "]}");
  folder.write("construct.json",
               R"({"A.a.0.forward": "Module.m.M.forward.0", "Module.m.M.forward.0": null, "A.b.0.forward": 3,
                   "A.c.0.forward": ["x"]})");
  const Warnings warnings;
  const Places places = Places::open(folder / "dump.json");
  EXPECT_EQ(short_text(places.find("A.a.0")), "b.py:2, m");
  EXPECT_EQ(short_text(places.find("A.b.0")), "b.py:2");
  EXPECT_EQ(warnings.count(), 2);
  EXPECT_THAT(warnings.text(), HasSubstr("stack.json: 3 values of another form"));
  EXPECT_THAT(warnings.text(), HasSubstr("construct.json: 2 values of another form"));
  EXPECT_TRUE(places.find("A.d.0").empty());  // nested too deep to be frames
  EXPECT_EQ(warnings.count(), 3);
  EXPECT_EQ(short_text(places.find("A.a.0")), "b.py:2, m");
}

TEST(PlacesTest, ModulesAroundEachOtherComeToAnEnd) {
  const support::TempFolder folder;
  folder.write("construct.json",
               R"({"A.a.0.forward": "Module.m.M.forward.0", "Module.m.M.forward.0": "Module.n.N.forward.0",
                                     "Module.n.N.forward.0": "Module.m.M.forward.0"})");
  const Place place = Places::open(folder / "dump.json").find("A.a.0");
  ASSERT_EQ(place.modules.size(), 2u);
  EXPECT_EQ(place.modules[1].name, "n");
}

TEST(PlacesTest, NamesMayBeWrittenWithEscapes) {
  const support::TempFolder folder;
  folder.write("stack.json", R"({"0": [["A.\u0061.0.forward"], ["File /x/\u00fc.py, line 2, in g, \n d"]]})");
  folder.write("construct.json", R"({"A.\u0061.0.forward": "Module.\u006d.M.forward.0"})");
  EXPECT_EQ(short_text(Places::open(folder / "dump.json").find("A.a.0")), "ü.py:2, m");
}

}  // namespace
}  // namespace msprobe::places
