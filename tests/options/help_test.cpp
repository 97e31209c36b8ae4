#include "options/help.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "util/utf8.h"

namespace msprobe::options {
namespace {

std::vector<std::string> pages() {
  std::vector<std::string> all = {help()};
  for (const CommandInfo& command : commands()) all.push_back(help(command.command));
  return all;
}

TEST(HelpTest, FitsAScreen) {
  for (const std::string& page : pages()) {
    EXPECT_LE(std::count(page.begin(), page.end(), '\n'), 50) << page;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  msprobe ")) {  // a command is to be copied in one piece
        EXPECT_LE(util::display_width(line), 80u) << line;
      }
    }
  }
}

TEST(HelpTest, ShowsEveryOptionWithItsDefault) {
  for (const CommandInfo& command : commands()) {
    const std::string page = help(command.command);
    for (const Option* option : options_of(command.command)) {
      const std::string_view name = option->aliases.empty() ? option->name : option->aliases[0];
      EXPECT_NE(page.find(option->positional ? option->value : name), std::string::npos) << option->name;
      EXPECT_NE(page.find(option->help), std::string::npos) << option->name;
      if (!option->initial.empty()) {
        EXPECT_NE(page.find(fmt::format("[{}]", option->initial)), std::string::npos) << option->name;
      }
    }
  }
}

TEST(HelpTest, NamesEverySubcommandAndExitCode) {
  for (const CommandInfo& command : commands()) {
    EXPECT_NE(help().find(command.name), std::string::npos);
    EXPECT_NE(help(command.command).find(command.usual), std::string::npos);
  }
  for (const char* code : {"\n  0   finished", "\n  1   finished, --fail-on", "\n  2   bad usage", "\n  3   could not",
                           "\n  130 interrupted"}) {
    EXPECT_NE(help(Command::kAccCheck).find(code), std::string::npos) << code;
  }
}

TEST(OptionsTest, SpellingsAreUniqueWithinASubcommand) {
  for (const CommandInfo& command : commands()) {
    std::vector<std::string_view> seen;
    for (const Option* option : options_of(command.command)) {
      std::vector<std::string_view> names = option->aliases;
      names.push_back(option->name);
      for (std::string_view name : names) {
        EXPECT_EQ(std::count(seen.begin(), seen.end(), name), 0) << name;
        seen.push_back(name);
      }
    }
  }
}

}  // namespace
}  // namespace msprobe::options
