#include "dump/json_scan.h"

#include <gtest/gtest.h>

#include "dump/json_reader.h"
#include "dump/test_files.h"

namespace msprobe::dump {
namespace {

std::string error_in(const std::string& text) {
  return error_of([&] { read_json(text, "f"); });
}

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

}  // namespace
}  // namespace msprobe::dump
