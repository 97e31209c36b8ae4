// --shard i/n: the parts that the processes of a launcher (mpirun, srun, an indexed job) take.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace msprobe::plan {

/// First positions of `shards` runs of neighbours, and the end: part i is [cuts[i], cuts[i + 1]). The dearest part is
/// as cheap as neighbours allow. The same on every host. Neighbours, so that the parts' files joined one behind the
/// other are in the dump's order.
std::vector<size_t> shard_cuts(const std::vector<double>& costs, int shards);

}  // namespace msprobe::plan
