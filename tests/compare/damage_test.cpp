// Damaged files: every truncation, changed bytes, noise. Each gives an outcome or a message that names the file.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <random>

#include "compare/support.h"

namespace msprobe::compare::testing {
namespace {

const std::string kNpu = kData + "/resaved/npu/accuracy_checking_details_20260102030405.csv";
const std::string kGpu = kData + "/resaved/gpu/accuracy_checking_details_20260102030405.csv";

class DamageTest : public ::testing::Test {
 protected:
  DamageTest() : level_(spdlog::get_level()) { spdlog::set_level(spdlog::level::off); }  // thousands of warnings
  ~DamageTest() override { spdlog::set_level(level_); }
  /// Compares with `text` on one side; true when there was an outcome.
  bool compare(const std::string& text, bool as_npu) {
    const fs::path damaged = folder_ / "damaged.csv";
    write(damaged, text);
    fs::remove_all(folder_ / "out");
    try {
      const CompareReport report =
          run(options(as_npu ? damaged : fs::path(kNpu), as_npu ? fs::path(kGpu) : damaged, folder_ / "out"));
      EXPECT_EQ(support::entries(folder_ / "out"), 2u);
      const auto details = rows_of(report.details_path), results = rows_of(report.result_path);
      int64_t rows = 0;
      for (const int64_t count : report.rows) rows += count;
      EXPECT_EQ(static_cast<int64_t>(details.size()), rows);
      EXPECT_EQ(static_cast<int64_t>(results.size()), report.apis.total);
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find(damaged.string()), 0u) << error.what();
      EXPECT_EQ(support::entries(folder_ / "out"), 0u) << error.what();
      return false;
    }
  }
  TempFolder folder_;
  spdlog::level::level_enum level_;
};

TEST_F(DamageTest, EveryTruncationIsReadOrRefused) {
  for (const bool as_npu : {true, false}) {
    const std::string whole = content(as_npu ? kNpu : kGpu);
    const size_t header = whole.find('\n');
    size_t read = 0;
    for (size_t length = 0; length <= whole.size(); ++length) {
      const bool outcome = compare(whole.substr(0, length), as_npu);
      read += outcome;
      // A header cut before its last needed column is refused.
      if (length < header - std::string("占比,Status,Message").size()) {
        EXPECT_FALSE(outcome) << length;
      }
      if (length == whole.size()) {
        EXPECT_TRUE(outcome);
      }
    }
    // What is read ends behind the last figure of a row; Status and Message may be cut.
    EXPECT_GT(read, 40u);
    EXPECT_LT(read, (whole.size() - header) / 3);
  }
}

TEST_F(DamageTest, ChangedBytesAreReadOrRefused) {
  std::mt19937 random(11);
  for (int i = 0; i < 600; ++i) {
    const bool as_npu = random() % 2;
    std::string text = content(as_npu ? kNpu : kGpu);
    for (size_t changes = 1 + random() % 4; changes > 0; --changes) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.insert(at, 1, "\",;\r\n\t\0\xFF"[random() % 8]);
          break;
        default:
          text.erase(at, 1 + random() % 8);
      }
    }
    compare(text, as_npu);
  }
}

TEST_F(DamageTest, NoiseIsRefused) {
  std::mt19937 random(12);
  for (int i = 0; i < 200; ++i) {
    std::string text(random() % 4000, '\0');
    for (char& c : text) c = static_cast<char>(random());
    EXPECT_FALSE(compare(text, i % 2 == 0));
  }
}

TEST_F(DamageTest, NoiseBehindAGoodHeaderIsReadOrRefused) {
  std::mt19937 random(13);
  const std::string whole = content(kNpu);
  const std::string header = whole.substr(0, whole.find('\n') + 1);
  constexpr std::string_view kPieces[] = {"Torch.exp.0.forward.output.0",
                                          ",",
                                          "\n",
                                          "\"",
                                          "torch.float16",
                                          "1e",
                                          "nan",
                                          "inf",
                                          ".",
                                          "\r",
                                          ";",
                                          " ",
                                          "-",
                                          "0",
                                          "SKIP",
                                          "(0,)",
                                          "输出",
                                          "\xE8",
                                          "=",
                                          "backward"};
  for (int i = 0; i < 250; ++i) {
    std::string text = header;
    for (size_t pieces = random() % 200; pieces > 0; --pieces) text += kPieces[random() % std::size(kPieces)];
    compare(text, i % 2 == 0);
  }
}

}  // namespace
}  // namespace msprobe::compare::testing
