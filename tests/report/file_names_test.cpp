// Every name as users know it (docs/formats.md), and read again.
#include "report/file_names.h"

#include <gtest/gtest.h>

namespace msprobe::report {
namespace {

constexpr const char* kTime = "20260102030405";

TEST(FileNamesTest, AreThoseOfTheGuide) {
  EXPECT_EQ(file_name("result", kTime), "accuracy_checking_result_20260102030405.csv");
  EXPECT_EQ(file_name("details", kTime), "accuracy_checking_details_20260102030405.csv");
  EXPECT_EQ(log_name(kTime), "accuracy_checking_20260102030405.log");
  EXPECT_EQ(compare_name("result", kTime), "api_precision_compare_result_20260102030405.csv");
  EXPECT_EQ(compare_name("details", kTime), "api_precision_compare_details_20260102030405.csv");
  EXPECT_EQ(error_folder_name(kTime), "ut_error_data20260102030405");
  EXPECT_EQ(shard_folder(3, 16), "shard_3_of_16");
}

TEST(FileNamesTest, SavedTensorsAreNamedAfterTheirPlace) {
  const std::pair<Saved, const char*> stems[] = {{Saved::kInput, "Torch.mul.0.forward.input."},
                                                 {Saved::kKeyword, "Torch.mul.0.forward.kwargs."},
                                                 {Saved::kGoldenOutput, "Torch.mul.0.forward.output.bench."},
                                                 {Saved::kDeviceOutput, "Torch.mul.0.forward.output.device."},
                                                 {Saved::kOutputGradient, "Torch.mul.0.backward.input."},
                                                 {Saved::kGoldenGradient, "Torch.mul.0.backward.output.bench."},
                                                 {Saved::kDeviceGradient, "Torch.mul.0.backward.output.device."}};
  for (const auto& [what, stem] : stems) EXPECT_EQ(saved_stem("Torch.mul.0", what), stem);
}

TEST(FileNamesTest, AreReadAgain) {
  EXPECT_EQ(timestamp_of(file_name("result", kTime)), kTime);
  for (const char* other :
       {"accuracy_checking_details_20260102030405.csv", "accuracy_checking_result_2026010203040.csv",
        "accuracy_checking_result_20260102030405.csv.1", "accuracy_checking_result_2026010203040x.csv",
        "x_accuracy_checking_result_20260102030405.csv", "accuracy_checking_result_", ""})
    EXPECT_EQ(timestamp_of(other), "") << other;
  int shard = -1, shards = -1;
  EXPECT_TRUE(parse_shard_folder(shard_folder(15, 16), shard, shards));
  EXPECT_EQ(shard, 15);
  EXPECT_EQ(shards, 16);
  EXPECT_FALSE(parse_shard_folder("shard_16_of_16", shard, shards));
}

TEST(FileNamesTest, DetailsAreKnownByTheirName) {
  for (const std::string& name : {file_name("details", kTime), std::string("accuracy_checking_details_npu.csv")})
    EXPECT_TRUE(is_details_name(name)) << name;
  for (const char* other :
       {"accuracy_checking_result_20260102030405.csv", "accuracy_checking_details_1.csv.tmp", "details_.csv"})
    EXPECT_FALSE(is_details_name(other)) << other;
}

TEST(FileNamesTest, AFolderAndANameMakeAPath) {
  EXPECT_EQ(joined("", "a.csv"), "a.csv");
  EXPECT_EQ(joined("out", "a.csv"), "out/a.csv");
  EXPECT_EQ(joined("out/", "a.csv"), "out/a.csv");
}

}  // namespace
}  // namespace msprobe::report
