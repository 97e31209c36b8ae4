// The key `source` of an operator in fused_operators.yaml: text in the file itself, or another file whose kind follows
// from its name and from what it holds.
#pragma once
#include <string>

#include "config/document.h"
#include "goldens/user/configuration.h"

namespace msprobe::goldens {

/// The nodes of one entry, nullptr where the key is absent.
struct OperatorKeys {
  const config::Node *source = nullptr, *kind = nullptr, *forward = nullptr, *backward = nullptr;
};

/// Fills in what follows from keys.source (which is there): kind, file, line, text, constants; op.forward where none is
/// given. `path`: the yaml file, to whose folder relative paths refer. Throws Error: no such file, a kind that does not
/// fit, a function that the source does not define.
void read_source(const std::string& path, const OperatorKeys& keys, UserOperator& op);

}  // namespace msprobe::goldens
