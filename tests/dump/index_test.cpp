#include "dump/index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dump/test_files.h"
#include "util/mapped_range.h"

namespace msprobe::dump {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class IndexTest : public testing::Test {
 protected:
  Index open(const std::string& text) const { return Index::open(folder_.write("dump.json", text)); }
  /// The error of opening it, without the folder.
  std::string error(const std::string& text) const {
    std::string result = error_of([&] { open(text); });
    if (result.rfind(folder_.string(), 0) == 0) result.erase(0, folder_.string().size() + 1);
    return result;
  }
  std::string data_error(const std::string& members) const { return error("{\"data\": {" + members + "}}"); }

  static std::vector<std::string> apis(const Index& index) {
    std::vector<std::string> names;
    for (const IndexEntry& entry : index.entries()) names.emplace_back(entry.api);
    return names;
  }

  TempFolder folder_;
};

const char kSmall[] = R"({
 "task": "tensor", "level": "mix",
 "dump_data_dir": "/on/the/machine/that/dumped",
 "data": {
  "Torch.mul.0.forward": {"input_args": [1], "input_kwargs": {}, "output": [2]},
  "Module.layer.Linear.forward.0": {"input_args": [{"no": "matter"}]},
  "Functional.relu.0.forward": {"input_args": [], "input_kwargs": {"x": 3}, "output": [4]},
  "Functional.relu.0.backward": {"input": [5], "output": [6]},
  "Torch.mul.0.backward": {"input": [7], "output": [null]},
  "Torch.sub.0.backward": {"input": [8], "output": []}
 },
 "framework": "pytorch"
}
)";

TEST_F(IndexTest, PairsForwardWithBackwardInTheOrderOfTheDump) {
  const Index index = open(kSmall);
  EXPECT_THAT(apis(index), ElementsAre("Torch.mul.0", "Functional.relu.0"));
  EXPECT_THAT(index.orphans(), ElementsAre("Torch.sub.0"));
  EXPECT_EQ(index.text(index.entries()[0].backward), R"({"input": [7], "output": [null]})");
  EXPECT_EQ(index.text(index.entries()[1].forward), R"({"input_args": [], "input_kwargs": {"x": 3}, "output": [4]})");
  const Record record = index.read(1);
  EXPECT_EQ(record.name.full, "Functional.relu.0");
  EXPECT_EQ(record.forward.kwargs[0].second.get<int64_t>(), 3);
  EXPECT_EQ(record.backward->output[0].get<int64_t>(), 6);
}

TEST_F(IndexTest, TellsAboutTheDump) {
  const Index index = open(kSmall);
  EXPECT_EQ(index.path(), (folder_ / "dump.json").string());
  EXPECT_EQ(index.tensor_dir(), (folder_ / "dump_tensor_data").string());
  EXPECT_EQ(index.task(), "tensor");
  EXPECT_TRUE(index.has_real_data());
}

TEST_F(IndexTest, RealDataIsAnyPath) {
  const std::pair<const char*, bool> rows[] = {{R"("dump_data_dir": null, )", false},
                                               {R"("dump_data_dir": "", )", false},
                                               {R"("dump_data_dir": "x", )", true},
                                               {"", false}};
  for (const auto& [member, has] : rows) {
    EXPECT_EQ(open(std::string("{") + member + "\"data\": {}}").has_real_data(), has) << member;
    EXPECT_EQ(open(std::string("{\"data\": {}, ") + member + "\"level\": \"L1\"}").has_real_data(), has) << member;
  }
}

TEST_F(IndexTest, NamesOutliveAMove) {
  Index index = open(kSmall);
  const std::vector<std::string_view> before = {index.entries()[0].api, index.entries()[1].api};
  const Index moved = std::move(index);
  EXPECT_EQ(moved.entries()[0].api.data(), before[0].data());
  EXPECT_EQ(before[1], "Functional.relu.0");
}

TEST_F(IndexTest, ByteOrderMarkAndCarriageReturnsAreTaken) {
  std::string text = kSmall;
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "\r");
  const Index index = open("\xEF\xBB\xBF" + text + "\r\n");
  EXPECT_EQ(index.entries().size(), 2u);
  EXPECT_EQ(index.read(0).backward->input[0].get<int64_t>(), 7);
}

TEST_F(IndexTest, EscapedKeysAreResolved) {
  const Index index = open(R"({"d\u0061ta": {"Torch.\u006dul.0.forward": {}, "Torch.mul.0.backwar\u0064": {}}})");
  EXPECT_THAT(apis(index), ElementsAre("Torch.mul.0"));
  EXPECT_FALSE(index.entries()[0].backward.empty());
  EXPECT_THAT(apis(open(R"({"data": {"Torch.\ud800.0.forward": {}}})")), ElementsAre("Torch.\uFFFD.0"));
}

TEST_F(IndexTest, KeysNeedADirection) {
  EXPECT_EQ(data_error(R"("Torch.mul.0.forwrd": {})"),
            R"(dump.json: data."Torch.mul.0.forwrd": key ends in "forwrd", expected ".forward" or ".backward")");
  EXPECT_EQ(data_error(R"("Torch": {})"),
            R"(dump.json: data."Torch": key ends in "Torch", expected ".forward" or ".backward")");
  EXPECT_EQ(data_error(R"("": {})"), R"(dump.json: data."": key ends in "", expected ".forward" or ".backward")");
  EXPECT_EQ(data_error(R"("forward": {})"),
            R"(dump.json: data."forward": key ends in "forward", expected ".forward" or ".backward")");
  EXPECT_EQ(data_error(R"(".forward": {})"), R"(dump.json: data.".forward": key has no API name before its direction)");
}

TEST_F(IndexTest, DirectionIsTheLastSegmentOnly) {
  const Index index = Index::open(MSPROBE_TEST_DATA "/faults/direction-in-the-name/dump.json");
  EXPECT_THAT(apis(index), ElementsAre("Torch.add.0", "Functional.multi_head_attention_forward.0",
                                       "Aten.threshold_backward.0", "Torch.mul.0"));
  EXPECT_FALSE(index.entries()[1].backward.empty());
  EXPECT_TRUE(index.entries()[2].backward.empty());
}

TEST_F(IndexTest, ModuleKeysAreLeftOutBeforeAnythingElse) {
  const Index index =
      open(R"({"data": {"Module.a.forward.0": 1, "Module.a.forward.0": 2, "x.Module": {}, "xModuley.0.forward": {}}})");
  EXPECT_TRUE(index.entries().empty());
  EXPECT_TRUE(index.orphans().empty());
}

TEST_F(IndexTest, NothingOccursTwice) {
  EXPECT_EQ(data_error(R"("Torch.mul.0.forward": {}, "Torch.mul.0.forward": {})"),
            R"(dump.json: data."Torch.mul.0.forward": key occurs twice, at bytes 33-35 and 60-62)");
  EXPECT_EQ(data_error(R"("A.b.0.backward": {}, "A.b.0.forward": {}, "A.b.0.backward": {})"),
            R"(dump.json: data."A.b.0.backward": key occurs twice, at bytes 28-30 and 71-73)");
  EXPECT_EQ(error(R"({"data": {}, "data": {}})"), "dump.json: \"data\" occurs twice");
  EXPECT_EQ(error(R"({"task": "a", "data": {}, "task": "b"})"), "dump.json: \"task\" occurs twice");
  EXPECT_EQ(error(R"({"dump_data_dir": "a", "data": {}, "dump_data_dir": null})"),
            "dump.json: \"dump_data_dir\" occurs twice");
}

TEST_F(IndexTest, OtherFilesAreNoDump) {
  EXPECT_EQ(error("{}"), "dump.json: has no \"data\", is this a dump.json of msprobe?");
  EXPECT_EQ(error("{\"data\": [1, 2]}"), "dump.json: data: found a list, expected an object of API entries");
  EXPECT_EQ(error("{\"data\":null}"), "dump.json: data: found null, expected an object of API entries");
  EXPECT_EQ(error("[]"), "dump.json: line 1, column 1: found \"[\", expected \"{\", the start of a dump.json");
  EXPECT_EQ(error(""), "dump.json: is empty");
  EXPECT_EQ(error("\xFF\xFE{"), "dump.json: is UTF-16, expected UTF-8; save it as UTF-8");
  EXPECT_EQ(error("\x7f"
                  "ELF"),
            "dump.json: line 1, column 1: found \"\\x7f\", expected \"{\", the start of a dump.json");
}

TEST_F(IndexTest, PathsThatAreNoFileAreNamed) {
  const std::string base = folder_.string();
  EXPECT_EQ(error_of([&] { Index::open(base + "/no.json"); }),
            base + "/no.json: cannot be opened: No such file or directory");
  EXPECT_EQ(error_of([&] { Index::open(base); }), base + ": is a folder, expected a regular file");
  EXPECT_EQ(error_of([&] { Index::open(""); }), "the path of the file is empty");
  ASSERT_EQ(mkfifo((base + "/fifo").c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { Index::open(base + "/fifo"); }), base + "/fifo: is a FIFO, expected a regular file");
}

TEST_F(IndexTest, TwoRootsAreRefused) {
  EXPECT_EQ(
      error("{\"data\": {}}\n{\"data\": {}}"),
      "dump.json: line 2, column 1: found \"{\", expected nothing behind the last \"}\": a dump.json holds one object");
}

TEST_F(IndexTest, FaultsNameLineAndKey) {
  EXPECT_EQ(error("{\n \"data\": {\n  \"A.b.0.forward\": {},\n  \"A.c.0.forward\": {\"input_args\": [1 2]}\n }\n}"),
            "dump.json: line 4, column 38, in data.\"A.c.0.forward\": found \"2\", expected \",\" or \"]\"");
  EXPECT_EQ(data_error("\"A.b.0.forward\": {}, }"),
            "dump.json: line 1, column 32: found \"}\", expected a key in double quotes");
}

TEST_F(IndexTest, EveryTruncationIsSaid) {
  const std::string text = kSmall;
  const size_t whole = text.rfind('}') + 1;
  for (size_t size = 1; size < whole; ++size) {
    const std::string message = error(text.substr(0, size));
    EXPECT_THAT(message, HasSubstr("the text ends, expected ")) << size;
    EXPECT_THAT(message, HasSubstr("; the file was cut off: copy it again, or dump again")) << size;
  }
  for (size_t size = whole; size <= text.size(); ++size) EXPECT_EQ(error(text.substr(0, size)), "no error");
}

TEST_F(IndexTest, OneBrokenRecordSparesTheOthers) {
  std::string deep(5000, '['), closed(5000, ']');
  const Index index = open("{\"data\": {\"A.a.0.forward\": {\"input_args\": [" + deep + closed +
                           "]}, \"A.b.0.forward\": {\"input_args\": [1e400, 9223372036854775808, \"\\ud800\", NaN]}, "
                           "\"A.c.0.forward\": 7}}");
  EXPECT_EQ(error_of([&] { index.read(0); }),
            index.path() + ": data.\"A.a.0.forward\": is nested 5002 levels deep, more than the limit of 410");
  EXPECT_EQ(index.read(1).forward.args.size(), 4u);
  EXPECT_EQ(error_of([&] { index.read(2); }),
            index.path() + ": data.\"A.c.0.forward\": is 7, expected an object with the inputs and outputs of the API");
}

TEST_F(IndexTest, HugeStringsTakeNoMemory) {
  constexpr size_t kSize = 30'000'000;
  std::string text = "{\"data\": {\"A.a.0.forward\": {\"input_args\": [\"";
  text.append(kSize, 'x');
  text += "\"]}, \"A.b.0.forward\": {}}}";
  const std::string path = folder_.write("dump.json", text);
  text = std::string();
  const auto private_kilobytes = [] {
    for (const std::string& line : support::lines("/proc/self/status")) {
      if (line.rfind("RssAnon:", 0) == 0) return std::stol(line.substr(8));
    }
    return 0L;
  };
  const long before = private_kilobytes();
  const Index index = Index::open(path);
  EXPECT_LT(private_kilobytes() - before, 1024);
  EXPECT_EQ(index.entries().size(), 2u);
  EXPECT_EQ(index.entries()[0].forward.end - index.entries()[0].forward.begin, kSize + 20);
}

TEST_F(IndexTest, ChangesWhileInUseAreNoticed) {
  const Index index = open(kSmall);
  EXPECT_EQ(index.read(0).forward.args.size(), 1u);
  ASSERT_EQ(truncate(index.path().c_str(), 10), 0);
  EXPECT_EQ(error_of([&] { index.read(0); }),
            index.path() + ": was changed while it was being read; start again when nothing writes to it any more");
}

TEST_F(IndexTest, PagesThatAreGoneEndNoProcess) {
  std::string text = R"({"data": {"Torch.mul.0.forward": {"input_args": [")" + std::string(100'000, 'x') + "\"]}}}";
  const Index index = open(text);
  ASSERT_EQ(truncate(index.path().c_str(), 10), 0);
  const std::string_view record = index.text(index.entries()[0].forward);
  EXPECT_EQ(record[record.size() - 1], '\0');  // SIGBUS, were nothing put in its place
  EXPECT_THROW(index.check_unchanged(), ChangedError);
  EXPECT_THROW(index.digest(), ChangedError);
  EXPECT_EQ(std::string(util::take_lost_file().value().what()),
            index.path() +
                ": was cut short while it was being read, or its disk failed; start again when nothing writes to it "
                "any more");
}

TEST_F(IndexTest, AReplacedFileStaysReadable) {
  const Index index = open(kSmall);
  folder_.write("other.json", "{}");
  std::filesystem::rename(folder_ / "other.json", index.path());
  EXPECT_EQ(index.read(0).forward.args.size(), 1u);
}

TEST_F(IndexTest, ManyEntriesKeepTheirOrder) {
  std::string text = "{\"data\": {";
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i)
    text += "\"T.f." + std::to_string(i) + ".forward\": {\"input_args\": [" + std::to_string(i) + "]},\n";
  for (int i = kCount; i-- > 1;)
    text += "\"T.f." + std::to_string(i) + ".backward\": {\"input\": [" + std::to_string(i) + "]},\n";
  const Index index = open(text + "\"T.f.0.backward\": {}}}");
  ASSERT_EQ(index.entries().size(), size_t{kCount});
  for (const int i : {0, 1, 9'999, kCount - 1}) {
    const Record record = index.read(static_cast<size_t>(i));
    EXPECT_EQ(record.name.index, std::to_string(i));
    EXPECT_EQ(record.forward.args[0].get<int64_t>(), i);
    EXPECT_EQ(record.backward->input.size(), i == 0 ? 0u : 1u);
  }
}

}  // namespace
}  // namespace msprobe::dump
