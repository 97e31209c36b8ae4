#include "check/error_text.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "check/autocast.h"
#include "check/skip.h"
#include "util/out_of_memory.h"

namespace msprobe::check {
namespace {

template <class F>
ErrorText caught(F f) {
  try {
    f();
  } catch (...) {
    return describe_error(std::current_exception());
  }
  return {"nothing was thrown"};
}

TEST(DescribeError, KeepsLibTorchsSentenceOnOneLineWithoutBacktrace) {
  auto e = caught([] { (void)at::zeros({2, 3}).matmul(at::zeros({2, 3})); });
  EXPECT_EQ(e.text, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
  EXPECT_FALSE(e.out_of_memory());
}

TEST(DescribeError, KnowsThatMemoryRanOut) {
  EXPECT_TRUE(caught([] { throw std::bad_alloc(); }).out_of_memory());
  auto e = caught([] { (void)at::empty({int64_t{1} << 50}, at::kByte); });
  EXPECT_TRUE(e.out_of_memory()) << e.text;
  EXPECT_EQ(e.text.find('\n'), std::string::npos);
}

TEST(DescribeError, TellsTheCardsMemoryFromTheHosts) {
  auto thrown = caught([] { TORCH_CHECK_WITH(OutOfMemoryError, false, "Tried to allocate 2.00 GiB"); });
  EXPECT_EQ(thrown.text, "out of device memory: Tried to allocate 2.00 GiB");
  EXPECT_TRUE(thrown.out_of_memory());
  auto worded = caught([] { throw std::runtime_error("NPU out of memory. Tried to allocate 2.00 GiB"); });
  EXPECT_EQ(worded.text, "out of device memory: NPU out of memory. Tried to allocate 2.00 GiB");
  EXPECT_TRUE(worded.out_of_memory());
  EXPECT_EQ(caught([] { throw std::bad_alloc(); }).text, "out of memory");
}

// What looks in a file for rows that ran out of memory looks at how their Message begins.
TEST(DescribeError, SaysWantOfMemoryFirst) {
  auto e = caught([] { throw OutOfMemoryError("Torch.mul.1: input 0", "the recorded shape takes 4 bytes"); });
  EXPECT_TRUE(e.out_of_memory());
  EXPECT_EQ(e.text, "out of memory: Torch.mul.1: input 0: the recorded shape takes 4 bytes");
  EXPECT_EQ(caught([] { throw std::runtime_error("mmap: Cannot allocate memory"); }).text,
            "out of memory: mmap: Cannot allocate memory");
  EXPECT_EQ(caught([] { throw std::runtime_error("out of memory: no room"); }).text, "out of memory: no room");
}

TEST(DescribeError, LeavesTimeAndProcessOutOfWhatTorchNpuSays) {
  auto e = caught([] {
    throw std::runtime_error(
        "aclnnMatmul failed.\n[ERROR] 2026-11-29-20:53:32 (PID:7689, Device:0, RankID:-1) ERR01004 OPS invalid "
        "pointer");
  });
  EXPECT_EQ(e.text, "aclnnMatmul failed. [ERROR] ERR01004 OPS invalid pointer");
  EXPECT_EQ(caught([] { throw std::runtime_error("[ERROR] in (a) b"); }).text, "[ERROR] in (a) b");
}

TEST(DescribeError, CutsAtACharacterOfUtf8) {
  std::string chinese;
  for (int i = 0; i < 400; ++i) chinese += "精";
  auto e = caught([&] { throw std::runtime_error(chinese); });
  EXPECT_EQ(e.text, chinese.substr(0, 600) + "...");
}

TEST(DescribeError, ASkipKeepsItsReason) {
  const auto told = [](const Skip& skip) { return describe_error(std::make_exception_ptr(skip)); };
  EXPECT_EQ(told(Skip("distance_function is not recorded")).reason, outcome::Reason::kSkipped);
  EXPECT_EQ(told(Skip("no room left", outcome::Reason::kOutOfDeviceMemory)).reason,
            outcome::Reason::kOutOfDeviceMemory);
  // Its words are nobody's to read.
  EXPECT_EQ(told(Skip("the golden (out of memory.pt) gives 2 outputs")).reason, outcome::Reason::kSkipped);
}

TEST(AutocastScope, ComputesInTheGivenDtypeAndRestoresTheFormerState) {
  auto a = at::ones({4, 4});
  {
    AutocastScope scope(at::kCPU, at::kBFloat16);
    EXPECT_TRUE(scope.active());
    EXPECT_EQ(a.matmul(a).scalar_type(), at::kBFloat16);
  }
  EXPECT_EQ(a.matmul(a).scalar_type(), at::kFloat);
}

TEST(AutocastScope, StaysOffForDtypesThatPythonRefuses) {
  AutocastScope scope(at::kCPU, at::kFloat);
  EXPECT_FALSE(scope.active());
  EXPECT_EQ(at::ones({2, 2}).matmul(at::ones({2, 2})).scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace msprobe::check
