// What can be told without an accelerator: finding, refusing, and the words for it.
#include "device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "device/child.h"
#include "device/library.h"
#include "device/torch_npu.h"
#include "support/error_of.h"
#include "support/program.h"

namespace msprobe::device {
namespace {

namespace fs = std::filesystem;
using support::error_of;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override { ::unsetenv("MSPROBE_TORCH_NPU"); }

  static Options wanting(const std::string& type) {
    Options options;
    options.type = type;
    return options;
  }
  static Options named(const std::string& path, const std::string& type = "") {
    Options options = wanting(type);
    options.torch_npu = path;
    return options;
  }
  // A package that has the files by which one is known.
  fs::path package(const std::string& version) {
    const fs::path root = folder_ / "site-packages" / "torch_npu";
    support::write(root / "lib" / "libtorch_npu.so", "no library");
    support::write(root / "version.py", "__version__ = '" + version + "'\ngit_version = 'x'\n");
    return root;
  }

  const support::TempFolder folder_;
};

TEST_F(DeviceTest, WithoutAnAcceleratorTheCpuIsTaken) {
  if (fs::exists("/dev/davinci_manager") || detect(wanting(""))[1].count > 0)
    GTEST_SKIP() << "there is an accelerator here";
  const Choice choice = choose(wanting(""));
  EXPECT_EQ(choice.type, "cpu");
  EXPECT_EQ(choice.count, 1);
  EXPECT_TRUE(choice.remarks.empty());
  EXPECT_TRUE(choice.warnings.empty());
}

TEST_F(DeviceTest, DetectListsEveryTypeInTheOrderOfPreference) {
  const auto found = detect(wanting(""));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].type, "npu");
  EXPECT_EQ(found[1].type, "cuda");
  EXPECT_EQ(found[2].type, "cpu");
  EXPECT_EQ(found[2].count, 1);
  for (const Found& f : found) EXPECT_FALSE(f.note.empty()) << f.type;
}

TEST_F(DeviceTest, IdsHaveNoMeaningOnTheCpuAndAreRemarkedOnce) {
  Options options = wanting("cpu");
  options.devices = {5};
  EXPECT_THAT(choose(options).remarks, ::testing::ElementsAre("-d 5: has no meaning on the CPU"));
  options.devices = {0, 1, 2};
  EXPECT_THAT(choose(options).remarks, ::testing::ElementsAre("-d 0 1 2: there is one CPU; its workers share it"));
}

TEST_F(DeviceTest, OffAnNpuJitCompileIsSaidToHaveNoEffect) {
  Options options = wanting("cpu");
  options.jit_compile = true;
  EXPECT_THAT(choose(options).remarks,
              ::testing::ElementsAre("-j: has no effect on cpu, it is for an NPU's operators"));
}

TEST_F(DeviceTest, ATypeThatIsNotThereIsAnErrorWithTheRemedy) {
  if (detect(wanting(""))[1].count > 0) GTEST_SKIP() << "there is a GPU here";
  EXPECT_THAT(error_of([] { choose(wanting("cuda")); }),
              AllOf(StartsWith("--device_type cuda: there is none: LibTorch "), EndsWith("or take --device_type cpu")));
  EXPECT_EQ(error_of([] { choose(wanting("tpu")); }),
            "--device_type tpu: no such type of device, expected npu, cuda or cpu");
}

TEST_F(DeviceTest, ANamedPathThatIsNotThereIsNeverIgnored) {
  for (const char* type : {"", "npu", "cpu"})
    EXPECT_EQ(error_of([&] { choose(named("/nowhere/torch_npu", type)); }),
              "--torch_npu /nowhere/torch_npu: no such file or folder; name the folder of the package torch_npu or its "
              "lib/libtorch_npu.so")
        << type;
  EXPECT_THAT(error_of([&] { choose(named(folder_.string())); }),
              StartsWith("--torch_npu " + folder_.string() + ": the folder holds no lib/libtorch_npu.so"));
  ::setenv("MSPROBE_TORCH_NPU", "/nowhere", 1);
  EXPECT_THAT(error_of([] { choose(wanting("")); }), StartsWith("MSPROBE_TORCH_NPU /nowhere: no such file"));
  EXPECT_EQ(choose(wanting("cpu")).type, "cpu");  // the variable is for whoever wants an NPU
}

TEST_F(DeviceTest, APackageIsFoundByItsFolderTheOneAboveItsLibAndTheLibrary) {
  const fs::path root = fs::canonical(package("2.13.0.post1"));
  for (const fs::path& path : {root, root.parent_path(), root / "lib", root / "lib" / "libtorch_npu.so"}) {
    const auto found = find_torch_npu(named(path.string()));
    ASSERT_TRUE(found) << path;
    EXPECT_EQ(found->library, (root / "lib" / "libtorch_npu.so").string()) << path;
    EXPECT_EQ(found->version, "2.13.0.post1") << path;
    EXPECT_TRUE(found->named);
  }
}

TEST_F(DeviceTest, TheOptionWinsOverTheVariable) {
  ::setenv("MSPROBE_TORCH_NPU", "/nowhere", 1);
  EXPECT_EQ(find_torch_npu(named(package("2.13.0").string()))->origin, "--torch_npu");
}

TEST_F(DeviceTest, TheActivePythonsPackageIsFound) {
  const fs::path root = fs::canonical(package("2.13.0"));
  ::setenv("PYTHONPATH", root.parent_path().c_str(), 1);
  const auto found = find_torch_npu(wanting("npu"));
  ::unsetenv("PYTHONPATH");
  if (!found) GTEST_SKIP() << "no python3 in PATH";
  EXPECT_EQ(found->library, (root / "lib" / "libtorch_npu.so").string());
  EXPECT_THAT(found->origin, StartsWith("torch_npu of "));
  EXPECT_FALSE(found->named);
}

TEST_F(DeviceTest, ARelativePathIsNamedByTheUserAlone) {
  package("2.13.0");
  const fs::path before = fs::current_path();
  fs::current_path(folder_ / "site-packages");
  const auto found = find_torch_npu(named("./torch_npu"));
  const std::string refused = open_library("torch_npu/lib/libtorch_npu.so"), bare = open_library("libtorch_npu.so");
  fs::current_path(before);
  EXPECT_EQ(found->library, fs::canonical(folder_ / "site-packages/torch_npu/lib/libtorch_npu.so").string());
  EXPECT_EQ(refused, "its path is relative");
  EXPECT_EQ(bare, refused);
}

TEST(VersionMisfit, ComparesMajorAndMinorAlone) {
  EXPECT_EQ(version_misfit("2.13.0", "2.13.1"), "");
  EXPECT_EQ(version_misfit("2.1.0.post12", "2.1.2"), "");
  EXPECT_EQ(version_misfit("2.6.0rc1", "2.6.0"), "");
  EXPECT_EQ(version_misfit("", "2.13.0"), "");
  EXPECT_EQ(version_misfit("2.1.0.post12", "2.13.0"),
            "is torch_npu 2.1.0.post12, made for PyTorch 2.1; msprobe runs with LibTorch 2.13.0");
}

TEST_F(DeviceTest, AnotherPyTorchsPackageIsRefusedByItsVersion) {
  const fs::path root = fs::canonical(package("1.11.0"));
  EXPECT_THAT(
      error_of([&] { choose(named(root.string())); }),
      AllOf(StartsWith((root / "lib" / "libtorch_npu.so").string() + ": is torch_npu 1.11.0, made for PyTorch 1.11;"),
            HasSubstr("-DTorch_DIR")));
}

TEST_F(DeviceTest, WhatIsNoLibraryIsAnErrorThatNamesIt) {
  const fs::path root = package("");
  EXPECT_THAT(error_of([&] { choose(named(root.string())); }),
              AllOf(StartsWith("--torch_npu " + (fs::canonical(root) / "lib" / "libtorch_npu.so").string() +
                               ": cannot be loaded: "),
                    HasSubstr("file too short")));
}

struct Plugin {
  const char* file;
  const char* says;
};
class PluginTest : public DeviceTest, public ::testing::WithParamInterface<Plugin> {};

TEST_P(PluginTest, IsAnErrorThatNamesTheLibraryAndWhatIsWrong) {
  const std::string path = fs::canonical(GetParam().file);
  const std::string words = error_of([&] { choose(named(path, "npu")); });
  EXPECT_THAT(words, HasSubstr(path));
  EXPECT_THAT(words, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Libraries, PluginTest,
    ::testing::Values(Plugin{MSPROBE_PLUGIN_WITHOUT_CANN, "needs libascendcl.so, which is not found; "},
                      Plugin{MSPROBE_PLUGIN_WITHOUT_CANN, "set_env.sh"},
                      Plugin{MSPROBE_PLUGIN_WITHOUT_SYMBOL, "cannot be loaded: no library has at_npu::absent(int)"},
                      Plugin{MSPROBE_PLUGIN_CRASHES, "asking for it crashed (Aborted)"},
                      Plugin{MSPROBE_PLUGIN_NO_BACKEND, "registers no backend of the name npu (privateuseone)"}));

TEST(LoaderWords, TellWhichLibraryOrSymbolIsMissing) {
  EXPECT_EQ(missing_library("libhccl.so: cannot open shared object file: No such file or directory"), "libhccl.so");
  EXPECT_EQ(missing_library("/opt/x/libhccl.so: cannot open shared object file: Permission denied"), "libhccl.so");
  EXPECT_EQ(missing_library("/a/b.so: undefined symbol: f"), "");
  EXPECT_EQ(undefined_symbol("/a/b.so: undefined symbol: _ZN3c105ErrorD1Ev"), "c10::Error::~Error()");
  EXPECT_EQ(undefined_symbol("/a/b.so: undefined symbol: f, version V1"), "f");
  EXPECT_EQ(undefined_symbol("/a/b.so: file too short"), "");
}

TEST(InChild, GivesBackTextAndErrors) {
  EXPECT_EQ(in_child("here", [] { return std::string("answer\n"); }), "answer\n");
  EXPECT_EQ(error_of([] { in_child("here", []() -> std::string { throw Error("there", "wrong", "mend it"); }); }),
            "there: wrong; mend it");
  EXPECT_EQ(error_of([] { in_child("here", []() -> std::string { throw std::runtime_error("plain"); }); }), "plain");
}

TEST(InChild, OutlivesWhatCrashesHangsAndLeaves) {
  EXPECT_THAT(error_of([] {
                in_child("here", []() -> std::string {
                  ::write(STDERR_FILENO, "first\nlast words\n", 17);
                  ::raise(SIGSEGV);
                  return "";
                });
              }),
              StartsWith("here: asking for it crashed (Segmentation fault), its last words: "));
  EXPECT_THAT(error_of([] {
                in_child(
                    "here",
                    []() -> std::string {
                      for (;;) ::pause();
                    },
                    1);
              }),
              StartsWith("here: asking for it took longer than 1 s; "));
  EXPECT_THAT(error_of([] { in_child("here", []() -> std::string { ::_exit(7); }); }),
              StartsWith("here: asking for it ended with status 7; "));
}

TEST(OutputOf, IsWhatTheProgramWritesAndNothingWhenItFails) {
  EXPECT_EQ(output_of({"printf", "a b"}), "a b");
  EXPECT_EQ(output_of({"false"}), "");
  EXPECT_EQ(output_of({"no such program"}), "");
}

TEST(OpenCpu, IsTheEmbeddedDefault) {
  Options options;
  options.type = "cpu";
  const auto device = open(options, 5);
  EXPECT_EQ(device->type(), "cpu");
  EXPECT_EQ(device->at_device(), at::Device(at::kCPU));
  device->seed(7);
  device->synchronize();
  device->empty_cache();
  ASSERT_EQ(device->describe().size(), 1u);
  EXPECT_THAT(device->describe()[0], StartsWith("device: cpu, "));
}

// The program itself, on what it must refuse before it writes.
support::Outcome run_demo(const fs::path& folder, const std::string& arguments) {
  return support::run_program(
      folder, "acc_check -api_info '" MSPROBE_TEST_DATA "/demo/step0/rank0/dump.json' -o results " + arguments);
}

TEST_F(DeviceTest, TheProgramRefusesAnAbsentDeviceWithExit2AndLeavesNoFile) {
  if (detect(wanting(""))[1].count > 0) GTEST_SKIP() << "there is a GPU here";
  for (const std::string arguments :
       {"--device_type cuda", "--torch_npu /nowhere", "--torch_npu /nowhere --device_type cpu"}) {
    const support::Outcome run = run_demo(folder_, arguments);
    EXPECT_EQ(run.code, 2) << arguments;
    EXPECT_THAT(run.err, StartsWith("msprobe: error: --")) << arguments;
    EXPECT_THAT(run.err, Not(HasSubstr("go on with"))) << arguments;
    EXPECT_FALSE(fs::exists(folder_ / "results")) << arguments;
  }
}

TEST_F(DeviceTest, TheProgramTakesAnNpusIdsOnTheCpu) {
  const support::Outcome run = run_demo(folder_, "--device_type cpu -d 5 --only '^Tensor.sqrt'");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("info: -d 5: has no meaning on the CPU\n"));
}

}  // namespace
}  // namespace msprobe::device
