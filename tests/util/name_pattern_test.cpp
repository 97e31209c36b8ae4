#include "util/name_pattern.h"

#include <gtest/gtest.h>

#include <string>

#include "support/error_of.h"

namespace msprobe::util {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string error_of(const std::string& pattern) {
  return support::error_of([&] { NamePattern{pattern}; });
}

TEST(NamePatternTest, FindsWhatEcmaScriptFinds) {
  struct Case {
    const char *pattern, *name;
    bool found;
  };
  for (const Case& c : {Case{"mul", "Torch.mul.0", true}, Case{"^mul", "Torch.mul.0", false},
                        Case{"^Torch\\.mul\\.0$", "Torch.mul.0", true}, Case{"add|m[tu]l", "Torch.mul.0", true},
                        Case{"\\d{2,3}$", "Torch.mul.0", false}, Case{"\\d{2,3}$", "Torch.mul.10", true},
                        Case{"^(?!Torch)", "Torch.mul.0", false}, Case{"^(?!Torch).*mul", "Tensor.mul_.0", true},
                        Case{"", "Torch.mul.0", true}, Case{"[[:upper:]]o", "Torch.mul.0", true},
                        Case{"a\\x0ab", "a\nb", true}, Case{"\\x1b", "a\x1b", true}})
    EXPECT_EQ(NamePattern(c.pattern).found_in(c.name), c.found) << c.pattern << " in " << c.name;
}

TEST(NamePatternTest, NoExpressionThatIsTakenHangsOrOverflows) {
  const std::string name(3000, 'a');
  for (const std::string& pattern :
       {std::string("(a+)+b"), std::string("(a|a)*b"), std::string("(a*)*(a*)*b"), std::string("(.*)*(.*)*x"),
        std::string("(a?){90}b"), repeated("a?", 490) + "b", repeated("(", 240) + "a" + repeated(")*", 240) + "b",
        repeated("(|)", 300) + "b", std::string("(?=.*x)b"), repeated("(?!x)", 160) + "b"}) {
    EXPECT_FALSE(NamePattern(pattern).found_in(name)) << pattern;  // one that hangs meets the time limit of ctest
  }
}

TEST(NamePatternTest, ALongNameDoesNotEndWhereItIsCut) {
  const std::string name = "Torch." + std::string(1000, 'a') + "b";
  EXPECT_TRUE(NamePattern("^Torch\\.a+").found_in(name));
  EXPECT_FALSE(NamePattern("a$").found_in(name));
}

TEST(NamePatternTest, RefusesWithTheReason) {
  constexpr const char* kNoExpression =
      "\" is not a regular expression; put \\ before a character such as ( [ * + that stands for itself";
  for (const char* broken : {"mul(", "mul)", "[a", "*a", "a{", "a{2,1}"})
    EXPECT_EQ(error_of(broken), std::string("\"") + broken + kNoExpression);
  EXPECT_EQ(
      error_of("(a)\\1"),
      "\"(a)\\1\" cannot be matched in good time, as back-references (\\1) never can; write out what is to be found");
  EXPECT_EQ(error_of(std::string(30000, '(')),
            "\"" + std::string(59, '(') +
                "…\" has 30000 characters, at most 1000 can be taken; a shorter part "
                "of a name finds it too");
  for (const std::string& counts : {std::string("(a{20}){20}"), std::string("a{99999999999999999999}"),
                                    std::string("(" + repeated("a?", 100) + "){20}")})
    EXPECT_NE(error_of(counts).find("counts {n} to more than can be matched in good time"), std::string::npos)
        << counts;
  EXPECT_EQ(
      error_of("(?=.*(?=b))"),
      "\"(?=.*(?=b))\" has a lookahead inside a lookahead, which cannot be matched in good time; put one behind the "
      "other");
  EXPECT_EQ(error_of("(?=a)(?=b)[(?=](?!c)\\(?="), "no error");
}

}  // namespace
}  // namespace msprobe::util
