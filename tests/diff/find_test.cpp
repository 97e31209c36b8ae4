#include "diff/find.h"

#include <gtest/gtest.h>

#include "diff/support.h"
#include "support/error_of.h"

namespace msprobe::diff {
namespace {

namespace fs = std::filesystem;

const std::string kDetails = "accuracy_checking_details_20250101120000.csv",
                  kResult = "accuracy_checking_result_20250101120000.csv";

TEST(FindResultsTest, TakesEitherFileOrTheFolder) {
  const support::TempFolder folder;
  const std::string details = folder.write(kDetails, ""), result = folder.write(kResult, "");
  for (const std::string& given : {details, result, folder.string()}) {
    const auto found = find_results(given);
    ASSERT_EQ(found.size(), 1u) << given;
    EXPECT_EQ(found[0].details, details);
    EXPECT_EQ(found[0].result, result);
    EXPECT_EQ(found[0].place, "");
  }
}

TEST(FindResultsTest, TakesMindstudiosFilesWithoutATimestamp) {
  const support::TempFolder folder;
  const std::string details = folder.write("accuracy_checking_details.csv", "");
  const std::string result = folder.write("accuracy_checking_result.csv", "");
  EXPECT_EQ(find_results(result)[0].details, details);
}

TEST(FindResultsTest, SaysWhatIsMissing) {
  const support::TempFolder folder;
  const std::string path = folder.string(), lonely = folder.write("a/" + kResult, "");
  const auto error = [](const std::string& given) { return support::error_of([&] { find_results(given); }); };
  EXPECT_EQ(error(path + "/none"), path + "/none: no such file or folder; give a result file or its folder");
  EXPECT_EQ(error(lonely),
            lonely + ": " + kDetails + " is not beside it; copy it there: the details file holds the outputs");
  EXPECT_EQ(error(path + "/a"), path +
                                    "/a: holds no accuracy_checking_details_*.csv, nor step*/rank* folders that do; "
                                    "give the folder of -o, or the result file");
  folder.write("b/shard_0_of_2/" + kDetails, "");
  EXPECT_EQ(error(path + "/b"), path +
                                    "/b: holds no accuracy_checking_details_*.csv, nor step*/rank* folders that do; "
                                    "it holds parts of a run: join them first, msprobe merge " +
                                    path + "/b -o ./joined");
  folder.write("c/accuracy_checking_details_1.csv", "");
  folder.write("c/accuracy_checking_details_2.csv", "");
  EXPECT_EQ(error(path + "/c"), path +
                                    "/c: holds 2 results: accuracy_checking_details_1.csv, "
                                    "accuracy_checking_details_2.csv; name the details file that is meant");
}

TEST(PairUpTest, PairsRanksInNumericalOrderAndNamesThoseThatOneSideLacks) {
  const support::TempFolder folder;
  for (const char* place : {"old/step0/rank0", "old/step0/rank2", "old/step0/rank10", "new/step0/rank10",
                            "new/step0/rank2", "new/step1/rank0"})
    folder.write(fs::path(place) / kDetails, "");
  const Paired paired = pair_up(folder / "old", folder / "new");
  ASSERT_EQ(paired.pairs.size(), 2u);
  EXPECT_EQ(paired.pairs[0].first.place, "step0/rank2");
  EXPECT_EQ(paired.pairs[0].second.details, folder / "new/step0/rank2" / kDetails);
  EXPECT_EQ(paired.pairs[1].second.place, "step0/rank10");
  EXPECT_EQ(paired.only_old, testing::Cells{"step0/rank0"});
  EXPECT_EQ(paired.only_new, testing::Cells{"step1/rank0"});
}

TEST(PairUpTest, ATreeAndASingleResultAreNoPair) {
  const support::TempFolder folder;
  folder.write("old/step0/rank0/" + kDetails, "");
  folder.write("old/step0/rank1/" + kDetails, "");
  folder.write("new/" + kDetails, "");
  const std::string old_path = folder / "old", new_path = folder / "new";
  const std::string expected = old_path +
                               ": holds 2 results by step and rank, the other is a single one; give the folder "
                               "of one rank, as " +
                               old_path + "/step0/rank0";
  EXPECT_EQ(support::error_of([&] { pair_up(old_path, new_path); }), expected);
  EXPECT_EQ(support::error_of([&] { pair_up(new_path, old_path); }), expected);
}

}  // namespace
}  // namespace msprobe::diff
