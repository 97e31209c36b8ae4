// Why an API was not judged, as a value. Code asks the reason; the text of a Message is made from it at the edge, and
// read again in one place alone, reason_of(), where only a file is left.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace msprobe::outcome {

enum class Reason : uint8_t {
  kNone,               ///< it was judged
  kSkipped,            ///< it cannot be, or is not to be: another try would end the same way
  kOutOfMemory,        ///< the host's memory: the process is not to be trusted with another API
  kOutOfDeviceMemory,  ///< the card's memory, which is whole again once the API is over
  kDeviceLost,         ///< the device failed and goes on failing in this process
  kCrashed,            ///< its process died, or broke what it shares with its supervisor
  kTimedOut,
};

struct ReasonRule {
  Reason reason;
  std::string_view opening;  ///< what a Message that tells of it begins with; empty: it says why in words of its own
  bool cut_short;            ///< the API began and did not come to its end: another try may end otherwise
};
/// By value of Reason: a new one is a line here, and an enumerator at the end.
constexpr std::array<ReasonRule, 7> kReasons = {{{Reason::kNone, "", false},
                                                 {Reason::kSkipped, "", false},
                                                 {Reason::kOutOfMemory, "out of memory", true},
                                                 {Reason::kOutOfDeviceMemory, "out of device memory", true},
                                                 {Reason::kDeviceLost, "device lost", true},
                                                 {Reason::kCrashed, "crashed", true},
                                                 {Reason::kTimedOut, "timed out", true}}};
constexpr uint8_t kReasonCount = kReasons.size();

constexpr std::string_view opening(Reason reason) {
  return kReasons[static_cast<size_t>(reason)].opening;
}

/// The opening, and what follows behind ": ": "crashed: SIGSEGV (segmentation fault)". Just the opening where there is
/// no detail; just the detail where there is no opening.
std::string message_of(Reason reason, std::string_view detail);

constexpr bool cut_short(Reason reason) {
  return kReasons[static_cast<size_t>(reason)].cut_short;
}

/// The reason of a SKIP row that was read from a file, by its Message: the inverse of opening().
Reason reason_of(std::string_view message);

}  // namespace msprobe::outcome
