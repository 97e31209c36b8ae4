// Which APIs get a second try after their process died, and which card is at fault when it goes well elsewhere. Pure:
// knows no processes.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "outcome/row.h"
#include "pool/death.h"

namespace msprobe::pool {

/// Of one job, however they came about: more would cost the other jobs of a worker too much.
constexpr int kMostDeaths = 3;

/// A try of a job that ended with its process.
struct FailedTry {
  int device;  ///< that the process worked on
  Death death;
  bool fresh;      ///< the job was the first of its process
  bool elsewhere;  ///< the job could be tried on another card, and was not sent here for that
};

class Retries {
 public:
  /// `lone`: one worker; want of memory is then its own doing.
  explicit Retries(bool lone) : lone_(lone) {}

  /// Whether `job` is to be done once more. A fresh process that dies by a fault of its own has shown that the API does
  /// it, or the card does.
  bool again(uint32_t job, const FailedTry& failed);
  /// An outcome of `job` on `device`: its Message gets what an earlier try did, since an operator that crashes now and
  /// then is to be known. The card, if any, on which `limit` APIs or more in a row crashed that another one checked.
  std::optional<int> done(uint32_t job, int device, outcome::ApiOutcome& outcome, int limit);

 private:
  bool lone_;
  std::set<uint32_t> killed_once_, tried_elsewhere_;
  std::map<uint32_t, int> deaths_;             ///< by job
  std::map<uint32_t, FailedTry> first_crash_;  ///< by job
  std::map<int, int> blamed_;                  ///< by device: crashes in a row, of APIs that another one checked
};

}  // namespace msprobe::pool
