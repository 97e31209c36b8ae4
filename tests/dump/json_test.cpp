#include <gtest/gtest.h>

#include <cmath>

#include "dump/json_reader.h"
#include "dump/json_scan.h"
#include "dump/test_files.h"
#include "util/text.h"

namespace msprobe::dump {
namespace {

std::string error_in(const std::string& text) {
  return error_of([&] { read_json(text, "f"); });
}

// ---- the walk
// --------------------------------------------------------------------------------------------------------

TEST(JsonScanTest, StopsBehindOneValue) {
  for (const std::string value : {"0",
                                  "-0",
                                  "12.5e-3",
                                  "1E+9",
                                  "NaN",
                                  "Infinity",
                                  "-Infinity",
                                  "true",
                                  "false",
                                  "null",
                                  "\"\"",
                                  "\"a\\\"b\\\\\"",
                                  "\"\\u00e9\\n\"",
                                  "[]",
                                  "{}",
                                  "[ ]",
                                  "{ }",
                                  "[1,[2,{\"a\":[]}]]",
                                  "{\"a\" : {\"b\":1 } , \"c\":[ \"}\", \"]\" ]}",
                                  "[[],{},[{}]]"}) {
    for (const std::string after : {"", " ", ",", "]", "\n}"}) {
      const std::string text = " \r\n\t" + value + after;
      JsonScanner scanner(text);
      scanner.skip_value();
      EXPECT_EQ(scanner.position(), 4 + value.size()) << text;
    }
  }
}

TEST(JsonScanTest, LongStringsAndIndentsEndWhereTheyEnd) {
  // Lengths around the eight bytes that are looked at together.
  for (size_t size = 0; size < 40; ++size) {
    const std::string text =
        std::string("[") + std::string(size, ' ') + "\"" + std::string(size, 'a') + "\xc3\xbf" + "\"]";
    JsonScanner scanner(text);
    scanner.skip_value();
    EXPECT_TRUE(scanner.at_end()) << size;
    const std::string control = std::string("\"") + std::string(size, 'a') + "\x1f\"";
    EXPECT_EQ(error_in(control), "f: not JSON at line 1, column " + std::to_string(size + 2) +
                                     ": found \"\\x1f\", expected no control character in a string");
  }
}

TEST(JsonScanTest, DepthCountsLevels) {
  const std::pair<const char*, size_t> rows[] = {{"1", 0}, {"[]", 1}, {"{\"a\":[1]}", 2}, {"[[],[[]],[]]", 3}};
  for (const auto& [text, depth] : rows) {
    JsonScanner scanner(text);
    scanner.skip_value();
    EXPECT_EQ(scanner.depth(), depth) << text;
  }
}

TEST(JsonScanTest, MillionsOfLevelsTakeABitEach) {
  const size_t levels = 5'000'000;
  std::string text = std::string(levels, '[') + std::string(levels, ']');
  const Budget budget;
  JsonScanner scanner(text);
  scanner.skip_value();
  EXPECT_TRUE(scanner.at_end());
  EXPECT_EQ(scanner.depth(), levels);
}

TEST(JsonScanTest, FaultsNamePlaceAndExpectation) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "line 1, column 1: the text ends, expected a value"},
      {"{\"a\":1,}", "line 1, column 8: found \"}\", expected a key in double quotes"},
      {"[1,]", "line 1, column 4: found \"]\", expected a value"},
      {"[1 2]", "line 1, column 4: found \"2\", expected \",\" or \"]\""},
      {"{\"a\":1 \"b\"}", "line 1, column 8: found \"\\\"\", expected \",\" or \"}\""},
      {"{\"a\" 1}", "line 1, column 6: found \"1\", expected \":\" after a key"},
      {"{a:1}", "line 1, column 2: found \"a\", expected a key in double quotes"},
      {"{\"a\":1]", "line 1, column 7: found \"]\", expected \",\" or \"}\""},
      {"[1}", "line 1, column 3: found \"}\", expected \",\" or \"]\""},
      {"[\n\n 1, x]", "line 3, column 5: found \"x\", expected a value"},
      {"01", "line 1, column 2: found \"1\", expected nothing behind the value"},
      {"-", "line 1, column 2: the text ends, expected a digit"},
      {"1.", "line 1, column 3: the text ends, expected a digit"},
      {".5", "line 1, column 1: found \".\", expected a value"},
      {"1e+", "line 1, column 4: the text ends, expected a digit"},
      {"+1", "line 1, column 1: found \"+\", expected a value"},
      {"-NaN", "line 1, column 2: found \"N\", expected a digit"},
      {"nan", "line 1, column 1: found \"nan\", expected NaN"},
      {"[1, nul]", "line 1, column 5: found \"nul\", expected null"},
      {"-Infinite", "line 1, column 2: found \"Infinite\", expected Infinity"},
      {"Inf", "line 1, column 4: the text ends, expected Infinity"},
      {"True", "line 1, column 1: found \"T\", expected a value"},
      {"\"a", "line 1, column 3: the text ends, expected the rest of a string"},
      {"\"\\x\"", "line 1, column 3: found \"x\", expected an escape sequence that JSON knows"},
      {"\"\\u12g4\"", "line 1, column 6: found \"g\", expected four hexadecimal digits after \\u"},
      {"\"\\", "line 1, column 3: the text ends, expected the rest of an escape sequence"},
      {"'a'", "line 1, column 1: found \"'\", expected a value"},
      {"1 1", "line 1, column 3: found \"1\", expected nothing behind the value"},
      {"// c\n1", "line 1, column 1: found \"/\", expected a value"},
  };
  for (const auto& [text, error] : rows) EXPECT_EQ(error_in(text), std::string("f: not JSON at ") + error);
  EXPECT_EQ(error_in(std::string("1\0", 2)),
            "f: not JSON at line 1, column 2: found \"\\x00\", expected nothing behind the value");
}

TEST(JsonScanTest, EveryTruncationOfAContainerIsAFault) {
  const std::string text =
      "{\"k\\n\": [1.5e3, -Infinity, NaN, \"\\ud83d\\ude00\", {}, [], true, null], \"z\": {\"y\": false}}";
  EXPECT_EQ(error_in(text), "no error");
  for (size_t size = 0; size < text.size(); ++size) {
    const std::string error = error_in(text.substr(0, size));
    EXPECT_EQ(error.find("f: not JSON at line 1, column " + std::to_string(size + 1) + ": the text ends, expected "),
              0u)
        << error;
  }
}

// ---- the tree
// --------------------------------------------------------------------------------------------------------

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

// ---- words for messages
// ----------------------------------------------------------------------------------------------

TEST(TextTest, QuotedFitsOnOneLine) {
  EXPECT_EQ(util::quoted("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(util::quoted("\n\r\t\x01\x7f\xff\xc3("), R"("\n\r\t\x01\x7f\xff\xc3(")");
  EXPECT_EQ(util::quoted("\u4e2d"), "\"\u4e2d\"");
  EXPECT_EQ(util::quoted("abcdef", 3), "\"abc...\"");
}

TEST(TextTest, PlacesCountFromOne) {
  EXPECT_EQ(util::line_and_column("", 0), "line 1, column 1");
  EXPECT_EQ(util::line_and_column("ab\ncd\n", 4), "line 2, column 2");
  EXPECT_EQ(util::line_and_column("ab\ncd\n", 6), "line 3, column 1");
  EXPECT_EQ(util::line_and_column("ab", 99), "line 1, column 3");
}

}  // namespace
}  // namespace msprobe::dump
