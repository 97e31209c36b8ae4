// The options of the command line against the table of settings.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "config/declarations.h"
#include "options/options.h"

namespace msprobe::options {
namespace {

TEST(DeclaredOptionsTest, EveryOptionThatIsASettingIsDeclared) {
  std::set<std::string_view> settings;
  for (const Option& option : options()) {
    if (option.key.empty()) continue;
    settings.insert(option.key);
    const config::Declaration* setting = config::find_declaration(option.key);
    ASSERT_NE(setting, nullptr) << option.name;
    const bool quiet = option.name == "--quiet";  // the other way of --verbose
    EXPECT_EQ(setting->option, quiet ? "--verbose" : option.name);
  }
  for (const config::Declaration& setting : config::declarations())
    EXPECT_EQ(settings.contains(setting.key), !setting.option.empty()) << setting.key;
}

// What the help shows as a default is the one that the setting has.
TEST(DeclaredOptionsTest, TheHelpShowsTheDefaultOfTheSetting) {
  const std::set<std::string_view> found_at_run_time = {"--shard", "--device_type", "--num_splits"};
  for (const Option& option : options()) {
    if (option.key.empty() || option.initial.empty() || found_at_run_time.contains(option.name)) continue;
    const std::string shown = config::find_declaration(option.key)->show(config::Settings());
    EXPECT_EQ(option.initial.substr(0, option.initial.find(':')), shown) << option.name;
  }
}

}  // namespace
}  // namespace msprobe::options
