#include "pool/retries.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "outcome/skipped.h"

namespace msprobe::pool {
namespace {

using outcome::Status;

constexpr const char* kFirst =
    "crashed in a first try: SIGSEGV (segmentation fault); a second one, in another process, did not";

FailedTry crash(int device, bool fresh, bool elsewhere) {
  return {device, {Death::Kind::kSignalled, SIGSEGV}, fresh, elsewhere};
}
FailedTry kill(bool memory_ran_out) {
  return {0, death_of({true, SIGKILL}, memory_ran_out), true, true};
}
outcome::ApiOutcome outcome(Status status, const std::string& message = "") {
  auto o = outcome::skipped_outcome("Torch.mul.0", message);
  o.forward = status;
  return o;
}

TEST(RetriesTest, WhatDiedBehindOthersIsTriedInAFreshProcess) {
  Retries retries(true);
  EXPECT_TRUE(retries.again(1, crash(0, /*fresh=*/false, false)));
  EXPECT_FALSE(retries.again(1, crash(0, /*fresh=*/true, false)));
}

TEST(RetriesTest, WhatDiedInAFreshProcessIsTriedOnAnotherCardOnce) {
  Retries retries(false);
  EXPECT_TRUE(retries.again(1, crash(0, true, /*elsewhere=*/true)));
  EXPECT_FALSE(retries.again(1, crash(1, true, /*elsewhere=*/false)));  // there
  EXPECT_FALSE(retries.again(1, crash(0, true, /*elsewhere=*/true)));   // the other card could not be opened
  EXPECT_TRUE(retries.again(2, crash(0, true, true)));
}

TEST(RetriesTest, NoJobIsTriedForEver) {
  Retries retries(false);
  int tries = 1;
  while (tries < 100 && retries.again(1, crash(tries % 2, /*fresh=*/false, true))) ++tries;
  EXPECT_EQ(tries, kMostDeaths);
}

TEST(RetriesTest, AKillFromOutsideIsForgivenOnce) {
  Retries lone(true), shared(false);
  EXPECT_TRUE(lone.again(1, kill(false)));
  EXPECT_FALSE(lone.again(1, kill(false)));
  EXPECT_FALSE(lone.again(2, kill(/*memory_ran_out=*/true)));  // its own doing
  EXPECT_TRUE(shared.again(2, kill(true)));                    // perhaps another's
  EXPECT_FALSE(shared.again(2, kill(true)));
}

TEST(RetriesTest, TheMessageTellsOfACrashAndNotOfAKill) {
  Retries retries(true);
  ASSERT_TRUE(retries.again(1, crash(0, false, false)));
  ASSERT_TRUE(retries.again(2, kill(false)));
  auto bare = outcome(Status::kPass), noted = outcome(Status::kPass, "recorded: identical");
  retries.done(1, 0, bare, 10);
  EXPECT_EQ(bare.message, kFirst);
  retries.done(1, 0, noted, 10);
  EXPECT_EQ(noted.message, std::string("recorded: identical; ") + kFirst);
  auto killed = outcome(Status::kPass);
  retries.done(2, 0, killed, 10);
  EXPECT_EQ(killed.message, "");
}

// Crashes on card 1 and a check on card 0, `n` times; the cards that are told to be at fault.
int times_blamed(Retries& retries, uint32_t first, int n, Status status = Status::kPass) {
  int blamed = 0;
  for (uint32_t job = first; job < first + static_cast<uint32_t>(n); ++job) {
    EXPECT_TRUE(retries.again(job, crash(1, true, true)));
    auto o = outcome(status);
    const auto card = retries.done(job, 0, o, 3);
    EXPECT_EQ(card.value_or(1), 1);
    blamed += card.has_value();
  }
  return blamed;
}

TEST(RetriesTest, ACardIsBlamedForCrashesInARowThatAnotherDoesNotRepeat) {
  Retries retries(false);
  EXPECT_EQ(times_blamed(retries, 0, 2), 0);
  EXPECT_EQ(times_blamed(retries, 2, 2), 2);  // and stays so until it checks something
  auto checked = outcome(Status::kError), skipped = outcome(Status::kSkip);
  retries.done(50, 1, skipped, 3);  // nothing ran: says nothing of the card
  EXPECT_EQ(times_blamed(retries, 4, 1), 1);
  retries.done(51, 1, checked, 3);
  EXPECT_EQ(times_blamed(retries, 5, 2), 0);
  EXPECT_EQ(times_blamed(retries, 7, 1), 1);
}

TEST(RetriesTest, ACardIsNotBlamedForWhatNoOtherChecked) {
  Retries retries(false);
  EXPECT_EQ(times_blamed(retries, 0, 9, Status::kSkip), 0);
  for (uint32_t job = 20; job < 29; ++job) {
    ASSERT_TRUE(retries.again(job, crash(1, false, false)));
    auto o = outcome(Status::kPass);
    EXPECT_FALSE(retries.done(job, /*device=*/1, o, 3)) << "the same card checked it";
  }
}

}  // namespace
}  // namespace msprobe::pool
