#include "compare/api_verdicts.h"

#include <fmt/format.h>

namespace msprobe::compare {
namespace {

using config::Profile;
using outcome::Status;

constexpr std::string_view kUnsupported = "This data type does not support benchmark compare.";
/// MindStudio's hint, whose words its users know.
constexpr std::string_view kTopkHint =
    "在npu上，topk的入参sorted=False时不生效，会返回有序tensor，而cpu上会返回无序tensor。 "
    "如果topk精度不达标，请检查是否是该原因导致的。";

void append(std::string& text, std::string_view more) {
  if (more.find_first_not_of(" \r\n") == std::string_view::npos) return;
  if (!text.empty()) text += "; ";
  text += more;
}

bool is_topk(std::string_view api) {
  const size_t index = api.rfind('.');
  const std::string_view name = api.substr(0, index == std::string_view::npos ? 0 : index);
  return name.ends_with(".topk") && name.find('.') + 1 == name.size() - std::string_view("topk").size();
}

}  // namespace

void ApiVerdicts::add(const RowVerdict& row, std::string_view full_name) {
  const std::string_view name = row.name.valid ? row.name.api : full_name;
  uint32_t at = names_.insert(name);
  if (at == util::NameIndex::kNone) {
    at = static_cast<uint32_t>(apis_.size());
    apis_.emplace_back();
  }
  Api& api = apis_[at];
  if (!row.name.valid) {
    api.invalid = true;
    if (api.forward.counted + api.backward.counted == 0) api.message = row.message;
    return;
  }
  if (row.name.direction == Direction::kUnknown) return;
  Rows& rows = row.name.direction == Direction::kForward ? api.forward : api.backward;
  if (profile_ == Profile::kMindstudio && !row.missing_in_gpu) {
    api.last_unsupported = row.unsupported;
    if (row.unsupported) {
      ++rows.unsupported;
      return;
    }
  }
  ++rows.counted;
  rows.failed += row.judgement.status == Status::kError;
  rows.passed += row.judgement.status == Status::kPass;
  rows.skipped_on_npu += row.skipped_on_npu;
  add_message(api, row);
  if (profile_ == Profile::kDocumented) add_deciding(api, row, full_name);
}

void ApiVerdicts::add_gpu_backward(std::string_view api) {
  if (const uint32_t at = names_.find(api); at != util::NameIndex::kNone) apis_[at].gpu_backward = true;
}

void ApiVerdicts::add_message(Api& api, const RowVerdict& row) {
  const bool forward = row.name.direction == Direction::kForward;
  const bool skipped = row.judgement.status == Status::kSkip;
  if (forward || (profile_ == Profile::kDocumented && api.forward.counted == 0))
    api.message = skipped ? row.message : std::string();
}

void ApiVerdicts::add_deciding(Api& api, const RowVerdict& row, std::string_view full_name) {
  const Status status = row.judgement.status;
  const bool suspect_pass = status == Status::kPass && row.assessment == outcome::Assessment::kSuspect;
  if (status != Status::kError && !suspect_pass) return;
  const bool heavier = status == api.deciding_status ? row.assessment > api.assessment
                                                     : status == Status::kError || api.deciding.empty();
  if (!heavier) return;
  const std::string_view output = full_name.substr(row.name.api.size() + 1);
  api.deciding = suspect_pass ? fmt::format("{} passed", output) : fmt::format("{}: {}", output, row.failure());
  append(api.deciding, row.clause());
  api.deciding_status = status;
  api.assessment = row.assessment;
}

Status ApiVerdicts::of(const Rows& rows, const Api& api) const {
  if (rows.failed > 0) return Status::kError;
  if (rows.passed > 0) return Status::kPass;
  if (rows.counted > 0) return Status::kSkip;
  return rows.unsupported > 0 && api.last_unsupported ? Status::kSkip : Status::kBlank;
}

ApiVerdict ApiVerdicts::verdict(size_t index) const {
  const Api& api = apis_[index];
  ApiVerdict verdict;
  verdict.api = names_.name(static_cast<uint32_t>(index));
  const bool mindstudio = profile_ == Profile::kMindstudio;
  const bool nothing_judged = api.forward.passed + api.forward.failed + api.backward.passed + api.backward.failed == 0;
  const bool no_rows =
      api.forward.counted + api.forward.unsupported + api.backward.counted + api.backward.unsupported == 0;
  if ((api.invalid && no_rows) || (mindstudio && nothing_judged && api.last_unsupported)) {
    verdict.forward = verdict.backward = Status::kSkip;
    verdict.message = no_rows ? api.message : std::string(kUnsupported);
    return verdict;
  }
  verdict.forward = of(api.forward, api);
  verdict.backward = of(api.backward, api);
  const bool any_error = verdict.forward == Status::kError || verdict.backward == Status::kError;
  if (mindstudio) {
    if (verdict.forward == Status::kError && is_topk(verdict.api)) verdict.message = kTopkHint;
    if (verdict.forward == Status::kSkip) verdict.message = api.message;
    return verdict;
  }
  const Rows& forward = api.forward;
  if (api.gpu_backward && api.backward.counted == 0 && forward.counted > 0 && forward.skipped_on_npu == forward.counted)
    verdict.backward = Status::kSkip;
  append(verdict.message, api.deciding);
  const int64_t others = int64_t{api.forward.failed} + api.backward.failed - 1;
  if (any_error && others > 0) verdict.message += fmt::format("; {} more failed", others);
  if (any_error && is_topk(verdict.api)) append(verdict.message, kTopkHint);
  if (verdict.forward == Status::kSkip || nothing_judged) append(verdict.message, api.message);
  return verdict;
}

}  // namespace msprobe::compare
