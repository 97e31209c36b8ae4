#include "compare/columns.h"
#include "compare/judged.h"

namespace msprobe::compare::testing {
namespace {

TEST(AccumulativeTest, JudgesErrorRatesAndBalanceOfListedApis) {
  TempFolder folder;
  std::string standards = content(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
  const std::string none = "累积误差比对法: []";
  ASSERT_NE(standards.find(none), std::string::npos);
  standards.replace(standards.find(none), none.size(), "累积误差比对法: [cumsum]");
  write(folder / "standards.yaml", standards);
  struct Case {
    const char* dtype;
    double balance;
    const char *rate, *verdict, *message;
  };
  const Case cases[] = {
      {"torch.float16", 0x1p-20, "0", "pass", ""},
      {"torch.float16", above(0x1p-20), "0", "error", "误差均衡性 9.536743164062502e-07 > 9.53674e-07"},
      {"torch.bfloat16", 0x1p-7, "0", "pass", ""},
      {"torch.bfloat16", above(0x1p-7), "0", "error", "误差均衡性 0.007812500000000002 > 0.0078125"},
      {"torch.float32", 0x1p-14, "0", "pass", ""},
      {"torch.float32", 0.5, "0", "error", "误差均衡性 0.5 > 6.10352e-05"},
      {"torch.float32", 0, "0.25", "error", "相对误差错误率 0.25 > 0"},
  };
  for (const Case& c : cases) {
    const InputRow row{"Torch.cumsum.0.forward.output.0",
                       c.dtype,
                       {{"inf/nan错误率", "0"},
                        {"相对误差错误率", c.rate},
                        {"绝对误差错误率", "0"},
                        {"误差均衡性", exact(c.balance)}}};
    write(folder / "npu.csv", details_text({row}));
    write(folder / "gpu.csv", details_text({{row.name, row.dtype, {}}}));
    Options o = options(folder / "npu.csv", folder / "gpu.csv", folder / "out");
    o.standards = config::load_standards((folder / "standards.yaml").string());
    o.precision = 3;
    const CompareReport report = run(o);
    const Cells cells = rows_of(report.details_path).at(0);
    EXPECT_EQ(cells[static_cast<size_t>(Column::kResult)], c.verdict) << c.dtype << c.balance;
    EXPECT_EQ(cells[static_cast<size_t>(Column::kAlgorithm)], "累积误差比对法");
    EXPECT_EQ(by_figures(cells[static_cast<size_t>(Column::kMessage)]), c.message);
  }
}

}  // namespace
}  // namespace msprobe::compare::testing
