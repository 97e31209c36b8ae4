#include "outcome/reason.h"

#include <gtest/gtest.h>

namespace msprobe::outcome {
namespace {

TEST(ReasonTest, TextsAreMadeAndReadAgain) {
  const std::pair<Reason, const char*> texts[] = {{Reason::kOutOfMemory, "out of memory"},
                                                  {Reason::kOutOfDeviceMemory, "out of device memory"},
                                                  {Reason::kDeviceLost, "device lost"},
                                                  {Reason::kCrashed, "crashed"},
                                                  {Reason::kTimedOut, "timed out"}};
  EXPECT_EQ(std::size(texts) + 2, size_t{kReasonCount}) << "kNone and kSkipped have no words of their own";
  for (const auto& [reason, text] : texts) {
    EXPECT_EQ(message_of(reason, ""), text);
    EXPECT_EQ(message_of(reason, "why"), std::string(text) + ": why");
    EXPECT_EQ(reason_of(message_of(reason, "why")), reason);
    EXPECT_TRUE(cut_short(reason)) << text;
  }
  EXPECT_EQ(reason_of("timed out after 5 s in the golden"), Reason::kTimedOut);
  EXPECT_EQ(message_of(Reason::kSkipped, "on the black list"), "on the black list");
}

TEST(ReasonTest, TheTableIsInTheOrderOfTheReasons) {
  for (size_t i = 0; i < kReasons.size(); ++i) EXPECT_EQ(static_cast<size_t>(kReasons[i].reason), i);
}

TEST(ReasonTest, OtherMessagesAreNoInterruption) {
  for (const char* message : {"", "on the black list", "backward raised: out of memory", "Crashed", "crash"})
    EXPECT_EQ(reason_of(message), Reason::kSkipped) << message;
  EXPECT_FALSE(cut_short(Reason::kSkipped));
  EXPECT_FALSE(cut_short(Reason::kNone));
}

}  // namespace
}  // namespace msprobe::outcome
