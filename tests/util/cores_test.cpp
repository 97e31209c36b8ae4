#include "util/cores.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace msprobe::util {
namespace {

TEST(CoresTest, AreThoseOfTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const int all = CPU_COUNT(&before);
  EXPECT_GE(usable_cores(), 1);
  EXPECT_LE(usable_cores(), all);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);  // as taskset and mpirun --bind-to core do
  const int bound = usable_cores();
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(bound, 1);
}

}  // namespace
}  // namespace msprobe::util
