// Recorded calls with their tensors, replayed by name: the results are the recorded ones, to the bit.
#include "ops/replay.h"

#include <gtest/gtest.h>
#include <torch/version.h>

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
  size_t identical = 0, missed = 0;
  for (size_t i = 0; i < all; ++i) {
    const auto outcome = replay.run(i);
    identical += outcome.kind == Kind::kIdentical;
    if (outcome.kind <= Kind::kClose) continue;  // other processors' vector units round a few kernels differently
    ++missed;
    if (kRecordedRelease) {
      ADD_FAILURE() << index.entries()[i].api << ": " << replaying::kind_name(outcome.kind) << ", " << outcome.why
                    << " [" << outcome.how << " | " << outcome.operators << "]";
    }
  }
  EXPECT_GE(all, 300u);
  EXPECT_GE(identical, all * 9 / 10);
  EXPECT_LE(missed, all / 20);  // other releases of LibTorch lack an operator or two
  at::set_num_threads(threads);
}

}  // namespace
}  // namespace msprobe::ops
