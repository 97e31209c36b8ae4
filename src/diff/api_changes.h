// From outputs to APIs: what became of each direction of a call, by the verdicts that acc_check gives it.
#pragma once
#include <array>
#include <deque>
#include <string_view>

#include "diff/report.h"
#include "util/name_index.h"

namespace msprobe::diff {

class ApiChanges {
 public:
  enum class Side { kOld, kNew };

  /// A row of one side; `name` must outlive the collection. Names that are no outputs of an API count as one each.
  void add(Side side, std::string_view name, const Verdict& verdict);
  /// A row of this name has a figure that moved.
  void note_move(std::string_view name);
  /// Adds the APIs by Change. An API of which one direction is worse is worse.
  void count(bool assessed, Counts& counts) const;

 private:
  struct Direction {
    std::array<Verdict, 2> verdicts;  ///< by Side; blank: no row
  };
  struct Api {
    std::array<bool, 2> seen{};
    std::array<Direction, 2> directions;  ///< forward, backward
    bool moved = false;
  };
  Api& api_of(std::string_view name);

  util::NameIndex names_;
  std::deque<Api> apis_;
};

}  // namespace msprobe::diff
