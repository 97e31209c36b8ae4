// msprobe overview, and what check's screens say of places and beginnings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/program.h"

namespace msprobe::cli {
namespace {

namespace fs = std::filesystem;
using support::Outcome;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kLine =
    "first inf: Tensor.__mul__.1 (train.py:13, blocks.1.attn): inputs up to 1.77344 and 1e+08, output inf\n";
constexpr const char* kPlace =
    "train.py:13 in forward  scores = torch.matmul(q * gain, k.transpose(-1, -2))   blocks.1.attn\n";

class OverviewTest : public support::ProgramFixture {
 protected:
  OverviewTest() { fs::copy(MSPROBE_TEST_DATA "/ranks", folder_ / "ranks", fs::copy_options::recursive); }
  const std::string dump_ = "ranks/step1/rank1/dump.json";
};

TEST_F(OverviewTest, OfOneDump) {
  const Outcome outcome = msprobe("overview " + dump_ + " --only '__mul__|softmax'");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr(dump_ + ": statistics, level mix, 4 APIs forward, 4 backward\n" + kLine));
  EXPECT_THAT(outcome.out, HasSubstr("Tensor.__mul__.1      -1.7207 .. 1e+08     -inf .. inf            inf      " +
                                     std::string(kPlace)));
  EXPECT_THAT(outcome.out, HasSubstr("Functional.softmax.0  -3.30859 .. 3.80273  0.0013628 .. 0.760254  3.86719"));
}

TEST_F(OverviewTest, MoreAndLess) {
  const Outcome brief = msprobe("overview -q " + dump_);
  EXPECT_EQ(std::count(brief.out.begin(), brief.out.end(), '\n'), 4);  // head, line, forward, backward
  const Outcome more = msprobe("overview -v --only __mul__ --except 'mul__.0' " + dump_);
  EXPECT_THAT(more.out, HasSubstr("  input.0         torch.float16 (2, 4, 12, 8)  -1.7207 .. 1.77344  15.7734\n"));
  EXPECT_THAT(more.out, HasSubstr("  input.1         number                       1e+08\n"));
  EXPECT_THAT(more.out, Not(HasSubstr("__mul__.0")));
}

TEST_F(OverviewTest, OfAllDumpsBelowAFolder) {
  fs::create_directories(folder_ / "ranks/step10/rank0");
  fs::create_directories(folder_ / "ranks/step2/rank");
  fs::copy(folder_ / dump_, folder_ / "ranks/step10/rank0");
  fs::copy(folder_ / dump_, folder_ / "ranks/step2/rank");
  const Outcome outcome = msprobe("overview ranks -q");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> order{"ranks/step1/rank0/dump.json: ", "ranks/step1/rank1/dump.json: ",
                                       "ranks/step2/rank/dump.json: ", "ranks/step10/rank0/dump.json: "};
  size_t at = 0;
  for (const std::string& dump : order) {
    const size_t found = outcome.out.find(dump);
    ASSERT_NE(found, std::string::npos) << dump << outcome.out;
    EXPECT_GE(found, at);
    at = found;
  }
  folder_.write("ranks/step2/rank/dump.json", "{");
  const Outcome broken = msprobe("overview ranks -q");
  EXPECT_EQ(broken.code, 3);
  EXPECT_THAT(broken.err, HasSubstr("msprobe: error: ranks/step2/rank/dump.json"));
  EXPECT_THAT(broken.out, HasSubstr("ranks/step10/rank0/dump.json: "));
}

TEST_F(OverviewTest, BadInput) {
  EXPECT_EQ(msprobe("overview").code, 2);
  EXPECT_EQ(msprobe("overview nowhere.json").code, 2);
  fs::create_directories(folder_ / "empty");
  const Outcome empty = msprobe("overview empty");
  EXPECT_EQ(empty.code, 2);
  EXPECT_THAT(empty.err, HasSubstr("empty: holds no step*/rank*/dump.json"));
  EXPECT_EQ(msprobe("overview " + dump_ + " --only '('").code, 2);
}

TEST_F(OverviewTest, AListShowsPlacesBehindEverythingElse) {
  const std::string arguments = "acc_check -api_info " + dump_ + " --device_type cpu --list --only 'Tensor.__mul__'";
  const Outcome with = msprobe(arguments);
  EXPECT_EQ(with.code, 0) << with.err;
  EXPECT_THAT(with.out, HasSubstr("Tensor.__mul__.1  torch.float16  (2, 4, 12, 8)  aten::mul.Tensor, backward  " +
                                  std::string(kPlace)));
  fs::remove(folder_ / "ranks/step1/rank1/stack.json");
  fs::remove(folder_ / "ranks/step1/rank1/construct.json");
  EXPECT_THAT(msprobe(arguments).out,
              HasSubstr("Tensor.__mul__.1  torch.float16  (2, 4, 12, 8)  aten::mul.Tensor, backward\n"));
}

TEST_F(OverviewTest, ACheckTellsTheBeginningAndWithVPlaces) {
  const std::string arguments = "acc_check -api_info " + dump_ + " --device_type cpu --only 'Tensor.__mul__.1' -o ";
  const Outcome plain = msprobe(arguments + "plain");
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_THAT(plain.out, HasSubstr(std::string("\n") + kLine));
  EXPECT_THAT(support::content(only_file("plain", "accuracy_checking_2")), Not(HasSubstr("train.py")));
  const Outcome verbose = msprobe(arguments + "verbose -v");
  EXPECT_THAT(verbose.err, HasSubstr(" s  " + std::string(kPlace)));
  EXPECT_THAT(msprobe(arguments + "quiet -q").out, Not(HasSubstr("first inf")));
}

TEST_F(OverviewTest, FilesOfPlacesAreOpenedForPlacesAlone) {
  // Both would be a warning if they were looked into.
  folder_.write("ranks/step1/rank0/stack.json", "no JSON");
  folder_.write("ranks/step1/rank0/construct.json", "no JSON");
  const std::string arguments =
      "acc_check -api_info ranks/step1/rank0/dump.json --device_type cpu --only 'Tensor.__mul__.1' -o ";
  const Outcome outcome = msprobe(arguments + "plain");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("stack.json")));
  const Outcome verbose = msprobe(arguments + "verbose -v");
  EXPECT_EQ(verbose.code, 0);
  EXPECT_THAT(verbose.err, HasSubstr("ranks/step1/rank0/stack.json"));
  EXPECT_THAT(verbose.err, HasSubstr("ranks/step1/rank0/construct.json"));
}

}  // namespace
}  // namespace msprobe::cli
