// Which job next, and rows in order: a pure state machine over positions 0..count-1 of the list of APIs to do.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "outcome/row.h"

namespace msprobe::pool {

class Scheduler {
 public:
  /// Looks at most `window` jobs beyond the first one whose row is not written; so many outcomes may have to be kept.
  /// `cost` is asked once a job, when the window reaches it.
  /// `backlog`: so many finished outcomes may wait for an earlier one before the oldest job goes first again (a kill
  /// repeats what waits).
  Scheduler(size_t count, size_t window, size_t backlog, std::function<double(size_t)> cost);

  /// The dearest job of the window, or the oldest when the backlog asks for it; nullopt: nothing to hand out now.
  std::optional<uint32_t> next();
  double cost(uint32_t job) const;
  /// A job handed out is to be done again.
  void requeue(uint32_t job);
  void finish(uint32_t job, outcome::ApiOutcome outcome);
  /// The outcome of the next row, when it is there.
  std::optional<outcome::ApiOutcome> pop_ready();

  size_t written() const { return written_; }          ///< outcomes popped
  size_t waiting() const { return finished_.size(); }  ///< outcomes that are there and not popped
  bool all_written() const { return written_ == count_; }

 private:
  void extend();

  size_t count_, window_, backlog_;
  std::function<double(size_t)> cost_of_;
  size_t written_ = 0, seen_ = 0;
  std::map<uint32_t, double> costs_;               ///< of the window
  std::set<uint32_t> pending_;                     ///< by age
  std::set<std::pair<double, uint32_t>> by_cost_;  ///< (-cost, job): the same jobs
  std::map<uint32_t, outcome::ApiOutcome> finished_;
};

}  // namespace msprobe::pool
