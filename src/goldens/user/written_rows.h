// Outputs of which an operator leaves rows unwritten: which of them are judged.
#pragma once
#include <optional>
#include <string>

#include "dump/api_name.h"
#include "goldens/user/configuration.h"
#include "inputs/value.h"

namespace msprobe::goldens {

struct WrittenRows {
  int64_t rows = 0;      ///< of dimension 0
  std::string argument;  ///< that tells
};

struct RowsCall {
  const dump::ApiName& api;
  const std::string& parameters;  ///< Python's parameter list of the API's golden; empty: as signatures know the API
  const inputs::Arguments& arguments;
};

/// What `rule` says of a call; nullopt: all rows are written, or its argument is absent. `note`: what of a user's rule
/// the call lacks, for Message; may be nullptr.
std::optional<WrittenRows> written_rows(const ValidRows& rule, const RowsCall& call, std::string* note);

}  // namespace msprobe::goldens
