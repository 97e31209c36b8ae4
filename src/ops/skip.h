// Which APIs are not run, and why (docs/execution.md#what-is-skipped). Lists come from config.
#pragma once
#include <optional>
#include <string>

#include "config/api_list.h"
#include "config/standards.h"
#include "dump/record.h"
#include "inputs/value.h"

namespace msprobe::ops {

/// What the user asked for.
struct NameLists {
  const config::ApiList& white;  ///< empty: all
  const config::ApiList& black;  ///< goes before the white one
};

/// By name alone: Distributed, MindSpeed, malformed names, to/empty*, black and white list, random by nature, names
/// that are gone from newer PyTorch, callables that are not recorded. nullopt: run it.
std::optional<std::string> skip_by_name(const dump::ApiName& name, const NameLists& lists,
                                        const config::Standards& standards);

/// By its arguments: random only with them (dropout_p > 0 in attention, rrelu in training, ...), sparse layouts.
/// by_value: a dropout that draws nothing (draws_nothing) is run.
std::optional<std::string> skip_by_arguments(const dump::ApiName& name, const inputs::Arguments& arguments,
                                             const config::Standards& standards, bool by_value = true);

/// Why a name that passes skip_by_name cannot be called: this LibTorch has no operator for it, or (NPU) no golden is
/// known. On an NPU, `golden` is where the golden of an operator comes from that torch_npu does not have.
std::string nothing_to_call(const dump::ApiName& name, const std::string& golden = {});

/// config::is_dropout of its name.
bool is_dropout(const dump::ApiName& name);
/// A dropout whose arguments leave nothing to chance: its probability is 0 or 1, or it is not training (`dropout` of
/// config/signatures.yaml).
bool draws_nothing(const dump::ApiName& name, const inputs::Arguments& arguments);
/// True for APIs that change argument 0: a trailing `_` (not dunders), `__iadd__` and its like, `__setitem__`,
/// inplace=True.
bool is_inplace(const dump::ApiName& name, const inputs::Arguments& arguments);

}  // namespace msprobe::ops
