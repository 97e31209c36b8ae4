#include "util/style.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <deque>
#include <string_view>
#include <utility>

#include "support/variable.h"

namespace msprobe::util {
namespace {

/// The variables that style.h looks at: these alone are set.
class Environment {
 public:
  Environment(std::initializer_list<std::pair<std::string_view, const char*>> values) {
    for (const char* name : {"NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "TERM", "COLUMNS"}) {
      const char* value = nullptr;
      for (const auto& [set, to] : values)
        if (set == name) value = to;
      variables_.emplace_back(name, value);
    }
  }

 private:
  std::deque<support::Variable> variables_;
};

class StyleTest : public testing::Test {
 protected:
  void SetUp() override {
    winsize size{24, 132, 0, 0};
    ASSERT_EQ(openpty(&master_, &terminal_, nullptr, nullptr, &size), 0);
    file_ = open("/dev/null", O_WRONLY);
  }
  void TearDown() override {
    close(master_);
    close(terminal_);
    close(file_);
  }
  int master_ = -1, terminal_ = -1, file_ = -1;
};

TEST_F(StyleTest, ColourIsForTerminals) {
  Environment e({{"TERM", "xterm"}});
  EXPECT_TRUE(wants_colour(terminal_));
  EXPECT_FALSE(wants_colour(file_));
}

TEST_F(StyleTest, DumbTerminalsGetNone) {
  for (const char* term : {"dumb", ""}) {
    Environment e({{"TERM", term}});
    EXPECT_FALSE(wants_colour(terminal_));
    EXPECT_FALSE(is_live_terminal(terminal_));
  }
}

TEST_F(StyleTest, NoColorWinsAndForceWorksOnFiles) {
  {
    Environment e({{"TERM", "xterm"}, {"NO_COLOR", "1"}, {"CLICOLOR_FORCE", "1"}});
    EXPECT_FALSE(wants_colour(terminal_));
    EXPECT_TRUE(is_live_terminal(terminal_));  // progress is not colour
  }
  {
    Environment e({{"TERM", "xterm"}, {"NO_COLOR", ""}});
    EXPECT_TRUE(wants_colour(terminal_));
  }
  for (const char* name : {"CLICOLOR_FORCE", "FORCE_COLOR"}) {
    Environment on({{name, "1"}});
    EXPECT_TRUE(wants_colour(file_));
    Environment off({{name, "0"}});
    EXPECT_FALSE(wants_colour(file_));
  }
}

TEST_F(StyleTest, WidthComesFromTheTerminalThenFromColumns) {
  Environment e({{"COLUMNS", "100"}});
  EXPECT_EQ(terminal_width(terminal_), 132u);
  EXPECT_EQ(terminal_width(file_), 100u);
  setenv("COLUMNS", "nonsense", 1);
  EXPECT_EQ(terminal_width(file_), 80u);
}

TEST(StyleCodesTest, AreEmptyWithoutColour) {
  EXPECT_EQ(Style(false).red(), "");
  EXPECT_EQ(Style(true).red(), "\x1b[31m");
}

}  // namespace
}  // namespace msprobe::util
