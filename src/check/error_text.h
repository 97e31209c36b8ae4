// An exception as one line of a Message cell.
#pragma once
#include <exception>
#include <string>

namespace msprobe::check {

struct ErrorText {
  std::string text;            ///< one line, no backtrace, at most ~600 bytes
  bool out_of_memory = false;  ///< the device's or the host's memory ran out
};

/// Call inside a catch block's scope with the caught pointer.
ErrorText describe_error(std::exception_ptr error);

}  // namespace msprobe::check
