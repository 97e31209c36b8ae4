// What a worker says to its supervisor: frames on a stream socket. One machine, one program, so native byte order.
//
//   frame   = magic "mp", version, kind, u32 length of the payload, payload
//   ready   = lines of text: what the device says about itself
//   failed  = text: why the worker cannot start
//   outcome = u32 job, u8 leaving, api, forward, backward, u8 reason, message, f64 seconds, recorded_ulp, u32 rows,
//             rows
//   row     = 4 texts, figures, u8 status, message, assessed (assessed_bytes.h)
//   text    = u32 length, bytes; an optional number = u8, f64; figures = u32 mask, the f64 that are there
//
// A worker runs foreign code that may write anything anywhere: every length is checked, and what cannot be read ends
// the worker, never the supervisor.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outcome/row.h"

namespace msprobe::pool {

enum class FrameKind : uint8_t { kReady = 1, kFailed = 2, kOutcome = 3 };
constexpr uint32_t kMaxPayload = 256u << 20;

struct Frame {
  FrameKind kind;
  std::string_view payload;
};

struct OutcomeMessage {
  uint32_t job = 0;
  bool leaving = false;  ///< the worker ends after this one: its memory or its device is not to be trusted any more
  outcome::ApiOutcome outcome;
};

std::string encode_text(FrameKind kind, std::string_view text);
std::string encode_outcome(uint32_t job, bool leaving, const outcome::ApiOutcome& outcome);
/// nullopt: not an outcome as encode_outcome makes it.
std::optional<OutcomeMessage> decode_outcome(std::string_view payload);

/// Puts a stream together again. Memory: what has been fed and not yet taken.
class FrameReader {
 public:
  void feed(const char* data, size_t size);
  /// The next whole frame; its payload lives until the next feed() or next(). nullopt: not there yet, or broken().
  std::optional<Frame> next();
  bool broken() const { return broken_; }  ///< what arrived is no frame

 private:
  std::string buffer_;
  size_t begin_ = 0;
  bool broken_ = false;
};

}  // namespace msprobe::pool
