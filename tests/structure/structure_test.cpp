// The house agrees with its plan. Each check is first shown a small tree with a fault, so that it is known to find one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "structure/pages.h"
#include "structure/rooms.h"
#include "support/temp_folder.h"

namespace msprobe::structure {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr size_t kLongest = 450;

/// A tree of files that is gone with the test.
class Tree {
 public:
  Tree& add(const std::string& name, const std::string& text) {
    folder_.write(name, text);
    return *this;
  }
  const fs::path& root() const { return folder_.path(); }

 private:
  support::TempFolder folder_;
};

const char* const kTwoRooms =
    "msprobe_room(low)  # msprobe_room(none)\nmsprobe_room(high TORCH ROOMS low LIBRARIES x::y)\n";

TEST(RoomsTest, AreThoseOfTheList) {
  Tree tree;
  tree.add("src/CMakeLists.txt", kTwoRooms);
  const std::vector<Room> found = rooms(tree.root());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "low");
  EXPECT_THAT(found[0].uses, IsEmpty());
  EXPECT_EQ(found[1].name, "high");
  EXPECT_THAT(found[1].uses, ElementsAre("low"));
}

TEST(RoomsTest, AnIncludeThatTheListDoesNotAllowIsAFault) {
  Tree tree;
  tree.add("src/CMakeLists.txt", kTwoRooms)
      .add("src/low/a.h", "#pragma once\n")
      .add("src/low/a.cpp", "#include \"low/a.h\"\n#include <high/b.h>\n\n#include \"high/b.h\"\n")
      .add("src/high/b.h", "#include \"low/a.h\"\n#include \"low/gone.h\"\n#include \"msprobe/plugin.h\"\n");
  EXPECT_THAT(
      misplaced_includes(tree.root()),
      UnorderedElementsAre("src/low/a.cpp:4: includes high/b.h, but room low may not use high (src/CMakeLists.txt)",
                           "src/high/b.h:2: low/gone.h is not there"));
}

TEST(RoomsTest, ARoomThatUsesALaterOneIsAFaultAndSoIsAFolderThatIsNoRoom) {
  Tree tree;
  tree.add("src/CMakeLists.txt", "msprobe_room(high ROOMS low)\nmsprobe_room(low)\n").add("src/attic/a.h", "");
  EXPECT_THAT(misplaced_includes(tree.root()),
              UnorderedElementsAre(
                  "src/CMakeLists.txt: room high uses low, which is not listed before it: a record travels one way",
                  "src/attic: is no room of src/CMakeLists.txt"));
}

TEST(RoomsTest, ATestMayUseWhatItsProgramLinks) {
  Tree tree;
  tree.add("src/CMakeLists.txt", kTwoRooms)
      .add("src/low/a.h", "")
      .add("src/high/b.h", "")
      .add("tests/CMakeLists.txt", "msprobe_room_test(high)\nmsprobe_room_test(low)\n")
      .add("tests/high/b_test.cpp", "#include \"high/b.h\"\n#include \"low/a.h\"\n#include \"high/help.h\"\n")
      .add("tests/high/help.h", "")
      .add("tests/low/a_test.cpp", "#include \"high/b.h\"\n")
      .add("tests/whole/CMakeLists.txt", "msprobe_link_rooms(whole_test low)\n")
      .add("tests/whole/whole_test.cpp", "#include \"low/a.h\"\n#include \"high/b.h\"\n");
  EXPECT_THAT(
      misplaced_test_includes(tree.root()),
      UnorderedElementsAre("tests/low/a_test.cpp:1: includes high/b.h, but its program does not link high",
                           "tests/whole/whole_test.cpp:2: includes high/b.h, but its program does not link high"));
}

TEST(RoomsTest, SourcesPickedByHandAreAFault) {
  Tree tree;
  tree.add("tests/odd/CMakeLists.txt",
           "# src/low is a room\nadd_executable(odd odd.cpp ${PROJECT_SOURCE_DIR}/src/low/a.cpp)\n");
  EXPECT_THAT(picked_sources(tree.root()),
              ElementsAre("tests/odd/CMakeLists.txt:2: src/low/a.cpp is picked by hand, link the room instead"));
}

TEST(RoomsTest, ARowOfThePageThatTheListDoesNotHaveIsAFault) {
  Tree tree;
  tree.add("src/CMakeLists.txt", kTwoRooms)
      .add("docs/development.md", "| `low` | text | none |\n| `high` | a | low |\n");
  EXPECT_THAT(differing_rows(tree.root()), IsEmpty());
  tree.add("docs/development.md", "| `low` | text | high |\n");
  EXPECT_THAT(differing_rows(tree.root()),
              ElementsAre("docs/development.md:1: the list has none", "docs/development.md: no row of room high"));
  tree.add("docs/development.md", "| `low` | text | none |\n\n| `attic` | a | low |\n");
  EXPECT_THAT(differing_rows(tree.root()), ElementsAre("docs/development.md:3: expected the row of high"));
}

TEST(RoomsTest, ALongFileIsAFault) {
  Tree tree;
  tree.add("src/low/a.cpp", "1\n2\n3\n").add("src/low/b.cpp", "1\n2\n");
  EXPECT_THAT(long_files(tree.root(), 2), ElementsAre("src/low/a.cpp:3: the file is longer than 2 lines"));
}

TEST(PagesTest, AnchorsAreThoseOfGitHub) {
  EXPECT_EQ(anchor_of("What is skipped"), "what-is-skipped");
  EXPECT_EQ(anchor_of("`dump.json`, an argument"), "dumpjson-an-argument");
  EXPECT_EQ(anchor_of("Status, in this order"), "status-in-this-order");
  EXPECT_EQ(anchor_of("precision_profile: `mindstudio`"), "precision_profile-mindstudio");
  EXPECT_EQ(anchor_of("第 1 步：准备（dump）"), "第-1-步准备dump");
  Tree tree;
  tree.add("p.md", "# One\n## Two [words](x.md)\n## One\n```\n# no heading\n```\n#no heading\n");
  EXPECT_THAT(anchors(tree.root() / "p.md"), UnorderedElementsAre("one", "two-words", "one-1"));
}

TEST(PagesTest, ACitedPageThatIsNotThereIsAFault) {
  Tree tree;
  tree.add("docs/a.md", "# There\n")
      .add("README.md", "# R\n")
      .add("src/low/a.h",
           "// docs/a.md, docs/a.md#there\n// a.md\n// docs/b.md#there\n// (docs/a.md#gone)\n// README.md\n");
  EXPECT_THAT(dead_citations(tree.root()),
              ElementsAre("src/low/a.h:2: a.md is not there", "src/low/a.h:3: docs/b.md#there is not there",
                          "src/low/a.h:4: docs/a.md#gone: the page has no such heading"));
}

TEST(PagesTest, ALinkThatLeadsNowhereIsAFault) {
  Tree tree;
  tree.add("docs/a.md", "# There\n[1](#there) [2](b.md) [3](#gone)\n```\n[4](no.md)\n```\n[5](https://x.org/y.md)\n")
      .add("README.md", "[6](docs/a.md#there) [7](docs/a.md#x)\n")
      .add("tests/data/README.md", "[8](../../docs/a.md#there) [9](../../docs/c.md)\n");
  EXPECT_THAT(dead_links(tree.root()), UnorderedElementsAre("docs/a.md:2: b.md is not there",
                                                            "docs/a.md:2: a.md#gone: the page has no such heading",
                                                            "README.md:1: docs/a.md#x: the page has no such heading",
                                                            "tests/data/README.md:1: ../../docs/c.md is not there"));
}

// ---- this house

const fs::path kHouse = MSPROBE_SOURCE_DIR;

TEST(HouseTest, EveryIncludeIsAllowed) {
  EXPECT_GE(rooms(kHouse).size(), 10u);
  EXPECT_THAT(misplaced_includes(kHouse), IsEmpty());
}

TEST(HouseTest, TestsUseWhatTheyLink) {
  EXPECT_THAT(misplaced_test_includes(kHouse), IsEmpty());
}

TEST(HouseTest, TheRoomsListAloneSaysWhatLinksWhat) {
  EXPECT_THAT(picked_sources(kHouse), IsEmpty());
}

TEST(HouseTest, ThePageTellsOfEveryRoom) {
  EXPECT_THAT(differing_rows(kHouse), IsEmpty());
}

TEST(HouseTest, FilesAreShort) {
  EXPECT_THAT(long_files(kHouse, kLongest), IsEmpty());
}

TEST(HouseTest, CitedPagesAreThere) {
  EXPECT_THAT(dead_citations(kHouse), IsEmpty());
}

TEST(HouseTest, LinksLeadSomewhere) {
  EXPECT_THAT(dead_links(kHouse), IsEmpty());
}

}  // namespace
}  // namespace msprobe::structure
