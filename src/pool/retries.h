// Which APIs get a second try after their process died, and which card is at fault when it goes well elsewhere. Pure:
// knows no processes.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "outcome/row.h"

namespace msprobe::pool {

/// Of one job, however they came about: more would cost the other jobs of a worker too much.
constexpr int kMostDeaths = 3;

/// How a process died while it did a job.
struct Death {
  int device;           ///< that it worked on
  std::string text;     ///< death_text
  bool by_itself;       ///< died_by_itself
  bool killed;          ///< SIGKILL, from outside
  bool memory_ran_out;  ///< the system killed it
  bool fresh;           ///< the job was its first
  bool elsewhere;       ///< the job could be tried on another card, and was not sent here for that
};

class Retries {
 public:
  /// `lone`: one worker; want of memory is then its own doing.
  explicit Retries(bool lone) : lone_(lone) {}

  /// Whether `job` is to be done once more. A fresh process that dies by a fault of its own has shown that the API does
  /// it, or the card does.
  bool again(uint32_t job, const Death& death);
  /// An outcome of `job` on `device`: its Message gets what an earlier try did, since an operator that crashes now and
  /// then is to be known. The card, if any, on which `limit` APIs or more in a row crashed that another one checked.
  std::optional<int> done(uint32_t job, int device, outcome::ApiOutcome& outcome, int limit);

 private:
  struct Crash {
    int device;
    std::string text;
  };

  bool lone_;
  std::set<uint32_t> killed_once_, tried_elsewhere_;
  std::map<uint32_t, int> deaths_;         ///< by job
  std::map<uint32_t, Crash> first_crash_;  ///< by job
  std::map<int, int> blamed_;              ///< by device: crashes in a row, of APIs that another one checked
};

}  // namespace msprobe::pool
