// What a worker is doing with the API at hand, kept where its supervisor reads it when the worker has died: a crash of
// the golden says nothing against the device.
#pragma once
#include <atomic>
#include <cstdint>
#include <string_view>

namespace msprobe::outcome {

enum class Stage : uint8_t {
  kUnknown,
  kRebuild,         ///< inputs are rebuilt from the record
  kDevice,          ///< the operator runs on the device
  kDeviceBackward,  ///< ... and its backward
  kGolden,
  kGoldenBackward,
  kComparison,
};

/// In memory that both processes see, which foreign code may overwrite: any value may stand there.
using StageCell = std::atomic<Stage>;
static_assert(StageCell::is_always_lock_free, "two processes share it");

/// Behind "crashed: SIGSEGV (segmentation fault)" or "timed out after 5 s": " in the golden". Empty for the operator on
/// the device, which is meant when nothing is said, and for what is no stage.
std::string_view stage_text(Stage stage);

}  // namespace msprobe::outcome
