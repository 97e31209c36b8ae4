// Why an API was not judged, as a value. Code asks the reason; the text of a Message is made from it at the edge, and
// read again in one place alone, reason_of(), where only a file is left.
#pragma once
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
constexpr uint8_t kReasonCount = static_cast<uint8_t>(Reason::kTimedOut) + 1;

/// What a Message that tells of it begins with: "out of memory", "crashed". Empty for kNone and kSkipped, whose
/// Message says why in words of its own.
std::string_view opening(Reason reason);

/// The opening, and what follows behind ": ": "crashed: SIGSEGV (segmentation fault)". Just the opening where there is
/// no detail; just the detail where there is no opening.
std::string message_of(Reason reason, std::string_view detail);

/// The API began and did not come to its end: another try may end otherwise.
constexpr bool cut_short(Reason reason) {
  return reason >= Reason::kOutOfMemory;
}

/// The reason of a SKIP row that was read from a file, by its Message: the inverse of opening().
Reason reason_of(std::string_view message);

}  // namespace msprobe::outcome
