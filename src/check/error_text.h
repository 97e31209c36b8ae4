// An exception as one line of a Message cell.
#pragma once
#include <exception>
#include <string>

#include "outcome/reason.h"

namespace msprobe::check {

struct ErrorText {
  std::string text;  ///< one line, no backtrace, at most ~600 bytes
  outcome::Reason reason = outcome::Reason::kSkipped;

  /// The device's memory ran out, or the host's.
  bool out_of_memory() const {
    return reason == outcome::Reason::kOutOfMemory || reason == outcome::Reason::kOutOfDeviceMemory;
  }
};

/// Call inside a catch block's scope with the caught pointer.
ErrorText describe_error(std::exception_ptr error);

}  // namespace msprobe::check
