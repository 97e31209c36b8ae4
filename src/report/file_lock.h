// flock, with a message that says who holds it.
#pragma once
#include <string>

namespace msprobe::report {

/// Locks `fd` for this process. A process that was just killed may take a moment to let go, so it is asked for
/// `patience` seconds. File systems without locks count as locked. Throws Error naming `path` and the process that has
/// it. kShared: against writers alone; a descriptor for reading will do.
enum class Lock { kExclusive, kShared };
void lock_file(int fd, const std::string& path, double patience, Lock kind = Lock::kExclusive);

/// "process 4711 (msprobe)" from /proc/locks; "another process" when that does not tell.
std::string lock_holder(int fd);

}  // namespace msprobe::report
