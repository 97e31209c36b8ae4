#include "compare/judge_row.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "compare/registry.h"

namespace msprobe::compare {
namespace {

using config::Algorithm;
using outcome::Figure;

std::string_view figure_name(Figure figure) {
  return outcome::kFigureColumns[static_cast<size_t>(figure)];
}

FigureCell cell_of(const Subject& subject, const Need& need) {
  return (need.side == Side::kNpu ? subject.npu : subject.gpu)[need.figure];
}

/// What may be wrong with a cell. No figure that decides is ever below 0; -inf has a rule of its own.
enum class Fault { kBlank, kUnreadable, kNegative };

bool has(Fault fault, const FigureCell& cell) {
  switch (fault) {
    case Fault::kBlank:
      return cell.kind == CellKind::kBlank;
    case Fault::kUnreadable:
      return cell.kind == CellKind::kUnreadable;
    case Fault::kNegative:
      break;
  }
  return cell.is_number() && cell.value < 0 && std::isfinite(cell.value);
}

std::string_view verb_of(Fault fault) {
  return fault == Fault::kBlank ? "lacks" : fault == Fault::kUnreadable ? "has no number in" : "is below 0 in";
}

/// True when a figure that decides has that fault; `side`: on that side.
bool lacks(const Standard& standard, const Subject& subject, Fault fault, std::optional<Side> side = {}) {
  for (const Need& need : standard.needs)
    if ((!side || need.side == *side) && has(fault, cell_of(subject, need)) && need.decides(subject.dtype_class))
      return true;
  return false;
}

/// True when every figure of that side that decides is blank.
bool lacks_all(const Standard& standard, const Subject& subject, Side side) {
  bool any = false;
  for (const Need& need : standard.needs) {
    if (need.side != side || !need.decides(subject.dtype_class)) continue;
    if (!has(Fault::kBlank, cell_of(subject, need))) return false;
    any = true;
  }
  return any;
}

/// `NPU lacks 均方根误差; GPU lacks 均方根误差, 相对误差最大值`: figures with that fault among those that decide.
std::string what_lacks(const Standard& standard, const Subject& subject, Fault fault) {
  std::string text;
  for (const Side side : {Side::kNpu, Side::kGpu}) {
    std::string names;
    for (const Need& need : standard.needs)
      if (need.side == side && need.decides(subject.dtype_class) && has(fault, cell_of(subject, need)))
        names += (names.empty() ? "" : ", ") + std::string(figure_name(need.figure));
    if (names.empty()) continue;
    text +=
        fmt::format("{}{} {} {}", text.empty() ? "" : "; ", side == Side::kNpu ? "NPU" : "GPU", verb_of(fault), names);
  }
  return text;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

void append(std::string& text, std::string_view more, std::string_view between) {
  if (is_blank(more)) return;
  if (!text.empty()) text += between;
  text += more;
}

void skip(RowVerdict& verdict, std::string message, std::string_view kind) {
  verdict.judgement.status = outcome::Status::kSkip;
  verdict.message = std::move(message);
  verdict.skip_kind = kind;
}

/// Dropout that draws is judged by its zeros; one that draws nothing (p = 0, not training) by value.
bool judged_by_zeros(const Told& npu) {
  return is_blank(npu.message) || npu.message.find("dropout: ") != std::string_view::npos;
}

void set_assessment(RowVerdict& verdict, const Explained& explained) {
  append(verdict.message, explained.note, "; ");
  append(verdict.message, explained.clause, "; ");
  verdict.assessment = explained.word;
  verdict.clause_size = static_cast<uint32_t>(explained.clause.size());
}

/// `beside`: what is said between what failed and the assessment.
void fail(RowVerdict& verdict, std::string failure, std::string_view beside, const Explained& explained) {
  verdict.judgement.status = outcome::Status::kError;
  verdict.message = std::move(failure);
  verdict.told_size = static_cast<uint32_t>(verdict.message.size());
  append(verdict.message, beside, "; ");
  set_assessment(verdict, explained);
}

}  // namespace

/// What a row is judged by.
struct RowJudge::Context {
  Subject subject;
  Algorithm algorithm;
  report::TableRow npu_row;
  const ToldPair& told;  ///< blank under profile mindstudio
  Sides sides() const { return {subject, told.npu, told.gpu}; }
};

std::string RowVerdict::failure() const {
  return told_size > 0 ? message.substr(0, told_size) : findings_text(judgement.findings, true);
}

const ApiStandard& RowJudge::standard_of(const RowName& row) {
  if (const std::string_view api = name_with_type(row); api != last_api_) {
    last_standard_ = standard_of_api(row, standards_, profile_);
    last_api_ = api;
  }
  return last_standard_;
}

bool RowJudge::skipped_unread(const report::TableRow& row, uint32_t& gpu_row, ToldPair& told,
                              RowVerdict& verdict) const {
  const std::string_view full_name = row[npu_.columns.name];
  const std::string_view dtype = row[npu_.columns.dtype];
  verdict.name = split_row_name(full_name, profile_);
  if (!verdict.name.valid) {
    skip(verdict,
         mindstudio() ? fmt::format("The API name {} is invalid.", full_name)
                      : "no name of an output, expected one like Torch.mul.0.forward.output.0",
         "no name of an output");
    return true;
  }
  verdict.unsupported = is_unsupported(dtype);
  gpu_row = gpu_.find(full_name);
  if (gpu_row == util::NameIndex::kNone) {
    verdict.missing_in_gpu = true;
    if (!mindstudio() && told_wrong_alone(row, verdict)) return true;
    skip(verdict, "the GPU's details file has no row of this name", "no row in the GPU's file");
    return true;
  }
  if (!mindstudio()) {
    told = {npu_.told(row), gpu_.told(gpu_row)};
    if (told_wrong(row, gpu_row, told, verdict)) return true;
  }
  if (is_skipped(dtype, row[npu_.columns.shape])) {
    std::string text(row[npu_.columns.message]);
    if (!mindstudio() && verdict.unsupported && is_blank(text)) text = fmt::format("{} is not judged", dtype);
    skip(verdict, std::move(text),
         verdict.unsupported ? "float64 and complex are not judged" : "nothing to judge on the NPU");
    return true;
  }
  if (!mindstudio() && config::is_dropout(verdict.name.name) && judged_by_zeros(told.npu)) {
    skip(verdict, "each side draws its own zeros, so that figures cannot be compared; Status judges their number",
         "dropout");
    return true;
  }
  return false;
}

RowVerdict RowJudge::judge(size_t npu_row) {
  const report::TableRow row = npu_.table.rows[npu_row];
  uint32_t gpu_row = util::NameIndex::kNone;
  RowVerdict verdict;
  ToldPair told;
  if (skipped_unread(row, gpu_row, told, verdict)) return verdict;
  const std::string_view dtype = row[npu_.columns.dtype];
  const Figures npu = read_figures(row, npu_.columns, profile_), gpu = gpu_.figures(gpu_row);
  const bool float8_inputs = npu[Figure::kRelativeErrorRate].kind != CellKind::kBlank;
  const ApiStandard& api = standard_of(verdict.name);
  const Context context = {
      {npu, gpu, dtype, dtype_class(dtype), api.level, standards_.limits(dtype, profile_).ratio_floor, standards_},
      select_algorithm(api.algorithm, dtype, float8_inputs, profile_),
      row,
      told};
  if (mindstudio())
    judge_mindstudio(verdict, context);
  else
    judge_documented(verdict, context);
  return verdict;
}

bool RowJudge::told_wrong_alone(const report::TableRow& row, RowVerdict& verdict) const {
  const Told npu = npu_.told(row);
  if (npu.status != outcome::Status::kError) return false;
  const Figures figures = read_figures(row, npu_.columns, profile_);
  if (!is_error_beside_figures(npu, figures, read_figure(row[npu_.columns.max_abs]))) return false;
  const Subject subject = {figures, {}, npu.dtype, dtype_class(npu.dtype), 0, 0, standards_};
  fail(verdict, message_without_clause(npu), "the GPU's details file has no row of this name",
       assess_error_beside_figures({subject, npu, {}}));
  return true;
}

bool RowJudge::told_wrong(const report::TableRow& row, uint32_t gpu_row, const ToldPair& told,
                          RowVerdict& verdict) const {
  const auto& [npu, gpu] = told;
  verdict.skipped_on_npu = npu.status == outcome::Status::kSkip;
  if (std::string text = difference(told); !text.empty()) {
    fail(verdict, std::move(text), "",
         {outcome::Assessment::kSuspect,
          std::string(outcome::rule_of(outcome::Assessment::kSuspect).opening) + "the GPU gives something else",
          {}});
    return true;
  }
  if (npu.status != outcome::Status::kError) return false;
  const Figures figures = read_figures(row, npu_.columns, profile_);
  if (!is_error_beside_figures(npu, figures, read_figure(row[npu_.columns.max_abs]))) return false;
  const Figures gpu_figures = gpu_.figures(gpu_row);
  const Subject subject = {figures, gpu_figures, npu.dtype, dtype_class(npu.dtype), 0, 0, standards_};
  const Sides sides = {subject, npu, gpu};
  fail(verdict, message_without_clause(npu), gpu_is_wrong_too(sides, {}), assess_error_beside_figures(sides));
  return true;
}

void RowJudge::give_up(RowVerdict& verdict, const Context& context, std::string text) const {
  const Sides sides = context.sides();
  // Whose figures cannot be compared since both sides were found wrong.
  const bool both = sides.npu.status == outcome::Status::kError && sides.gpu.status == outcome::Status::kError;
  if (both && lacks(standard(context.algorithm), context.subject, Fault::kBlank, Side::kGpu))
    return fail(verdict, message_without_clause(sides.npu), gpu_is_wrong_too(sides, {}),
                assess_error_beside_figures(sides));
  if (sides.npu.status == outcome::Status::kError &&
      lacks(standard(context.algorithm), context.subject, Fault::kBlank, Side::kNpu))
    return fail(verdict, message_without_clause(sides.npu), gpu_is_wrong_too(sides, {}),
                assess_error_beside_figures(sides));
  if (sides.npu.status == outcome::Status::kSkip) append(text, sides.npu.message, "; NPU: ");
  if (sides.gpu.status == outcome::Status::kSkip) append(text, sides.gpu.message, "; GPU: ");
  skip(verdict, std::move(text), "figures are blank");
}

void RowJudge::judge_documented(RowVerdict& verdict, const Context& context) const {
  const Subject& subject = context.subject;
  const Standard* used = &standard(context.algorithm);
  std::string note;
  if (lacks(*used, subject, Fault::kBlank) && !lacks(*used, subject, Fault::kUnreadable)) {
    // MindStudio leaves the figures of all but its one algorithm blank.
    const Standard* fallback = &standard(Algorithm::kBenchmark);
    const std::string blank = what_lacks(*used, subject, Fault::kBlank);
    if (lacks(*fallback, subject, Fault::kBlank)) {
      std::string text = fmt::format("{}: {}", used->name, blank);
      if (fallback != used)
        append(text, what_lacks(*fallback, subject, Fault::kBlank), fmt::format("; {}: ", fallback->name));
      return give_up(verdict, context, std::move(text));
    }
    note = fmt::format("judged by {}: {} for {}", fallback->name, blank, used->name);
    used = fallback;
  }
  if (lacks(*used, subject, Fault::kUnreadable))
    return skip(verdict, fmt::format("{}: {}", used->name, what_lacks(*used, subject, Fault::kUnreadable)),
                "figures are no numbers");
  verdict.algorithm = used->name;
  used->judge(subject, verdict.judgement);
  verdict.message = findings_text(verdict.judgement.findings);
  append(verdict.message, note, "; ");
  if (lacks(*used, subject, Fault::kNegative))
    append(verdict.message, what_lacks(*used, subject, Fault::kNegative) + ", which no figure can be", "; ");
  assess(verdict, context.sides());
}

void RowJudge::assess(RowVerdict& verdict, const Sides& sides) const {
  const std::vector<Finding>& findings = verdict.judgement.findings;
  const bool error = verdict.judgement.status == outcome::Status::kError;
  if (error || sides.npu.status == outcome::Status::kError)
    append(verdict.message, gpu_is_wrong_too(sides, findings), "; ");
  set_assessment(verdict, error ? assess_error(sides, findings) : assess_pass(sides));
}

void RowJudge::judge_mindstudio(RowVerdict& verdict, const Context& context) const {
  const Subject& subject = context.subject;
  const Standard& used = standard(context.algorithm);
  const std::string_view message = context.npu_row[npu_.columns.message];
  if (npu_.columns.status >= 0 && context.npu_row[npu_.columns.status] == "SKIP")
    return skip(verdict, std::string(message), "skipped on the NPU");
  if (context.algorithm == Algorithm::kBenchmark && lacks_all(used, subject, Side::kNpu)) {
    // What was not compared has not passed, though blanks would be zeros. A GPU without figures is one without error,
    // as to MindStudio.
    std::string text;
    append(text, message, "");
    append(text, what_lacks(used, subject, Fault::kBlank), "; ");
    return skip(verdict, std::move(text), "figures are blank");
  }
  // Where MindStudio divides, a blank is 0 to it; elsewhere it gives up.
  const bool blank_is_zero = context.algorithm == Algorithm::kBenchmark || context.algorithm == Algorithm::kUlp;
  Figures npu = subject.npu, gpu = subject.gpu;
  for (const Need& need : used.needs) {
    if (!need.is_read_for(subject.dtype_class)) continue;
    const FigureCell cell = cell_of(subject, need);
    if (cell.kind == CellKind::kUnreadable)
      return skip(verdict, "ERROR: Input data cannot be converted to float", "figures are no numbers");
    if (cell.kind != CellKind::kBlank) continue;
    if (!blank_is_zero) return skip(verdict, "ERROR: Input data is an empty string", "figures are blank");
    (need.side == Side::kNpu ? npu : gpu).set(need.figure, {CellKind::kNumber, 0});
  }
  verdict.algorithm = used.name;
  used.judge({npu, gpu, subject.dtype, subject.dtype_class, subject.level, subject.ratio_floor, subject.standards},
             verdict.judgement);
  verdict.message = verdict.judgement.mindstudio_message;
  if (context.algorithm == Algorithm::kBinary)  // MindStudio copies the cell
    verdict.binary_rate = npu_.text(context.npu_row, Figure::kBinaryErrorRate);
}

}  // namespace msprobe::compare
