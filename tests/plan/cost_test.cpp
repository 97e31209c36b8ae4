// Families of cost, as config/signatures.yaml names them.
#include "plan/cost.h"

#include <gtest/gtest.h>

#include "config/api_facts.h"

namespace msprobe::plan {
namespace {

TEST(Cost, FamiliesOfTheFileAreKnown) {
  int named = 0;
  for (const auto& [name, facts] : config::load_api_facts(MSPROBE_CONFIG_DIR "/signatures.yaml")) {
    if (facts.cost.empty()) continue;
    ++named;
    EXPECT_TRUE(is_cost_family(facts.cost)) << facts.where << ": " << name << ": " << facts.cost;
  }
  EXPECT_GE(named, 50);
}

}  // namespace
}  // namespace msprobe::plan
