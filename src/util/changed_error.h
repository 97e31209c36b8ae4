// A file that somebody changed while it was being read. The program ends with "could not finish" (exit code 3), not
// with "unreadable input": nothing says that the file was bad, or is.
#pragma once
#include <string>

#include "util/error.h"

namespace msprobe {

class ChangedError : public Error {
 public:
  explicit ChangedError(std::string where, std::string what = "was changed while it was being read")
      : Error(std::move(where), std::move(what), "start again when nothing writes to it any more") {}
};

}  // namespace msprobe
