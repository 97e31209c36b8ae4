#include "compare/compare.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <map>

#include "compare/api_verdicts.h"
#include "compare/details.h"
#include "compare/judge_row.h"
#include "compare/output.h"
#include "outcome/fail_on.h"
#include "util/cores.h"
#include "util/count_of.h"

namespace msprobe::compare {
namespace {

using outcome::Assessment;
using outcome::Status;

constexpr size_t kMostFailing = 10;  // named in the report
/// Without a thread to be had, the work is done by the one who waits for it.
constexpr std::launch kAside = std::launch::async | std::launch::deferred;

/// The first failing APIs, those with a suspect before the others.
class Failing {
 public:
  void add(const RowVerdict& row, std::string_view name, std::string_view dtype) {
    const uint32_t known = apis_.insert(row.name.api);
    const auto at = known == util::NameIndex::kNone ? static_cast<uint32_t>(failed_.size()) : known;
    if (known == util::NameIndex::kNone) failed_.push_back(0);
    ++failed_[at];
    const bool suspect = row.assessment == Assessment::kSuspect;
    if (suspects_.count(at) > 0 || (known != util::NameIndex::kNone && !suspect)) return;
    // Those that turn out to be suspects later leave as many places among the suspects, so that ten of each do.
    others_.erase(at);
    auto& shown = suspect ? suspects_ : others_;
    if (shown.size() < kMostFailing)
      shown.emplace(at, FailingApi{std::string(name), std::string(dtype), row.failure(), 0, row.assessment});
  }

  void report(CompareReport& report) {
    report.failing_apis = static_cast<int64_t>(failed_.size());
    for (auto* shown : {&suspects_, &others_})
      for (auto& [at, api] : *shown) {
        if (report.failing.size() == kMostFailing) return;
        api.others = failed_[at] - 1;
        report.failing.push_back(std::move(api));
      }
  }

 private:
  util::NameIndex apis_;
  std::vector<int64_t> failed_;  ///< outputs, by API
  std::map<uint32_t, FailingApi> suspects_, others_;
};

/// What the report says of rows, collected as they are judged.
class Reporter {
 public:
  explicit Reporter(CompareReport& report) : report_(report) {}

  void add(const RowVerdict& row, std::string_view name, std::string_view dtype) {
    ++report_.rows[static_cast<size_t>(row.judgement.status)];
    if (row.judgement.status == Status::kSkip) ++skipped_[row.skip_kind];
    if (row.missing_in_gpu && ++report_.missing_in_gpu <= static_cast<int64_t>(kMostMissing)) missing_.push_back(name);
    report_.assessments.add(row.judgement.status, row.assessment);
    if (row.judgement.status == Status::kError)
      failing_.add(row, name, dtype);
    else if (row.assessment == Assessment::kSuspect && report_.suspects.size() < kMostFailing)
      report_.suspects.push_back({std::string(name), std::string(dtype), std::string(row.clause()), 0, row.assessment});
  }

  void finish(size_t gpu_rows, size_t npu_rows) {
    report_.missing_in_npu = static_cast<int64_t>(gpu_rows) - (static_cast<int64_t>(npu_rows) - report_.missing_in_gpu);
    failing_.report(report_);
    for (const auto& [kind, count] : skipped_) report_.skipped.emplace_back(kind, count);
    std::stable_sort(report_.skipped.begin(), report_.skipped.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    if (report_.missing_in_gpu > 0)
      spdlog::warn("{} of the NPU's {} {} not in {} and {} SKIP: {}{}", report_.missing_in_gpu,
                   util::count_of(npu_rows, "output"), report_.missing_in_gpu == 1 ? "is" : "are", report_.gpu_csv,
                   report_.missing_in_gpu == 1 ? "is" : "are", fmt::join(missing_, ", "),
                   report_.missing_in_gpu > static_cast<int64_t>(missing_.size()) ? ", ..." : "");
  }

 private:
  static constexpr size_t kMostMissing = 5;

  CompareReport& report_;
  std::map<std::string_view, int64_t> skipped_;
  std::vector<std::string_view> missing_;
  Failing failing_;
};

std::string input_path(const std::string& given, const std::string& option) {
  return given.empty() ? only_details_file(".", option) : given;
}

/// A file compared with itself says nothing: every ratio is 1. Links are the file that they lead to.
void refuse_one_file(const std::string& npu, const std::string& gpu, config::Profile profile) {
  std::error_code error;
  if (!std::filesystem::equivalent(npu, gpu, error)) return;
  if (profile == config::Profile::kMindstudio)
    return spdlog::warn("NPU and GPU are the same file, {}: its figures are compared with themselves", npu);
  throw Error(gpu, npu == gpu ? "is both the NPU's and the GPU's file" : fmt::format("is the NPU's file too, {}", npu),
              "name the NPU's with -npu FILE and the GPU's with -gpu FILE");
}

/// Rows that one thread judges at a time, and their lines of the details file.
struct Chunk {
  size_t first;
  std::vector<RowVerdict> rows;
  std::string lines;
};

Chunk judge_chunk(RowJudge judge, const NpuDetails& npu, OutputFormat format, size_t first, size_t end) {
  constexpr size_t kUsualLine = 384;
  Chunk chunk{first, {}, {}};
  chunk.rows.reserve(end - first);
  chunk.lines.reserve((end - first) * kUsualLine);
  for (size_t i = first; i < end; ++i) {
    chunk.rows.push_back(judge.judge(i));
    append_details_line(chunk.lines, npu.table.rows[i][npu.columns.name], chunk.rows.back(), format);
  }
  return chunk;
}

size_t thread_count(int asked) {
  constexpr unsigned kMost = 8;  // beyond that the one who writes is the slowest
  const unsigned wanted = asked > 0 ? static_cast<unsigned>(asked) : static_cast<unsigned>(util::usable_cores());
  return std::clamp(wanted, 1u, kMost);
}

/// Calls `take` with all rows, in file order, while other threads judge the next ones.
void judge_rows(const RowJudge& judge, const NpuDetails& npu, OutputFormat format, size_t threads,
                const std::function<void(const Chunk&)>& take) {
  constexpr size_t kChunk = 4096;
  const size_t count = npu.table.rows.size();
  std::deque<std::future<Chunk>> pending;
  for (size_t next = 0; next < count || !pending.empty();) {
    for (; pending.size() < threads && next < count; next += kChunk)
      pending.push_back(
          std::async(kAside, judge_chunk, judge, std::cref(npu), format, next, std::min(count, next + kChunk)));
    take(pending.front().get());
    pending.pop_front();
  }
}

/// What the GPU ran backward and the NPU's file lacks.
void add_gpu_backward(const GpuDetails& gpu, const NpuDetails& npu, ApiVerdicts& apis) {
  for (uint32_t i = 0; i < gpu.size(); ++i) {
    if (npu.names.find(gpu.name(i)) != util::NameIndex::kNone) continue;
    const RowName row = split_row_name(gpu.name(i), config::Profile::kDocumented);
    if (row.valid && row.direction == Direction::kBackward) apis.add_gpu_backward(row.api);
  }
}

void write_results(const ApiVerdicts& apis, OutputFormat format, Output& output, CompareReport& report) {
  constexpr size_t kBlock = 1 << 20;
  std::string lines;
  outcome::ApiOutcome outcome;
  for (size_t i = 0; i < apis.size(); ++i) {
    const ApiVerdict verdict = apis.verdict(i);
    append_result_line(lines, verdict, format);
    outcome.forward = verdict.forward;
    outcome.backward = verdict.backward;
    report.apis.add(outcome);
    if (lines.size() < kBlock) continue;
    output.write_results(lines);
    lines.clear();
  }
  output.write_results(lines);
}

}  // namespace

CompareReport run(const Options& options) {
  CompareReport report;
  report.npu_csv = input_path(options.npu_csv, "-npu");
  report.gpu_csv = input_path(options.gpu_csv, "-gpu");
  refuse_one_file(report.npu_csv, report.gpu_csv, options.profile);
  auto gpu_read = std::async(kAside, read_gpu_details, std::cref(report.gpu_csv), options.profile);
  const NpuDetails npu = read_npu_details(report.npu_csv);
  const GpuDetails gpu = gpu_read.get();

  const OutputFormat format = {options.precision, options.profile};
  Output output(options.out_path);
  ApiVerdicts apis(options.profile);
  Reporter reporter(report);
  const RowJudge judge(options.standards, options.profile, npu, gpu);
  judge_rows(judge, npu, format, thread_count(options.threads), [&](const Chunk& chunk) {
    output.write_details(chunk.lines);
    for (size_t i = 0; i < chunk.rows.size(); ++i) {
      const report::TableRow row = npu.table.rows[chunk.first + i];
      const std::string_view name = row[npu.columns.name];
      apis.add(chunk.rows[i], name);
      reporter.add(chunk.rows[i], name, row[npu.columns.dtype]);
    }
  });
  reporter.finish(gpu.size(), npu.table.rows.size());
  if (report.missing_in_npu > 0 && options.profile == config::Profile::kDocumented) add_gpu_backward(gpu, npu, apis);
  write_results(apis, format, output, report);
  output.commit();
  report.details_path = output.details_path();
  report.result_path = output.result_path();
  return report;
}

bool fails_on(const CompareReport& report, std::string_view status) {
  outcome::Seen seen;
  for (size_t i = 0; i < report.rows.size(); ++i)
    if (report.rows[i] > 0) seen.add(static_cast<outcome::Status>(i));
  const report::AssessmentTally& tally = report.assessments;
  if (tally.passed(Assessment::kSuspect) + tally.not_passed(Assessment::kSuspect) > 0) seen.add(Assessment::kSuspect);
  return seen.fails_on(status);
}

}  // namespace msprobe::compare
