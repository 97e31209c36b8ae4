// Recorded calls with their tensors, replayed by name: results and gradients are the recorded ones, to the bit.
#include "ops/replay.h"

#include <gtest/gtest.h>
#include <torch/version.h>

#include <algorithm>
#include <string>

namespace msprobe::ops {
namespace {

using replaying::Kind;

constexpr bool kRecordedRelease = TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR == 13;

TEST(ReplayTest, GivesTheRecordedOutputs) {
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const auto index = dump::Index::open(MSPROBE_TEST_DATA "/ops/replay/dump.json");
  replaying::Replay replay(index, /*general_only=*/false);
  const size_t all = index.entries().size();
  size_t identical = 0, missed = 0, gradients = 0, gradients_identical = 0;
  for (size_t i = 0; i < all; ++i) {
    const auto outcome = replay.run(i);
    identical += outcome.kind == Kind::kIdentical;
    if (!index.entries()[i].backward.empty()) {
      ++gradients;
      gradients_identical += outcome.backward == Kind::kIdentical;
      if (kRecordedRelease) {
        EXPECT_LE(outcome.backward, Kind::kClose) << index.entries()[i].api << ": " << outcome.backward_why;
      }
    }
    if (outcome.kind <= Kind::kClose) continue;  // other processors' vector units round a few kernels differently
    ++missed;
    if (kRecordedRelease) {
      ADD_FAILURE() << index.entries()[i].api << ": " << replaying::kind_name(outcome.kind) << ", " << outcome.why
                    << " [" << outcome.how << " | " << outcome.operators << "]";
    }
  }
  EXPECT_GE(all, 300u);
  EXPECT_GE(identical, all * 9 / 10);
  EXPECT_GE(gradients, 60u);
  EXPECT_GE(gradients_identical, gradients * 8 / 10);
  EXPECT_LE(missed, all / 20);  // other releases of LibTorch lack an operator or two
  at::set_num_threads(threads);
}

// Running statistics, out=, in-place and `_foreach_` calls write into what they were given: so does the replay.
TEST(ReplayTest, ChangesTheArgumentsThatTheRecordedCallChanged) {
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const std::string folder = MSPROBE_TEST_DATA "/ops/changed_arguments";
  const auto index = dump::Index::open(folder + "/dump.json");
  replaying::Replay replay(index, /*general_only=*/false);
  replay.effects_dir = folder + "/effects";
  for (size_t i = 0; i < index.entries().size(); ++i) {
    const auto outcome = replay.run(i);
    if (kRecordedRelease) {
      EXPECT_LE(outcome.kind, Kind::kClose) << index.entries()[i].api << ": " << outcome.why;
    }
  }
  EXPECT_EQ(replay.effects_checked, kRecordedRelease ? 33 : std::max(replay.effects_checked, 25));
  at::set_num_threads(threads);
}

}  // namespace
}  // namespace msprobe::ops
