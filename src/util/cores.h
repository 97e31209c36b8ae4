// How many cores this process may use.
#pragma once

namespace msprobe::util {

/// Those that its affinity mask lets it run on (taskset, mpirun's binding, a cpuset), but no more than the CPU quota of
/// its control group gives time for, rounded up; at least 1.
int usable_cores();

}  // namespace msprobe::util
