#include "dump/npy_reader.h"

#include <gtest/gtest.h>

#include "dump/test_files.h"

namespace msprobe::dump {
namespace {

std::string npy(const std::string& header, const std::string& elements, int version = 1) {
  return "\x93NUMPY" + little(static_cast<uint64_t>(version), 1) + std::string(1, '\0') +
         little(header.size(), version == 1 ? 2 : 4) + header + elements;
}

std::string outcome(std::string bytes) {
  const Budget budget;
  return error_of([&] { read_npy(bytes.data(), bytes.size(), nullptr, "f"); });
}

std::string header(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

const std::string kEight(8, 'x');

TEST(NpyReaderTest, TakesWhatOtherWritersWrite) {
  for (const char* text : {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }   \n",
                           "{\"shape\":(2L,),\"descr\":\"=f4\",\"fortran_order\":True}",
                           "{'fortran_order': False,'shape': (1, 2),'descr': '|f4'}"}) {
    EXPECT_EQ(outcome(npy(text, kEight)), "no error") << text;
    EXPECT_EQ(outcome(npy(text, kEight, 2)), "no error") << text;
  }
}

TEST(NpyReaderTest, RefusesWhatIsNotNumbers) {
  EXPECT_EQ(outcome(npy(header("'|O'", "(1,)"), kEight)),
            "f: is an array of Python objects, which is not read: it would run code");
  EXPECT_EQ(outcome(npy(header("[('a', '<f4'), ('b', '<i4')]", "(1,)"), kEight)),
            "f: is a structured array, expected numbers");
  for (const std::string descr : {"<U2", "|S8", "<M8[ns]", "<m8", "<V2", "<f16", "f4", "", "<"}) {
    const std::string quoted = '\'' + descr + '\'';
    EXPECT_EQ(outcome(npy(header(quoted, "(1,)"), kEight)),
              "f: is an array of dtype \"" + descr + "\", expected numbers or booleans");
  }
}

TEST(NpyReaderTest, SizesMustBeThoseOfTheFile) {
  const std::string needs = " are there; copy the file again, or dump again";
  EXPECT_EQ(outcome(npy(header("'<f4'", "(3,)"), kEight)), "f: its shape needs 12 bytes, 8" + needs);
  EXPECT_EQ(outcome(npy(header("'<f4'", "(1,)"), kEight)), "f: its shape needs 4 bytes, 8" + needs);
  EXPECT_EQ(outcome(npy(header("'<f4'", "(0, 9)"), kEight)), "f: its shape needs 0 bytes, 8" + needs);
  const std::string overflow = "f: its shape is larger than 64 bits can count";
  EXPECT_EQ(outcome(npy(header("'<f8'", "(4611686018427387904,)"), kEight)), overflow);
  EXPECT_EQ(outcome(npy(header("'<f8'", "(4294967296, 4294967296)"), kEight)), overflow);
  EXPECT_EQ(outcome(npy(header("'|u1'", "(0, 4611686018427387904, 4)"), "")), overflow);
  EXPECT_EQ(outcome(npy(header("'<f8'", "(99999999999999999999,)"), kEight)),
            "f: its .npy header has a size in its shape that 64 bits cannot hold (character 69)");
}

TEST(NpyReaderTest, HeaderIsChecked) {
  const std::string cut = "f: its .npy header is cut off; copy the file again, or dump again";
  EXPECT_EQ(outcome(std::string("\x93NUMPY\x02\0", 8) + little(0xFFFFFFFF, 4) + "{"), cut);
  EXPECT_EQ(outcome(std::string("\x93NUMPY\x01\0", 8)), cut);
  EXPECT_EQ(outcome(npy(std::string(70'000, ' '), "", 2)), "f: has a .npy header of 70000 bytes");
  EXPECT_EQ(outcome(npy("{}", "", 4)), "f: has .npy version 4, expected 1, 2 or 3");
  EXPECT_EQ(outcome(npy("{}", "")), "f: its .npy header lacks descr, fortran_order or shape (character 2)");
  EXPECT_EQ(outcome(npy("{'descr': '<f4', 'descr': '<f4'}", "")),
            "f: its .npy header has the key \"descr\" that it should not have, or not twice (character 25)");
  EXPECT_EQ(outcome(npy("{'x': 1}", "")),
            "f: its .npy header has the key \"x\" that it should not have, or not twice (character 5)");
  EXPECT_EQ(outcome(npy(header("'<f4'", "(-1,)"), "")),
            "f: its .npy header has a shape that is not made of sizes (character 51)");
  EXPECT_EQ(outcome(npy(header("'<f4'", "((1,),)"), "")),
            "f: its .npy header has a shape that is not made of sizes (character 51)");
  EXPECT_EQ(outcome(npy(header("'<f4'", "2"), "")), "f: its .npy header lacks '(' (character 50)");
  EXPECT_EQ(outcome(npy(header("'<f4'", "(2,)", "None"), "")),
            "f: its .npy header has a fortran_order that is neither True nor False (character 34)");
  EXPECT_EQ(outcome(npy(header("'<f4'", "(2,)") + "+ 1", "")),
            "f: its .npy header goes on behind its dict (character 57)");
  EXPECT_EQ(outcome(npy("{'descr", "")), "f: its .npy header holds a string that does not end (character 2)");
  EXPECT_EQ(outcome("NUMPY"), "f: is no .npy file: it begins with \"NUMPY\"");
}

}  // namespace
}  // namespace msprobe::dump
