// What a call throws, for tests of messages.
#pragma once
#include <string>

#include "util/error.h"

namespace msprobe::support {

/// what() of the `Exception` that `call` throws; "no error" where it returns. Other exceptions pass.
template <class Exception = Error, class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace msprobe::support
