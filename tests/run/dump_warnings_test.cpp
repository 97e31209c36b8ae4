#include "run/dump_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <functional>
#include <sstream>

#include "support/error_of.h"
#include "support/temp_folder.h"

namespace msprobe::run {
namespace {

constexpr const char* kDump =
    R"({"task": "tensor", "level": "L1", "framework": "pytorch", "dump_data_dir": null, "data": {
        "Functional.conv2d.0.forward": {"input_args": [], "input_kwargs": {}, "output": []},
        "NPU.npu_swiglu.0.forward": {"input_args": [], "input_kwargs": {}, "output": []},
        "Torch.mul.0.backward": {"input": [], "output": []}}})";

/// Warnings that `act` leaves in the log, one a line.
std::string warned(const std::function<void()>& act) {
  std::ostringstream lines;
  const auto before = spdlog::default_logger();
  auto logger = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_st>(lines));
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::warn);
  spdlog::set_default_logger(logger);
  act();
  spdlog::set_default_logger(before);
  return lines.str();
}

TEST(OpenDumpTest, AFolderIsAnErrorThatNamesTheDumpInIt) {
  const support::TempFolder folder;
  const std::string path = folder.string();
  const auto error = [&] { return support::error_of([&] { open_dump(path); }); };
  EXPECT_EQ(error(), path + ": is a folder, expected a dump.json; give the dump.json of a step*/rank*/ folder");
  const std::string first = folder.write("step0/rank0/dump.json", kDump);
  EXPECT_EQ(error(), path + ": is a folder, expected a dump.json; give " + first);
  folder.write("step0/rank1/dump.json", kDump);
  EXPECT_EQ(error(), path + ": is a folder, expected a dump.json; there are 2 in it, the first is " + first);
}

TEST(OpenDumpTest, TasksAndLevelsThatRecordTooLittleAreWarnedOf) {
  const support::TempFolder folder;
  const std::string good = folder.write("good.json", kDump);
  EXPECT_EQ(warned([&] { open_dump(good); }), "");
  std::string text = kDump;
  text.replace(text.find("tensor"), 6, "md5");
  text.replace(text.find("L1"), 2, "L0");
  const std::string poor = folder.write("poor.json", text);
  EXPECT_EQ(warned([&] { open_dump(poor); }),
            poor +
                ": task is \"md5\", expected statistics or tensor: the dump may not hold what APIs are checked by\n" +
                poor + ": level is \"L0\", expected L1 or mix: the dump may not hold what APIs are checked by\n");
}

TEST(DumpWarningsTest, NamesOfListsThatTheDumpLacksAreNamedWithTheNearest) {
  const support::TempFolder folder;
  const dump::Index index = open_dump(folder.write("dump.json", kDump));
  config::Settings settings;
  settings.white_list = {"conv2d", "Functional.conv2d"};
  EXPECT_EQ(warned([&] { warn_of_unknown_names(settings, index); }), "");
  settings.black_list = {"conv2", "softmax_of_nobody"};
  EXPECT_EQ(warned([&] { warn_of_unknown_names(settings, index); }),
            "black_list: conv2 is not in this dump, did you mean conv2d?\n"
            "black_list: softmax_of_nobody is not in this dump\n");
}

TEST(DumpWarningsTest, BackwardEntriesWithoutAForwardOneAreCounted) {
  const support::TempFolder folder;
  const std::string path = folder.write("dump.json", kDump);
  const dump::Index index = open_dump(path);
  EXPECT_EQ(warned([&] { warn_of_orphans(index); }),
            path + ": 1 backward entry has no forward entry and is left out, the first is Torch.mul.0\n");
}

}  // namespace
}  // namespace msprobe::run
