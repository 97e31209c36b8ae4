#include "plan/shard.h"

#include <algorithm>
#include <numeric>

namespace msprobe::plan {
namespace {

// Cuts so that no part exceeds `limit`, as early parts as full as may be; more parts than allowed: empty.
std::vector<size_t> cut_at(const std::vector<double>& costs, size_t shards, double limit) {
  std::vector<size_t> cuts{0};
  double sum = 0;
  for (size_t i = 0; i < costs.size(); ++i) {
    if (sum + costs[i] > limit && i > cuts.back()) {
      cuts.push_back(i);
      sum = 0;
    }
    sum += costs[i];
    if (cuts.size() > shards) return {};
  }
  cuts.resize(shards + 1, costs.size());
  return cuts;
}

}  // namespace

std::vector<size_t> shard_cuts(const std::vector<double>& costs, int shards) {
  const auto wanted = static_cast<size_t>(std::max(1, shards));
  const size_t n = std::clamp<size_t>(costs.size(), 1, wanted);  // parts beyond that have nothing to do
  double low = costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
  double high = std::accumulate(costs.begin(), costs.end(), 0.0) * (1 + 1e-9);
  low = std::min(std::max(low, high / static_cast<double>(n)), high);
  std::vector<size_t> best = cut_at(costs, n, high);
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings && low < high; ++i) {
    const double limit = low + (high - low) / 2;
    if (auto cuts = cut_at(costs, n, limit); !cuts.empty()) {
      best = std::move(cuts);
      high = limit;
    } else {
      low = limit;
    }
  }
  best.resize(wanted + 1, costs.size());
  return best;
}

}  // namespace msprobe::plan
