// How many cores this process may use.
#pragma once
#include <string>

namespace msprobe::util {

/// Those that its affinity mask lets it run on (taskset, mpirun's binding, a cpuset), but no more than the CPU quota of
/// its control group gives time for, rounded up; at least 1. Where OpenMP has bound the first thread to one core
/// (OMP_PROC_BIND, OMP_PLACES), those that OpenMP counts.
int usable_cores();

/// The variable that made OpenMP bind this process to fewer cores than it may use, which processes forked from it would
/// all share; empty: none did.
std::string bound_by();

}  // namespace msprobe::util
