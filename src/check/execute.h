// One API from its record to its rows (docs/execution.md): rebuilt, called on both sides, judged. Each step is a
// function from the values of those before it to its own (rebuilt.h, called.h, judged.h).
#pragma once
#include <memory>
#include <string>

#include "check/session.h"
#include "outcome/row.h"

namespace msprobe::check {

/// The check of API `i` of the index, in two parts. Neither throws for what the API does: errors become SKIP with their
/// text and reason. `session` must outlive it.
class Check {
 public:
  /// Reads the record, rebuilds its inputs and prepares the device's side; no operator of the API runs.
  Check(const Session& session, size_t i);
  ~Check();
  /// Runs the operators on both sides and judges them; once.
  outcome::ApiOutcome run();

 private:
  struct Begun;
  template <class Part>
  void guarded(const Part& part);

  const Session& session_;
  std::string api_;
  std::unique_ptr<Begun> begun_;  ///< null: outcome_ is known already
  outcome::ApiOutcome outcome_;
  double seconds_ = 0;
};

/// Both parts.
outcome::ApiOutcome check_api(const Session& session, size_t i);

}  // namespace msprobe::check
