// A file that cannot be written for no fault of the command line: a full disk, a limit, a broken device. The program
// ends with "could not finish" (exit code 3), not with "bad usage".
#pragma once
#include <cerrno>

#include "util/error.h"

namespace msprobe {

class WriteError : public Error {
 public:
  using Error::Error;
};

namespace util {

/// errno values that speak of room: a disk, a quota, or the limit of a file's size (ulimit -f).
inline bool wants_room(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

}  // namespace util
}  // namespace msprobe
