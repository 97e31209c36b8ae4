// Memory that this program asked for and did not get, or knows that nobody has.
#pragma once
#include <string>

#include "util/error.h"

namespace msprobe {

/// As Error; "out of memory: " stands before `what`.
class OutOfMemoryError : public Error {
 public:
  OutOfMemoryError(std::string where, const std::string& what, std::string remedy = "")
      : Error(std::move(where), "out of memory: " + what, std::move(remedy)), detail_(what) {}

  /// The same, found at another place.
  OutOfMemoryError at(std::string place) const { return {std::move(place), detail_, remedy()}; }
  /// The error without the words that stand before `what`.
  Error plain() const { return {where(), detail_, remedy()}; }

 private:
  std::string detail_;
};

}  // namespace msprobe
