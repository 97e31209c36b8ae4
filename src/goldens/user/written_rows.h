// Outputs of which an operator leaves rows unwritten: which of them are judged.
#pragma once
#include <optional>
#include <string>

#include "goldens/user/configuration.h"
#include "inputs/value.h"

namespace msprobe::goldens {

struct WrittenRows {
  int64_t rows = 0;      ///< of dimension 0
  std::string argument;  ///< that tells
};

/// What `rule` says of a call; nullopt: all rows are written, or its argument is absent. `parameters`: Python's
/// parameter list of the operator, which tells where arguments may stand by position; empty: it is not known. `note`:
/// what of a user's rule the call lacks, for Message; may be nullptr.
std::optional<WrittenRows> written_rows(const ValidRows& rule, const std::string& parameters,
                                        const inputs::Arguments& arguments, std::string* note);

}  // namespace msprobe::goldens
