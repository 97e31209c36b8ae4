// How a worker came to its end, as a value. The words for a Message cell and the log are made here and nowhere else.
#pragma once
#include <cstdint>
#include <string>

#include "outcome/reason.h"
#include "outcome/stage.h"
#include "pool/process.h"

namespace msprobe::pool {

/// A worker's own exit statuses; an API that ends the process with one of them reads the same.
constexpr int kExitLostChannel = 117;  ///< its socket is gone: something closed its descriptors
constexpr int kExitNoMemory = 118;     ///< not even the answer could be built
constexpr int kExitBetween = 119;      ///< something was thrown between two APIs

struct Death {
  enum class Kind : uint8_t {
    // By its exit status.
    kExited,           ///< with status `number`
    kSignalled,        ///< by signal `number`
    kKilledForMemory,  ///< by the system
    kNoMemory,
    // By its supervisor, which has killed it.
    kLostChannel,  ///< also by its exit status
    kWroteIntoChannel,
    kOverwroteQueue,
    kTakesNoWork,
    kDoesNotEnd,
    kTimedOut,      ///< an API took `seconds`
    kOpenTimedOut,  ///< opening the device took `seconds`
    // By its own account.
    kOpenFailed,  ///< the device cannot be opened, as `words` tell
  };

  Kind kind;
  int number = 0;
  double seconds = 0;
  outcome::Stage stage = outcome::Stage::kUnknown;  ///< of the API that it died with; kUnknown is not told
  std::string words = {};
};

/// `memory_ran_out`: the system killed for want of memory while the worker ran.
Death death_of(const ExitStatus& status, bool memory_ran_out);

/// False when others ended it (SIGKILL, SIGTERM, Ctrl-C, ...) or memory ran out: that tells nothing of the API at hand.
bool died_by_itself(const Death& death);

/// SIGKILL, whoever sent it.
bool died_of_sigkill(const Death& death);

/// Of the API that ran.
outcome::Reason reason_of(const Death& death);

/// "crashed: SIGSEGV (segmentation fault)", "crashed: exited with status 3 in the golden", "timed out after 5 s",
/// "out of memory: killed by the system".
std::string message_of(const Death& death);

/// Of a crash whose API was tried again, for the Message of the try that did not crash:
/// "crashed in a first try: SIGABRT (aborted); a second one, in another process, did not".
std::string first_try_message(const Death& death);

}  // namespace msprobe::pool
