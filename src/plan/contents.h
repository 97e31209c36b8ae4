// What the files that a configuration names hold, as a short text: the same wherever they lie and by whatever path they
// are named.
#pragma once
#include <string>

#include "config/settings.h"

namespace msprobe::plan {

/// "precision_standard.yaml 0123456789abcdef": the file's name, and a hash of signatures.yaml, which stands in for
/// lists that the file leaves out, and of the file. The path where it cannot be read; whoever needs the file says what
/// is wrong.
std::string contents_of_standard(const config::Settings& settings);

/// The same of fused_operators, over the installed file and the user's, and a second hash of the files of users'
/// goldens (of those above 64 MiB, weights mostly, by size and time).
std::string contents_of_operators(const config::Settings& settings);

}  // namespace msprobe::plan
