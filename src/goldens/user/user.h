// Users' own goldens (fused_operators.yaml) among the registered ones, and what is judged of partly written outputs.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "dump/api_name.h"
#include "goldens/user/configuration.h"
#include "inputs/value.h"

namespace msprobe::goldens {

/// Reads the installed fused_operators.yaml and the file of settings.fused_operators, whose entries go before, and puts
/// their goldens in. Once, before the first fork. Throws Error (file, line, remedy). Nothing is compiled or loaded yet:
/// a golden's own errors come with its first call.
void use_users_operators(const config::Settings& settings);
/// The same for one configuration; `users`: not the installed one.
void use(const Configuration& configuration, bool users = true);

/// APIs that the user's own file tells of: "npu_swiglu", "Functional.gelu".
const std::set<std::string>& users_apis();

/// Starts the host's Python in this process where a plain Python golden of one of these APIs will need it: importing
/// torch is no part of that API's time.
void start_python_for(const std::vector<std::string_view>& apis);

/// How many rows of dimension 0 of the call's outputs its operator writes; nullopt: all, or no rule is known, or its
/// argument is absent. `note`: what of a user's rule the call lacks, for Message.
struct WrittenRows {
  int64_t rows = 0;
  std::string argument;  ///< that tells
};
std::optional<WrittenRows> written_rows(const dump::ApiName& name, const inputs::Arguments& arguments,
                                        std::string* note = nullptr);

}  // namespace msprobe::goldens
