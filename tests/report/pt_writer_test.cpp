#include "report/pt_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "dump/tensor_file.h"
#include "report/zip_writer.h"
#include "support/shell.h"
#include "support/temp_folder.h"
#include "util/error.h"

namespace msprobe::report {
namespace {

struct Type {
  const char* name;
  int64_t bytes;
  bool keeps_grad;  ///< requires_grad is written
};
constexpr Type kTypes[] = {
    {"bool", 1, false},        {"uint8", 1, false},           {"int8", 1, false},
    {"int16", 2, false},       {"int32", 4, false},           {"int64", 8, false},
    {"uint16", 2, false},      {"uint32", 4, false},          {"uint64", 8, false},
    {"float16", 2, true},      {"bfloat16", 2, true},         {"float32", 4, true},
    {"float64", 8, true},      {"complex32", 4, false},       {"complex64", 8, true},
    {"complex128", 16, true},  {"float8_e4m3fn", 1, false},   {"float8_e4m3fnuz", 1, false},
    {"float8_e5m2", 1, false}, {"float8_e5m2fnuz", 1, false}, {"float8_e8m0fnu", 1, false},
};
const std::vector<std::vector<int64_t>> kShapes = {
    {}, {3}, {2, 3}, {0}, {2, 0, 3}, {1, 1, 1, 1}, {300, 70000 / 300}, {2, 1, 2, 1, 2}};

/// As read_back.py expects them.
std::vector<uint8_t> contents(size_t bytes, bool booleans) {
  std::vector<uint8_t> out(bytes);
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<uint8_t>(booleans ? i % 2 : (7 * i + 1) % 251);
  return out;
}
size_t elements(const std::vector<int64_t>& sizes) {
  size_t n = 1;
  for (const int64_t size : sizes) n *= static_cast<size_t>(size);
  return n;
}

class PtWriterTest : public testing::Test {
 protected:
  /// Every dtype in every shape, with a manifest for read_back.py.
  void write_all() {
    std::ofstream manifest(folder_ / "manifest.txt");
    for (const Type& type : kTypes)
      for (size_t s = 0; s < kShapes.size(); ++s)
        for (const bool requires_grad : {false, true}) {
          if (requires_grad && s > 1) continue;
          const std::string name =
              std::string(type.name) + "." + std::to_string(s) + (requires_grad ? ".grad.pt" : ".pt");
          const auto data =
              contents(elements(kShapes[s]) * static_cast<size_t>(type.bytes), std::string(type.name) == "bool");
          write_pt(folder_ / name, std::string("torch.") + type.name, kShapes[s], data.data(), data.size(),
                   requires_grad);
          manifest << name << ' ' << type.name << ' ' << (requires_grad && type.keeps_grad) << ' ';
          for (size_t i = 0; i < kShapes[s].size(); ++i) manifest << (i ? "," : "") << kShapes[s][i];
          manifest << (kShapes[s].empty() ? "-" : "") << '\n';
        }
  }
  void write_zip64(const std::string& name, uint64_t from) {
    const auto data = contents(1000, false);
    util::AtomicFile file(folder_ / name);
    ZipWriter zip(file, from);
    zip.add("archive/data/0", data.data(), data.size());
    zip.add("archive/data/1", nullptr, 0);
    zip.add("archive/version", "3\n");
    zip.finish();
    file.commit();
  }
  std::string complaint(const std::string& name, const std::string& dtype, const std::vector<int64_t>& sizes,
                        size_t bytes) {
    const std::vector<uint8_t> data(bytes);
    try {
      write_pt(folder_ / name, dtype, sizes, data.data(), bytes, false);
      return "no error";
    } catch (const Error& error) {
      const std::string where = folder_ / name;
      return error.where() == where ? error.message() : error.what();
    }
  }
  size_t files() const { return support::entries(folder_); }
  const support::TempFolder folder_;
};

/// $MSPROBE_TEST_PYTHON, else python3.
std::string python() {
  const char* named = std::getenv("MSPROBE_TEST_PYTHON");
  return named && *named ? named : "python3";
}

TEST_F(PtWriterTest, PythonsTorchReadsEveryDtypeWithWeightsOnly) {
  write_all();
  write_zip64("zip64_all.zip", 0);
  write_zip64("zip64_sizes.zip", 1000);
  write_zip64("zip64_none.zip", 0xFFFFFFFF);
  const std::string log = folder_ / "log.txt";
  const std::string command =
      python() + " " MSPROBE_SOURCE_DIR "/tests/report/read_back.py " + folder_.string() + " > " + log + " 2>&1";
  const int code = support::shell(command);
  const std::string said = support::content(log);
  constexpr int kNoTorch = 77, kNoPython = 127;
  if (code == kNoTorch || code == kNoPython)
    GTEST_SKIP() << python()
                 << " has no torch: the files were not read back. Name one that has in MSPROBE_TEST_PYTHON. " << said;
  EXPECT_EQ(code, 0) << said;
}

TEST_F(PtWriterTest, OurOwnReaderReadsEveryDtype) {
  write_all();
  for (const Type& type : kTypes)
    for (size_t s = 0; s < kShapes.size(); ++s) {
      const std::string path = folder_ / (std::string(type.name) + "." + std::to_string(s) + ".pt");
      const dump::TensorFile tensor = dump::read_pt(path);
      EXPECT_EQ(dump::dtype_name(tensor.dtype), type.name);
      EXPECT_EQ(tensor.sizes, kShapes[s]) << path;
      const auto expected =
          contents(elements(kShapes[s]) * static_cast<size_t>(type.bytes), std::string(type.name) == "bool");
      ASSERT_GE(static_cast<size_t>(tensor.storage_bytes), expected.size()) << path;
      EXPECT_TRUE(expected.empty() || std::memcmp(tensor.data, expected.data(), expected.size()) == 0) << path;
    }
  EXPECT_TRUE(dump::read_pt(folder_ / "bfloat16.0.grad.pt").requires_grad);
  EXPECT_FALSE(dump::read_pt(folder_ / "float8_e5m2.0.grad.pt").requires_grad);
  EXPECT_FALSE(dump::read_pt(folder_ / "int64.0.grad.pt").requires_grad);
}

TEST_F(PtWriterTest, EqualTensorsGiveEqualFiles) {
  const float values[] = {1, 2, 3};
  for (const char* name : {"a.pt", "b.pt"}) write_pt(folder_ / name, "float32", {3}, values, sizeof values, true);
  const auto text = [&](const char* name) { return support::content(folder_ / name); };
  EXPECT_FALSE(text("a.pt").empty());
  EXPECT_EQ(text("a.pt"), text("b.pt"));
}

TEST_F(PtWriterTest, WhatFitsNoTensorIsRefused) {
  EXPECT_EQ(complaint("a.pt", "torch.float32", {2, 3}, 20), "20 bytes are no float32 tensor of shape (2, 3)");
  EXPECT_EQ(complaint("a.pt", "torch.float32", {-1}, 4), "4 bytes are no float32 tensor of shape (-1)");
  EXPECT_EQ(complaint("a.pt", "torch.int8", {int64_t{1} << 40, int64_t{1} << 40}, 0),
            "0 bytes are no int8 tensor of shape (1099511627776, 1099511627776)");
  EXPECT_EQ(complaint("a.pt", "torch.float64", {int64_t{1} << 61}, 8),
            "8 bytes are no float64 tensor of shape (2305843009213693952)");
  EXPECT_EQ(complaint("a.pt", "torch.quint8", {1}, 1), "tensors of dtype torch.quint8 cannot be saved");
  EXPECT_EQ(files(), 0u);
}

TEST_F(PtWriterTest, HugeSizesBesideAZeroAreNoProblem) {
  write_pt(folder_ / "a.pt", "float32", {0, int64_t{1} << 40}, nullptr, 0, false);
  EXPECT_EQ(dump::read_pt(folder_ / "a.pt").sizes, (std::vector<int64_t>{0, int64_t{1} << 40}));
}

TEST_F(PtWriterTest, AFileThatCannotBeWrittenIsNamedAndLeavesNothing) {
  EXPECT_EQ(complaint("no/a.pt", "torch.int8", {1}, 1), "cannot be made: No such file or directory");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit low{10000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
  const std::string message = complaint("a.pt", "torch.int8", {100000}, 100000);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "cannot be written: File too large");
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace msprobe::report
