// Which algorithm judges an output, with which limits, or why none does.
#pragma once
#include <string_view>

#include "compare/judgement.h"
#include "compare/row_name.h"
#include "config/settings.h"
#include "config/standards.h"

namespace msprobe::compare {

/// float64, complex64 and complex128: judged by none of the algorithms.
bool is_unsupported(std::string_view dtype);
/// Blank dtype, an unsupported one, or Shape `(0,)`: the row is SKIP.
bool is_skipped(std::string_view dtype, std::string_view shape);

DtypeClass dtype_class(std::string_view dtype);

/// What precision_standard.yaml says of an API.
struct ApiStandard {
  config::Algorithm algorithm;  ///< for its floating outputs
  int level;                    ///< 0 to 2
};
/// Both go by the rule of all lists (config::ApiNames). Profile mindstudio: the level goes by the whole name, and the
/// algorithm is not asked for.
ApiStandard standard_of_api(const RowName& row, const config::Standards& standards, config::Profile profile);

/// The algorithm of an output. `float8_inputs`: some argument was float8. Only profile mindstudio asks; it reads that
/// from 相对误差错误率, which MindStudio fills for no other API.
config::Algorithm select_algorithm(config::Algorithm of_api, std::string_view dtype, bool float8_inputs,
                                   config::Profile profile);

/// `Functional.gelu`: what ApiStandard depends on.
std::string_view name_with_type(const RowName& row);

}  // namespace msprobe::compare
