// Where inf, nan and zeros began, by recorded statistics alone (docs/cause.md#where-it-began).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/api_list.h"
#include "dump/record.h"
#include "overview/range.h"

namespace msprobe::overview {

struct Beginning {
  enum class Kind {
    kOutput,    ///< inputs finite, an output not
    kGradient,  ///< what the call took, gave and got back finite, a gradient of its inputs not
    kZero,      ///< an output all 0, inputs not
  };
  Kind kind;
  std::string api;            ///< without direction
  std::vector<Range> inputs;  ///< kGradient: the gradients that came in
  Range output;               ///< the first that shows it
  bool several = false;       ///< there are other outputs
};

/// Of config/beginnings.yaml, which tells what the lists mean.
struct BeginningFacts {
  config::ApiList constants, choices;      ///< names of APIs
  std::vector<std::string> communication;  ///< types of APIs: "Distributed"

  /// Whether what the API returns depends on what its recorded inputs hold, and on nothing else.
  bool tells(const dump::ApiName& name) const;
};
/// Throws Error: unreadable, unknown keys.
BeginningFacts read_beginning_facts(const std::string& path);
/// Those of the installed file, read when first asked for.
const BeginningFacts& installed_beginning_facts();

/// Each looks at one record alone: nothing where it is no beginning, or where too little was recorded to say.
std::optional<Beginning> output_begins(const dump::Record& record, const BeginningFacts& facts);
std::optional<Beginning> gradient_begins(const dump::Record& record, const BeginningFacts& facts);
std::optional<Beginning> zero_begins(const dump::Record& record, const BeginningFacts& facts);

/// `first inf: Tensor.__mul__.1 (train.py:24, blocks.1.attn): inputs up to 3.2 and 1e+08, output inf`; `place` may be
/// empty.
std::string text(const Beginning& beginning, std::string_view place);

}  // namespace msprobe::overview
