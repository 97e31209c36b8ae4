#include "dump/json_reader.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/error_of.h"

namespace msprobe::dump {
namespace {

using support::error_of;

TEST(JsonReaderTest, NumbersAreExact) {
  const auto real = [](const char* text) {
    const JsonValue value = read_json(text, "f");
    EXPECT_TRUE(value.is(JsonKind::kReal)) << text;
    return value.real;
  };
  EXPECT_EQ(real("0.1"), 0.1);
  EXPECT_EQ(real("-0.0"), 0.0);
  EXPECT_TRUE(std::signbit(real("-0.0")));
  EXPECT_EQ(real("9.223372036854776e18"), 9223372036854775808.0);
  EXPECT_EQ(real("1.7976931348623157e308"), 1.7976931348623157e308);
  EXPECT_EQ(real("5e-324"), 4.9406564584124654e-324);
  EXPECT_EQ(real("2.2250738585072011e-308"), 0x0.fffffffffffffp-1022);  // just below the smallest normal number
  EXPECT_EQ(real("1e-400"), 0.0);
  // As in Python; RapidJSON alone refuses them.
  EXPECT_EQ(real("1e400"), INFINITY);
  EXPECT_EQ(real("-1e400"), -INFINITY);
  EXPECT_EQ(real("1E+309"), INFINITY);
  EXPECT_EQ(real("123.5e999999999999"), INFINITY);
  EXPECT_EQ(real("0e999999999999"), 0.0);
  EXPECT_EQ(real("-Infinity"), -INFINITY);
  EXPECT_TRUE(std::isnan(real("NaN")));
  const JsonValue mixed = read_json("[1e400, \"1e400 \\\" -1e400\", -1e400, 7, 1e5]", "f");
  EXPECT_EQ(mixed.items[0].real, INFINITY);
  EXPECT_EQ(mixed.items[1].text, "1e400 \" -1e400");
  EXPECT_EQ(mixed.items[2].real, -INFINITY);
  EXPECT_EQ(mixed.items[3].integer, 7);
  EXPECT_EQ(mixed.items[4].real, 1e5);
}

TEST(JsonReaderTest, IntegersKeepAllDigits) {
  EXPECT_EQ(read_json("9223372036854775807", "f").integer, INT64_MAX);
  EXPECT_EQ(read_json("-9223372036854775808", "f").integer, INT64_MIN);
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "18446744073709551616",
                           "123456789012345678901234567890123456789012345678901234567890"}) {
    const JsonValue value = read_json(text, "f");
    EXPECT_TRUE(value.is(JsonKind::kBigInteger));
    EXPECT_EQ(value.text, text);
  }
  EXPECT_EQ(read_json(std::string(400, '9'), "f").real, INFINITY);
}

TEST(JsonReaderTest, EscapesBecomeUtf8) {
  const std::pair<const char*, std::string> rows[] = {
      {R"("\u0041\u00e9\u4e2d\ud83d\ude00")", "A\u00e9\u4e2d\U0001F600"},
      {R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
      {R"("a\u0000b")", std::string("a\0b", 3)},
      // Half a pair is no character.
      {R"("\ud800")", "\uFFFD"},
      {R"("\udc00x")", "\uFFFDx"},
      {R"("\ud800\ud800\udc00")", "\uFFFD\U00010000"},
      {R"("\ud83d\n")", "\uFFFD\n"},
      {R"("\uD83D\uDE00\uDE00")", "\U0001F600\uFFFD"},
      {R"("\\ud800")", "\\ud800"},
      {R"("\ud83d\\ude00")", "\uFFFD\\ude00"},
  };
  for (const auto& [json, text] : rows) EXPECT_EQ(read_json(json, "f").text, text) << json;
  EXPECT_EQ(read_json(R"({"\ud800": 1})", "f").keys[0], "\uFFFD");
}

TEST(JsonReaderTest, LastOfEqualKeysCounts) {
  const JsonValue value = read_json(R"({"a": 1, "b": 2, "a": 3})", "f");
  EXPECT_EQ(value.find("a")->integer, 3);
  EXPECT_EQ(value.find("b")->integer, 2);
  EXPECT_EQ(value.find("c"), nullptr);
}

TEST(JsonReaderTest, LimitsAreSaid) {
  JsonLimits limits;
  limits.depth = 2;
  EXPECT_EQ(error_of([&] { read_json("[[]]", "f", limits); }), "no error");
  EXPECT_EQ(error_of([&] { read_json("[[[]]]", "f", limits); }),
            "f: is nested 3 levels deep, more than the limit of 2");
  limits.bytes = 4;
  EXPECT_EQ(error_of([&] { read_json("[   ]", "f", limits); }), "f: is 5 bytes of JSON, more than the limit of 4");
  limits.bytes = 100;
  limits.values = 3;
  EXPECT_EQ(error_of([&] { read_json("[1,2]", "f", limits); }), "no error");
  EXPECT_EQ(error_of([&] { read_json("[1,2,3]", "f", limits); }), "f: holds more JSON values than the limit of 3");
}

TEST(JsonReaderTest, TextIsOneLineAndCut) {
  const JsonValue value =
      read_json("{\"a\": [1, -2.5,\n NaN, -Infinity, null, true, 99999999999999999999], \"b\\n\": {\"c\": []}}", "f");
  const std::string whole =
      R"({"a": [1, -2.5, NaN, -Infinity, null, true, 99999999999999999999], "b\u000a": {"c": []}})";
  EXPECT_EQ(json_text(value, 200), whole);
  EXPECT_EQ(json_text(value, 9), whole.substr(0, 9) + "...");
  EXPECT_EQ(json_text(read_json("\"\u4e2d\u4e2d\u4e2d\"", "f"), 5), "\"\u4e2d...");
}

}  // namespace
}  // namespace msprobe::dump
