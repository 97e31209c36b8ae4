#include "compare/registry.h"

#include "compare/details.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <random>
#include <set>

#include "compare/support.h"

namespace msprobe::compare::testing {
namespace {

using config::Algorithm;

TEST(RegistryTest, EveryAlgorithmOfTheStandardsIsThere) {
  for (const Algorithm algorithm : {Algorithm::kBenchmark, Algorithm::kAbsolute, Algorithm::kBinary, Algorithm::kUlp,
                                    Algorithm::kThousandth, Algorithm::kAccumulative})
    EXPECT_EQ(standard(algorithm).name, config::algorithm_name(algorithm));
  EXPECT_EQ(standards().size(), 6u);
}

TEST(RegistryTest, EveryFileThatRegistersIsLinked) {
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(MSPROBE_SOURCE_DIR "/src/compare"))
    if (entry.path().extension() == ".cpp")
      files += content(entry.path()).find("\nMSPROBE_STANDARD(") != std::string::npos;
  EXPECT_EQ(files, standards().size());
}

TEST(RegistryTest, RequiredColumnsAreThoseThatMindStudioRequires) {
  const std::set<std::string> expected = {
      "API Name",       "DEVICE Dtype",  "小值域错误占比",      "均方根误差",    "相对误差最大值",
      "相对误差平均值", "误差均衡性",    "二进制一致错误率",    "inf/nan错误率", "相对误差错误率",
      "绝对误差错误率", "ULP误差平均值", "ULP误差大于阈值占比", "双千指标"};
  const std::vector<std::string> columns = required_columns();
  EXPECT_EQ(std::set<std::string>(columns.begin(), columns.end()), expected);
}

TEST(RegistryTest, JudgesWriteTheirOwnColumnsAlone) {
  const config::Standards limits = config::load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  std::mt19937 random(3);
  const double values[] = {
      0, 1, 0.5, 1e-9, 100, -2, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  for (const Standard& one : standards()) {
    std::set<Column> written;
    for (int i = 0; i < 500; ++i) {
      Figures sides[2];
      for (Figures& side : sides)
        for (const outcome::Figure figure : needed_figures())
          side.set(figure, {CellKind::kNumber, values[random() % std::size(values)]});
      const DtypeClass dtype = static_cast<DtypeClass>(random() % 3);
      const Subject subject = {sides[0], sides[1], "torch.float32", dtype, static_cast<int>(random() % 3),
                               0x1p-14,  limits};
      Judgement judgement;
      one.judge(subject, judgement);
      for (size_t c = 0; c < kColumnCount; ++c)
        if (judgement[static_cast<Column>(c)].kind != Judgement::Cell::Kind::kBlank)
          written.insert(static_cast<Column>(c));
      bool failed = false;
      for (const Finding& finding : judgement.findings) failed |= finding.failed();
      EXPECT_EQ(judgement.status, failed ? outcome::Status::kError : outcome::Status::kPass) << one.name;
    }
    EXPECT_EQ(written, std::set<Column>(one.writes.begin(), one.writes.end())) << one.name;
  }
}

}  // namespace
}  // namespace msprobe::compare::testing
