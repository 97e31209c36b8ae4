// What the CPU makes of the device's call, in float32 and, where it was recorded in less, in the recorded dtypes: the
// second yardstick of an assessment (docs/verdicts.md#the-yardsticks). Each is made when first asked for, once for all
// outputs of a call.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "check/called.h"
#include "check/changed_arguments.h"
#include "check/rebuilt.h"
#include "check/session.h"
#include "metrics/compare.h"

namespace msprobe::check {

class SecondOpinion {
 public:
  /// All must outlive it.
  SecondOpinion(const Session& session, const Rebuilt& rebuilt, const Called& called);
  ~SecondOpinion();

  /// The k-th opinion of output `i`, in the golden's choice of vectors; of the gradient of leaf `i`. nullopt: behind
  /// the last. What its call raises is the reason why it has no tensor.
  std::optional<metrics::Second> output(size_t i, size_t k) const;
  std::optional<metrics::Second> gradient(size_t leaf, size_t k) const;
  std::optional<metrics::Second> argument(const ChangedArgument& changed, size_t k) const;

 private:
  enum Arithmetic : size_t { kSingle, kRecorded };
  struct Made;
  const Made& made(Arithmetic arithmetic) const;
  std::unique_ptr<Made> make(Arithmetic arithmetic) const;
  bool is_devices_call(Arithmetic arithmetic) const;
  std::string name_of(Arithmetic arithmetic) const;
  /// What needs no call; nullopt: the call is to be made.
  std::optional<metrics::Second> without_call(Arithmetic arithmetic) const;
  metrics::Second of(Arithmetic arithmetic, const at::Tensor& device, const at::Tensor* second) const;

  const Session& session_;
  const Rebuilt& rebuilt_;
  const Called& called_;
  size_t opinions_ = 1;
  mutable std::array<std::unique_ptr<Made>, 2> made_;
};

}  // namespace msprobe::check
