// Files that are written to where they stand: what somebody put in their place is not followed, waited for or changed.
#pragma once
#include <sys/stat.h>

#include <string>

namespace msprobe::util {

/// Why an opened file must not be written to: "is not a regular file", "has 2 names (hard links), ..."; "" when it may.
std::string unfit_to_write(const struct stat& info);

/// Opens a log for appending, made with mode 0640 when it is absent; the caller closes the descriptor. Throws
/// WriteError: it cannot be opened, is a symbolic link or no regular file, or has a second name.
int open_log(const std::string& path);

}  // namespace msprobe::util
