// Which APIs of a dump a run takes up: --only, --except, --rerun-failed, -f, --shard, and what a resumed file already
// has.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "dump/index.h"

namespace msprobe::cli {

/// Indices into `index`, in the dump's order. --only and --except leave APIs out altogether (black and white list
/// instead give SKIP rows, later). Throws Error: an expression that leaves nothing, a --rerun-failed file that cannot
/// be read or whose APIs the dump does not have. A --rerun-failed file without failures leaves nothing, which is no
/// error.
std::vector<size_t> select_apis(const dump::Index& index, const config::Settings& settings);

/// Without those of `done` (names of a resumed result file). Throws Error for a name that the dump does not have: the
/// file then belongs to another dump.
std::vector<size_t> without_done(const dump::Index& index, std::vector<size_t> selected,
                                 const std::vector<std::string>& done, const std::string& result_path);

/// Names of the APIs with error or warning in a result CSV.
std::vector<std::string> failed_apis(const std::string& result_csv);

/// What -f compares: type and name of the API, and its arguments without values of tensors (dtype, shape, requires_grad
/// and everything that is no tensor count). A call with a recorded backward is another call than one without.
std::string structure_of(const dump::Record& record);

/// Element operations, roughly: what --shard balances.
double estimated_cost(const dump::Record& record);

/// The indices into `costs` that belong to part `shard` of `shards`, ascending. The dearest first to the part that has
/// least; the same on every host.
std::vector<size_t> part_of(const std::vector<double>& costs, int shard, int shards);

}  // namespace msprobe::cli
