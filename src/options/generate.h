// Manual page and shell completion, from the table of options: msprobe --generate man, msprobe --generate
// complete-bash.
#pragma once
#include <string>
#include <string_view>

namespace msprobe::options {

/// msprobe.1 in roff.
std::string manual_page();
/// Completion of subcommands and options for bash.
std::string bash_completion();
/// The text of `kind` ("man", "complete-bash"). Throws Error for another.
std::string generate(std::string_view kind);

}  // namespace msprobe::options
