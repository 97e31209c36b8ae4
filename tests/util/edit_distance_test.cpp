#include "util/edit_distance.h"

#include <gtest/gtest.h>

namespace msprobe::util {
namespace {

struct Distance {
  const char *a, *b;
  size_t expected;
};

// Counted by hand.
TEST(EditDistanceTest, CountsInsertionsDeletionsSubstitutionsAndSwaps) {
  for (const Distance& row :
       {Distance{"", "", 0}, Distance{"abc", "abc", 0}, Distance{"", "abc", 3}, Distance{"abc", "", 3},
        Distance{"kitten", "sitting", 3}, Distance{"saturday", "sunday", 3}, Distance{"ab", "ba", 1},
        Distance{"white_lsit", "white_list", 1}, Distance{"ca", "abc", 3}, Distance{"out_pth", "out_path", 1}})
    EXPECT_EQ(edit_distance(row.a, row.b), row.expected) << row.a << " " << row.b;
}

TEST(EditDistanceTest, StopsAtTheLimit) {
  EXPECT_EQ(edit_distance("aaaaaaaa", "bbbbbbbb", 2), 3u);
  EXPECT_EQ(edit_distance("a", "abcdefgh", 2), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting", 3), 3u);
}

TEST(NearestTest, FindsWhatWasMeantAndNothingElse) {
  const std::vector<std::string> known = {"white_list", "black_list", "precision", "seed",
                                          "out_path",   "conv1d",     "conv2d"};
  EXPECT_EQ(nearest("white_lst", known), "white_list");
  EXPECT_EQ(nearest("White-List", known), "white_list");
  EXPECT_EQ(nearest("percision", known), "precision");
  EXPECT_EQ(nearest("sed", known), "seed");
  EXPECT_EQ(nearest("conv3d", known), "conv1d");  // the first of equals
  EXPECT_EQ(nearest("timeout", known), std::nullopt);
  EXPECT_EQ(nearest("", known), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

TEST(NearestTest, IsReadyToBePutBehindAMessage) {
  EXPECT_EQ(did_you_mean("--out_pth", {"--out_path"}), ", did you mean --out_path?");
  EXPECT_EQ(did_you_mean("zzzzzz", {"--out_path"}), "");
}

}  // namespace
}  // namespace msprobe::util
