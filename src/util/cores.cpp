#include "util/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <thread>

// There where LibTorch has loaded an OpenMP runtime.
extern "C" [[gnu::weak]] int omp_get_num_procs();

namespace msprobe::util {
namespace {

// std::thread::hardware_concurrency counts the machine's cores with some C libraries, those of the mask with others.
int cores_of_mask() {
  // A mask that is too short for the machine is refused.
  for (int most = 1024; most <= 1 << 20; most *= 4) {
    cpu_set_t* mask = CPU_ALLOC(most);
    if (mask == nullptr) break;
    const size_t size = CPU_ALLOC_SIZE(most);
    const int n = ::sched_getaffinity(0, size, mask) == 0 ? CPU_COUNT_S(size, mask) : 0;
    CPU_FREE(mask);
    if (n > 0) return n;
  }
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

// Cores' worth of time that a control group gives; infinite without a quota.
double quota() {
  double limit = 0, period = 0;
  std::ifstream two("/sys/fs/cgroup/cpu.max");  // "max 100000" or "400000 100000"
  if (two >> limit >> period && limit > 0 && period > 0) return limit / period;
  std::ifstream limit_of_one("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
      period_of_one("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (limit_of_one >> limit && period_of_one >> period && limit > 0 && period > 0) return limit / period;
  return INFINITY;
}

}  // namespace

int usable_cores() {
  const int of_mask = cores_of_mask(), of_openmp = omp_get_num_procs != nullptr ? omp_get_num_procs() : 0;
  return std::max(1, static_cast<int>(std::min<double>(std::max(of_mask, of_openmp), std::ceil(quota()))));
}

std::string bound_by() {
  if (omp_get_num_procs == nullptr || omp_get_num_procs() <= cores_of_mask()) return {};
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    if (std::getenv(name) != nullptr) return name;
  return {};
}

}  // namespace msprobe::util
