// The program's log: spdlog's default logger on stderr. Results never go here.
#pragma once
#include <string>

namespace msprobe::util {

/// verbosity -1: warnings and errors; 0: also what is being done; 1: debug; 2: trace. `file`, when not empty, gets
/// everything from debug on, whatever the verbosity. Colour as util/style.h says. On a terminal each message first
/// clears a progress line that may stand there. Messages are put on one line (util::one_line). Throws Error when the
/// file cannot be opened, or is a link, no regular file or one with a second name; when it cannot be written later, one
/// line on stderr says so.
void init_log(int verbosity, const std::string& file = "");

}  // namespace msprobe::util
