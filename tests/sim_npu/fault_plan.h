// The fault file of the simulated cards, read (faults.h says what may stand in it).
#pragma once
#include <ATen/core/operator_name.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sim_npu {

enum class Kind {
  kRelativeError,
  kUlpError,
  kZero,
  kSwapRows,
  kBitFlip,
  kNan,
  kWrongShape,
  kError,
  kLateError,
  kOutOfMemory,
  kAbort,
  kSegfault,
  kHang
};

enum class Phase { kAny, kForward, kBackward };
enum class Region { kNone, kTail, kColumns, kBlock, kCorner };

struct Fault {
  std::string pattern, kind_name;
  Kind kind = Kind::kNan;
  Phase phase = Phase::kAny;
  Region region = Region::kNone;
  int device = -1;
  std::vector<uint64_t> calls;  // empty: every one
  double chance = 1;
  int output = -1;
  int64_t elements = 1;  // 0: all
  double size = 0.01;
  int bit = -1;
  std::string message;
  uint64_t salt = 0;  // tells the draws of one fault from another's
  std::unique_ptr<std::atomic<uint64_t>> counted = std::make_unique<std::atomic<uint64_t>>(0);

  bool changes_results() const { return kind <= Kind::kWrongShape; }
  bool strikes_copies() const;
  bool names(const c10::OperatorName& op) const;
};

/// What stands for a kernel where a tensor is copied to the CPU.
constexpr const char* kCopyToHost = "copy_to_host";

struct Plan {
  uint64_t seed = 0;
  double delay = 0;
  std::string log, stand_ins;
  std::vector<Fault> faults;
};

/// Read when first asked for, so that a bad file is an error of a call and not of loading the library.
const Plan& plan();

/// Sebastiano Vigna's SplitMix64: one draw for one number.
uint64_t mixed(uint64_t x);

}  // namespace sim_npu
