#include "compare/judge_row.h"

#include <fmt/format.h>

#include "compare/registry.h"
#include "compare/select.h"

namespace msprobe::compare {
namespace {

using config::Algorithm;

std::string_view figure_name(metrics::Figure figure) {
  return metrics::kFigureColumns[static_cast<size_t>(figure)];
}

FigureCell cell_of(const Subject& subject, const Need& need) {
  return (need.side == Side::kNpu ? subject.npu : subject.gpu)[need.figure];
}

/// `NPU lacks 均方根误差; GPU lacks 均方根误差, 相对误差最大值`: figures of that kind among those that decide.
std::string lacks(const Standard& standard, const Subject& subject, CellKind kind) {
  std::string text;
  for (const Side side : {Side::kNpu, Side::kGpu}) {
    std::string names;
    for (const Need& need : standard.needs)
      if (need.side == side && need.decides(subject.dtype_class) && cell_of(subject, need).kind == kind)
        names += (names.empty() ? "" : ", ") + std::string(figure_name(need.figure));
    if (names.empty()) continue;
    const std::string_view verb = kind == CellKind::kBlank ? "lacks" : "has no number in";
    text += fmt::format("{}{} {} {}", text.empty() ? "" : "; ", side == Side::kNpu ? "NPU" : "GPU", verb, names);
  }
  return text;
}

void append(std::string& text, std::string_view more, std::string_view between = "; ") {
  if (more.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
  if (!text.empty()) text += between;
  text += more;
}

}  // namespace

RowVerdict RowJudge::skip(RowVerdict verdict, std::string message, std::string_view kind) const {
  verdict.judgement = Judgement();
  verdict.judgement.status = metrics::Status::kSkip;
  verdict.algorithm = {};
  verdict.message = std::move(message);
  verdict.skip_kind = kind;
  return verdict;
}

RowVerdict RowJudge::judge(size_t npu_row) const {
  const report::TableRow row = npu_.table.rows[npu_row];
  const std::string_view full_name = row[npu_.columns.name];
  const std::string_view dtype = row[npu_.columns.dtype], message = row[npu_.columns.message];
  RowVerdict verdict;
  verdict.name = split_row_name(full_name, profile_);
  if (!verdict.name.valid)
    return skip(std::move(verdict),
                mindstudio() ? fmt::format("The API name {} is invalid.", full_name)
                             : "no name of an output, expected one like Torch.mul.0.forward.output.0",
                "no name of an output");
  verdict.unsupported = is_unsupported(dtype);
  const uint32_t gpu_row = gpu_.find(full_name);
  if (gpu_row == NameIndex::kNone) {
    verdict.missing_in_gpu = true;
    return skip(std::move(verdict), "the GPU's details file has no row of this name", "no row in the GPU's file");
  }
  if (is_skipped(dtype, row[npu_.columns.shape])) {
    std::string text(message);
    if (!mindstudio() && verdict.unsupported && text.find_first_not_of(" \r\n") == std::string::npos)
      text = fmt::format("{} is not judged", dtype);
    return skip(std::move(verdict), std::move(text),
                verdict.unsupported ? "float64 and complex are not judged" : "nothing to judge on the NPU");
  }
  const Figures figures = read_figures(row, npu_.columns, profile_);
  const bool float8_inputs = figures[metrics::Figure::kRelativeErrorRate].kind != CellKind::kBlank;
  const Algorithm algorithm = select_algorithm(verdict.name, dtype, float8_inputs, standards_, profile_);
  const Subject subject = {figures,
                           gpu_.figures(gpu_row),
                           dtype,
                           dtype_class(dtype),
                           care_level(verdict.name, standards_, profile_),
                           standards_.limits(dtype, profile_).ratio_floor,
                           standards_};
  if (mindstudio())
    return judge_mindstudio(std::move(verdict), subject, algorithm, npu_.text(row, metrics::Figure::kBinaryErrorRate));
  const bool npu_skipped = npu_.columns.status >= 0 && row[npu_.columns.status] == "SKIP";
  return judge_documented(std::move(verdict), subject, algorithm, npu_skipped ? message : std::string_view(),
                          gpu_.skip_reason(gpu_row));
}

RowVerdict RowJudge::judge_documented(RowVerdict verdict, const Subject& subject, Algorithm algorithm,
                                      std::string_view npu_message, std::string_view gpu_message) const {
  const Standard* used = &standard(algorithm);
  const std::string blank = lacks(*used, subject, CellKind::kBlank);
  std::string unreadable = lacks(*used, subject, CellKind::kUnreadable);
  std::string note;
  if (unreadable.empty() && !blank.empty()) {
    // MindStudio leaves the figures of all but its one algorithm blank.
    const Standard* fallback = &standard(Algorithm::kBenchmark);
    const std::string blank_there = lacks(*fallback, subject, CellKind::kBlank);
    unreadable = lacks(*fallback, subject, CellKind::kUnreadable);
    if (!blank_there.empty()) {
      std::string text = fmt::format("{}: {}", used->name, blank);
      if (fallback != used) text += fmt::format("; {}: {}", fallback->name, blank_there);
      append(text, npu_message, "; NPU: ");
      append(text, gpu_message, "; GPU: ");
      return skip(std::move(verdict), std::move(text), "figures are blank");
    }
    note = fmt::format("judged by {}: {} for {}", fallback->name, blank, used->name);
    used = fallback;
  }
  if (!unreadable.empty())
    return skip(std::move(verdict), fmt::format("{}: {}", used->name, unreadable), "figures are no numbers");

  verdict.algorithm = used->name;
  used->judge(subject, verdict.judgement);
  verdict.message = findings_text(verdict.judgement.findings);
  append(verdict.message, note);
  return verdict;
}

RowVerdict RowJudge::judge_mindstudio(RowVerdict verdict, const Subject& subject, Algorithm algorithm,
                                      std::string_view binary_rate) const {
  const Standard& used = standard(algorithm);
  // Where MindStudio divides, a blank is 0 to it; elsewhere it gives up.
  const bool blank_is_zero = algorithm == Algorithm::kBenchmark || algorithm == Algorithm::kUlp;
  Figures npu = subject.npu, gpu = subject.gpu;
  for (const Need& need : used.needs) {
    if (!need.is_read_for(subject.dtype_class)) continue;
    const FigureCell cell = cell_of(subject, need);
    if (cell.kind == CellKind::kUnreadable)
      return skip(std::move(verdict), "ERROR: Input data cannot be converted to float", "figures are no numbers");
    if (cell.kind != CellKind::kBlank) continue;
    if (!blank_is_zero) return skip(std::move(verdict), "ERROR: Input data is an empty string", "figures are blank");
    (need.side == Side::kNpu ? npu : gpu).set(need.figure, {CellKind::kNumber, 0});
  }
  verdict.algorithm = used.name;
  used.judge({npu, gpu, subject.dtype, subject.dtype_class, subject.level, subject.ratio_floor, subject.standards},
             verdict.judgement);
  verdict.judgement.set_text(Column::kBinaryRate, binary_rate);  // MindStudio copies that cell
  verdict.message = verdict.judgement.mindstudio_message;
  return verdict;
}

}  // namespace msprobe::compare
