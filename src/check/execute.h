// One API on two sides (docs/execution.md): rebuild, call, backward, compare.
#pragma once
#include <memory>
#include <string>

#include "check/session.h"
#include "outcome/row.h"

namespace msprobe::check {

struct Replay;

/// The check of API `i` of the index, in two steps. Neither throws for what the API does: errors become SKIP with their
/// text. `session` must outlive it.
class Check {
 public:
  /// Reads the record and rebuilds its inputs; no operator of the API runs.
  Check(const Session& session, size_t i);
  ~Check();
  /// Runs the operators on both sides and judges them; once.
  outcome::ApiOutcome run();

 private:
  template <class Step>
  void guarded(const Step& step);

  const Session& session_;
  std::string api_;
  std::unique_ptr<Replay> replay_;  ///< null: outcome_ is known already
  outcome::ApiOutcome outcome_;
  double seconds_ = 0;
};

/// Both steps.
outcome::ApiOutcome check_api(const Session& session, size_t i);

}  // namespace msprobe::check
