#include "dump/pickle_reader.h"

#include <gtest/gtest.h>

#include "dump/test_files.h"

namespace msprobe::dump {
namespace {

using namespace pickle;
using namespace std::string_literals;

/// The tree as Python would print it, two levels deep.
std::string words(const PickleNode& node, int depth = 0) {
  const auto items = [&] {
    std::string text;
    for (const PickleNode* item : node.items) {
      if (!text.empty()) text += ",";
      text += depth < 2 ? words(*item, depth + 1) : "..";
    }
    return text;
  };
  const auto between = [](const char* before, std::string_view text, const char* after) {
    return std::string(before).append(text).append(after);
  };
  switch (node.kind) {
    case PickleKind::kNone:
      return "None";
    case PickleKind::kBool:
      return node.boolean ? "True" : "False";
    case PickleKind::kInteger:
      return std::to_string(node.integer);
    case PickleKind::kLongInteger:
      return between("", std::to_string(node.text.size()), " bytes");
    case PickleKind::kReal:
      return std::to_string(node.real);
    case PickleKind::kText:
      return between("'", node.text, "'");
    case PickleKind::kBytes:
      return between("b'", node.text, "'");
    case PickleKind::kTuple:
      return between("(", items(), ")");
    case PickleKind::kList:
      return between("[", items(), "]");
    case PickleKind::kDict:
      return between("{", items(), "}");
    case PickleKind::kGlobal:
      return std::string(node.text).append(".").append(node.name);
    case PickleKind::kCall:
      return between("call(", items(), ")");
    case PickleKind::kPersistent:
      return between("id(", items(), ")");
  }
  return "?";
}

std::string read(const std::string& body) {
  const std::string bytes = whole(body);
  return words(*read_pickle(bytes, "f").root);
}

struct PickleRow {
  std::string body, words;
};

TEST(PickleReaderTest, EveryOpcodeMeansWhatPythonMeans) {
  // Bodies from pickletools: what CPython's pickler writes for these values, and what its unpickler makes of the rest.
  const std::string zero(1, '\0');
  const PickleRow rows[] = {
      {"N", "None"},
      {"\x88", "True"},
      {"\x89", "False"},
      {"K\xff", "255"},
      {"M\xff\xff", "65535"},
      {"J\xfe\xff\xff\xff", "-2"},
      {"\x8a"s + zero, "0"},
      {"\x8a\x01\xff", "-1"},
      {"\x8a\x02\xff"s + zero, "255"},
      {"\x8a\x09"s + std::string(8, '\xff') + zero, "9 bytes"},
      {"\x8b"s + little(2, 4) + zero + "\x80", "-32768"},
      {"G\xbf\xf8"s + std::string(6, '\0'), "-1.500000"},
      {"\x8c\x02"
       "ab",
       "'ab'"},
      {"X"s + little(2, 4) + "ab", "'ab'"},
      {"\x8d"s + little(2, 8) + "ab", "'ab'"},
      {"C\x02"
       "ab",
       "b'ab'"},
      {"B"s + little(2, 4) + "ab", "b'ab'"},
      {"NK\x01\x86", "(None,1)"},
      {"NNN\x87", "(None,None,None)"},
      {"(K\x01K\x02t", "(1,2)"},
      {")", "()"},
      {"](K\x01K\x02"
       "e",
       "[1,2]"},
      {"]K\x01"
       "a",
       "[1]"},
      {"}K\x01K\x02s", "{1,2}"},
      {"}(K\x01K\x02K\x03K\x04u", "{1,2,3,4}"},
      {"K\x01K\x02"
       "0",
       "1"},
      {"K\x01(K\x02K\x03"
       "1",
       "1"},
      {"K\x01"
       "2\x86",
       "(1,1)"},
      {"K\x07q\x05"
       "0h\x05",
       "7"},
      {"K\x07r"s + little(70000, 4) + "0j"s + little(70000, 4), "7"},
      {"K\x07\x94K\x08\x94"
       "h" +
           zero + "h\x01\x86",
       "(7,8)"},
      {"\x95"s + little(1, 8) + "N", "None"},
      {"cmod\nname\n", "mod.name"},
      {"\x8c\x03mod\x8c\x04name\x93", "mod.name"},
      {"cmod\nname\n(K\x01tR", "call(mod.name,(1))"},
      {"cmod\nname\n)\x81", "call(mod.name,())"},
      {"cmod\nname\n)RK\x01"
       "b",
       "call(mod.name,())"},
      {"K\x01Q", "id(1)"},
      // An object of a call swallows what is put into it.
      {"cmod\nname\n)RK\x01K\x02s", "call(mod.name,())"},
      // A list may contain itself.
      {"]q"s + zero + "h"s + zero + "a", "[[[..]]]"},
  };
  for (const PickleRow& row : rows) EXPECT_EQ(read(row.body), row.words) << row.words;
}

TEST(PickleReaderTest, StopsBehindThePickle) {
  const std::string bytes = whole("K\x01") + "more";
  const Pickle pickle = read_pickle(bytes, "f");
  EXPECT_EQ(pickle.size, bytes.size() - 4);
  EXPECT_EQ(pickle.root->integer, 1);
}

TEST(PickleReaderTest, ListsEveryGlobal) {
  const std::string bytes = whole("ca\nb\n0cc\nd\n");
  const Pickle pickle = read_pickle(bytes, "f");
  ASSERT_EQ(pickle.globals.size(), 2u);
  EXPECT_TRUE(pickle.globals[0]->is_global("a", "b"));
  EXPECT_TRUE(pickle.globals[1]->is_global("c", "d"));
}

}  // namespace
}  // namespace msprobe::dump
