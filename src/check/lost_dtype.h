// A dtype that the dump does not tell: one given by position, or by a keyword that the dumper does not know
// (out_dtype), is written as `{}`, a tensor class (Tensor.type) as null. The recorded output tells which it was.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "dump/api_name.h"
#include "dump/argument.h"
#include "inputs/value.h"

namespace msprobe::check {

/// `recorded`: flat recorded outputs. nullopt: no dtype was lost, or no output tells it. Profile mindstudio does not
/// look at keywords like out_dtype.
std::optional<at::ScalarType> lost_dtype(config::Profile profile, const dump::ApiName& name,
                                         const inputs::Arguments& inputs,
                                         const std::vector<const dump::Argument*>& recorded);

/// Puts `dtype` where the call lost its own.
void put_lost_dtype(const dump::ApiName& name, at::ScalarType dtype, inputs::Arguments& arguments);

/// For Message, where a lost dtype was taken from the record.
std::string lost_dtype_text(const inputs::Arguments& inputs);

}  // namespace msprobe::check
