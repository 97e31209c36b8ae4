// What an exception says, fit for a terminal, a log and a cell.
#pragma once
#include <exception>
#include <string>

namespace msprobe::util {

/// what() of `error` on one line (util::one_line); of an Error its whole text, also behind a NUL that a dump may hold.
std::string message_of(const std::exception& error);

}  // namespace msprobe::util
