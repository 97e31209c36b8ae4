#include "compare/compare.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "compare/api_verdicts.h"
#include "compare/details.h"
#include "compare/judge_row.h"
#include "compare/output.h"
#include "config/standards.h"

namespace msprobe::compare {
namespace {

constexpr size_t kMostFailing = 10;  // named in the report

/// What the report says of rows, collected as they are judged.
class Reporter {
 public:
  explicit Reporter(CompareReport& report) : report_(report) {}

  void add(const RowVerdict& row, std::string_view name, std::string_view dtype) {
    ++report_.rows[static_cast<size_t>(row.judgement.status)];
    if (row.judgement.status == metrics::Status::kSkip) ++skipped_[row.skip_kind];
    if (row.missing_in_gpu && ++report_.missing_in_gpu <= static_cast<int64_t>(kMostMissing)) missing_.push_back(name);
    if (row.judgement.status == metrics::Status::kError) add_failure(row, name, dtype);
  }

  void finish(size_t gpu_rows, size_t npu_rows) {
    report_.missing_in_npu = static_cast<int64_t>(gpu_rows) - (static_cast<int64_t>(npu_rows) - report_.missing_in_gpu);
    for (const auto& [kind, count] : skipped_) report_.skipped.emplace_back(kind, count);
    std::stable_sort(report_.skipped.begin(), report_.skipped.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    if (report_.missing_in_gpu > 0)
      spdlog::warn("{} of the NPU's {} outputs are not in {} and are SKIP: {}{}", report_.missing_in_gpu, npu_rows,
                   report_.gpu_csv, fmt::join(missing_, ", "),
                   report_.missing_in_gpu > static_cast<int64_t>(missing_.size()) ? ", ..." : "");
  }

 private:
  static constexpr size_t kMostMissing = 5;

  void add_failure(const RowVerdict& row, std::string_view name, std::string_view dtype) {
    const std::string_view api = row.name.api;
    if (const uint32_t known = failing_.insert(api); known != NameIndex::kNone) {
      if (known < report_.failing.size()) ++report_.failing[known].others;
      return;
    }
    ++report_.failing_apis;
    if (report_.failing.size() < kMostFailing)
      report_.failing.push_back(
          {std::string(name), std::string(dtype), findings_text(row.judgement.findings, true), 0});
  }

  CompareReport& report_;
  std::map<std::string_view, int64_t> skipped_;
  std::vector<std::string_view> missing_;
  NameIndex failing_;
};

std::string input_path(const std::string& given, const std::string& option) {
  return given.empty() ? only_details_file(".", option) : given;
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error);
}

}  // namespace

CompareReport run(const CompareOptions& options) {
  const config::Settings& settings = options.settings;
  const config::Standards standards =
      config::load_standards(settings.precision_standard.empty() ? config::installed_config("precision_standard.yaml")
                                                                 : settings.precision_standard);
  CompareReport report;
  report.npu_csv = input_path(options.npu_csv, "-npu");
  report.gpu_csv = input_path(options.gpu_csv, "-gpu");
  if (is_same_file(report.npu_csv, report.gpu_csv))
    spdlog::warn("NPU and GPU are the same file, {}: its figures are compared with themselves", report.npu_csv);
  // One after the other: the GPU's table is gone when the NPU's is read.
  const GpuDetails gpu = read_gpu_details(report.gpu_csv, settings.profile);
  const NpuDetails npu = read_npu_details(report.npu_csv);

  Output output(options.out_path, settings.precision, settings.profile);
  ApiVerdicts apis(settings.profile);
  Reporter reporter(report);
  const RowJudge judge(standards, settings.profile, npu, gpu);
  for (size_t i = 0; i < npu.table.rows.size(); ++i) {
    const report::TableRow row = npu.table.rows[i];
    const std::string_view name = row[npu.columns.name];
    const RowVerdict verdict = judge.judge(i);
    output.add_row(name, verdict);
    apis.add(verdict, name);
    reporter.add(verdict, name, row[npu.columns.dtype]);
  }
  metrics::ApiOutcome outcome;
  for (size_t i = 0; i < apis.size(); ++i) {
    const ApiVerdict verdict = apis.verdict(i);
    output.add_api(verdict);
    outcome.forward = verdict.forward;
    outcome.backward = verdict.backward;
    report.apis.add(outcome);
  }
  reporter.finish(gpu.size(), npu.table.rows.size());
  output.commit();
  report.details_path = output.details_path();
  report.result_path = output.result_path();
  return report;
}

bool fails_on(const CompareReport& report, std::string_view status) {
  const auto rows = [&](metrics::Status s) { return report.rows[static_cast<size_t>(s)]; };
  using metrics::Status;
  const int64_t judged = rows(Status::kPass) + rows(Status::kWarning) + rows(Status::kError);
  if (judged == 0 || rows(Status::kError) > 0) return true;
  if (status != "error" && rows(Status::kWarning) > 0) return true;
  return status == "skip" && rows(Status::kSkip) > 0;
}

}  // namespace msprobe::compare
