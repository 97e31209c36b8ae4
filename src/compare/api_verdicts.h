// Rows into APIs: one row of the result CSV each, in the order in which they first appear.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "compare/judge_row.h"
#include "config/settings.h"
#include "outcome/row.h"
#include "util/name_index.h"

namespace msprobe::compare {

struct ApiVerdict {
  std::string_view api;
  outcome::Status forward = outcome::Status::kBlank, backward = outcome::Status::kBlank;
  std::string message;
};

/// Error before pass; SKIP when all rows are; blank without rows. Profile mindstudio: rows of float64 and complex do
/// not count beside others, and rows whose direction is another word never do; see docs/compare.md.
class ApiVerdicts {
 public:
  explicit ApiVerdicts(config::Profile profile) : profile_(profile) {}

  /// `full_name` and the views in `row` must outlive the collection.
  void add(const RowVerdict& row, std::string_view full_name);
  /// An API that was skipped on the NPU as a whole has its SKIP backward too where the GPU ran it: documented profile.
  void add_gpu_backward(std::string_view api);
  size_t size() const { return apis_.size(); }
  ApiVerdict verdict(size_t api) const;

 private:
  struct Rows {
    uint32_t counted = 0, failed = 0, passed = 0, unsupported = 0, skipped_on_npu = 0;
  };
  struct Api {
    Rows forward, backward;
    bool last_unsupported = false;
    bool invalid = false;  ///< the name could not be taken apart
    std::string message;   ///< why the last forward row (without any: the last backward row) was skipped
    /// The row that tells most of the API: of those that failed, and else of those that passed and are suspects all
    /// the same, the first of the heaviest assessment.
    std::string deciding;
    outcome::Status deciding_status = outcome::Status::kBlank;
    outcome::Assessment assessment = outcome::Assessment::kNone;
    bool gpu_backward = false;
  };
  void add_deciding(Api& api, const RowVerdict& row, std::string_view full_name);
  outcome::Status of(const Rows& rows, const Api& api) const;
  void add_message(Api& api, const RowVerdict& row);

  config::Profile profile_;
  util::NameIndex names_;
  std::deque<Api> apis_;
};

}  // namespace msprobe::compare
