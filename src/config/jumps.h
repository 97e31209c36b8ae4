// Section `jumps` of precision_standard.yaml: functions that jump, and what a golden is asked there
// (docs/execution.md#functions-that-jump).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "config/api_list.h"
#include "config/document.h"

namespace msprobe::config {

/// What is known of one function that jumps.
struct Jump {
  /// To what PyTorch converts the operands before it computes.
  enum class Operands {
    kAsGiven,
    kTensor,      ///< "tensor": numbers and tensors to the dtype that PyTorch promotes them to
    kArithmetic,  ///< "arithmetic": numbers to that dtype, to float32 where it is a half type
  };
  Operands operands = Operands::kAsGiven;
  bool positions = false;  ///< "golden: positions": computed as the device computes them, the rest in float64
  bool single = false;     ///< "golden: float32": the golden is raised to float32 alone
  std::string near;  ///< the parameter whose rounding decides on which side of a jump an element lies; may be empty
  std::string bins;  ///< the parameter whose elements are counted in bins; may be empty
  /// Only where the parameter has one of these values, written as text; "": left out or None.
  std::map<std::string, std::vector<std::string>> when;
  bool operator==(const Jump&) const = default;
};

/// `path` names the file in Errors: unknown keys, wrong types.
ApiMap<Jump> read_jumps(const std::string& path, const Node& section);

/// Those of the installed precision_standard.yaml, for files that leave the section out.
ApiMap<Jump> installed_jumps();

}  // namespace msprobe::config
