// Real data: how far the replay's outputs are from the recorded ones. An error that the training run saw and the replay
// does not show is news.
#pragma once
#include <optional>

#include "check/called.h"
#include "check/notes.h"
#include "check/rebuilt.h"
#include "check/session.h"

namespace msprobe::check {

struct RecordDistance {
  std::optional<double> ulp;  ///< ApiOutcome::recorded_ulp
  Notes notes;
};

/// Of the device's outputs that are judged; nothing without real data, for dropout, and where the call returned
/// nothing. A file that cannot be read costs a note.
RecordDistance distance_from_record(const Session& session, const Rebuilt& rebuilt, const Called& called);

}  // namespace msprobe::check
