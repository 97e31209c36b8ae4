// One output of the NPU's file: skipped with a reason, or judged by the algorithm that its API and dtype ask for.
#pragma once
#include <string>
#include <string_view>

#include "compare/assess.h"
#include "compare/details.h"
#include "compare/judgement.h"
#include "compare/row_name.h"
#include "compare/select.h"
#include "config/settings.h"
#include "config/standards.h"

namespace msprobe::compare {

/// What a row of the details CSV says, and what the verdict of its API depends on.
struct RowVerdict {
  RowName name;
  Judgement judgement;           ///< blank cells and status SKIP when skipped
  std::string_view algorithm;    ///< `标杆比对法`; empty when skipped
  std::string_view binary_rate;  ///< profile mindstudio: 二进制一致错误率 as the NPU's file spells it
  std::string message;           ///< one line, or with MindStudio's line breaks under its profile
  bool unsupported = false;      ///< float64, complex64, complex128
  bool missing_in_gpu = false;
  std::string_view skip_kind;   ///< why it was skipped, without names and figures: to be counted
  bool skipped_on_npu = false;  ///< Status is SKIP in the NPU's file
  outcome::Assessment assessment = outcome::Assessment::kNone;  ///< profile mindstudio: always none
  uint32_t told_size = 0;    ///< of an error beside figures: the message begins with it
  uint32_t clause_size = 0;  ///< of the assessment: the message ends with it

  /// Of an error: what decided it.
  std::string failure() const;
  std::string_view clause() const { return std::string_view(message).substr(message.size() - clause_size); }
};

/// Cheap to copy; each thread needs its own.
class RowJudge {
 public:
  /// All must outlive it.
  RowJudge(const config::Standards& standards, config::Profile profile, const NpuDetails& npu, const GpuDetails& gpu)
      : standards_(standards), profile_(profile), npu_(npu), gpu_(gpu) {}

  RowVerdict judge(size_t npu_row);

 private:
  struct Context;
  /// True, with the verdict, for a row whose figures are not judged; else `gpu_row` is its row on the other side.
  bool skipped_unread(const report::TableRow& row, uint32_t& gpu_row, ToldPair& told, RowVerdict& verdict) const;
  const ApiStandard& standard_of(const RowName& row);
  /// Documented profile: an error whatever the figures are; false where they are to be judged.
  /// True, with the verdict, for an error that figures do not tell in a row that the GPU lacks.
  bool told_wrong_alone(const report::TableRow& row, RowVerdict& verdict) const;
  bool told_wrong(const report::TableRow& row, uint32_t gpu_row, const ToldPair& told, RowVerdict& verdict) const;
  void judge_documented(RowVerdict& verdict, const Context& context) const;
  /// Figures that its algorithm needs are blank, and so are those of 标杆比对法: `text` says which.
  void give_up(RowVerdict& verdict, const Context& context, std::string text) const;
  void assess(RowVerdict& verdict, const Sides& sides) const;
  void judge_mindstudio(RowVerdict& verdict, const Context& context) const;
  bool mindstudio() const { return profile_ == config::Profile::kMindstudio; }

  const config::Standards& standards_;
  config::Profile profile_;
  const NpuDetails& npu_;
  const GpuDetails& gpu_;
  // Rows of one API mostly stand together: what was found out of the last one.
  std::string_view last_api_;
  ApiStandard last_standard_{};
};

}  // namespace msprobe::compare
