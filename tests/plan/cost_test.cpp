// Families of cost, as config/signatures.yaml names them.
#include "plan/cost.h"

#include <gtest/gtest.h>

#include "config/api_facts.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace msprobe::plan {
namespace {

TEST(Cost, FamiliesOfTheFileAreKnown) {
  int named = 0;
  for (const auto& [name, facts] : config::load_api_facts(MSPROBE_CONFIG_DIR "/signatures.yaml")) {
    if (facts.cost.empty()) continue;
    ++named;
  }
  EXPECT_GE(named, 50);
  require_known_families(config::load_api_facts(MSPROBE_CONFIG_DIR "/signatures.yaml"));
}

TEST(Cost, AnUnknownFamilyIsToldWithItsPlace) {
  const support::TempFolder folder;
  const std::string file = folder.write("signatures.yaml", "conv2d: {cost: convolution}\nmm: {cost: produkt}\n");
  EXPECT_EQ(
      support::error_of([&] { require_known_families(config::load_api_facts(file)); }),
      file + ":2: mm: no family of cost is called produkt; take one of those that the installed signatures.yaml lists");
}

}  // namespace
}  // namespace msprobe::plan
