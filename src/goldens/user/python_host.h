// The host's Python: which it is, and how it is started.
#pragma once
#include <sys/types.h>

#include <string>

namespace msprobe::goldens {

/// How every complaint about it begins.
constexpr const char* kNeedsPython = "goldens in Python need a Python with torch";

/// The Python that is used: $MSPROBE_PYTHON, else the first python3 of PATH's absolute folders. Throws
/// std::runtime_error where there is none.
std::string find_python();

/// A started Python; its owner closes the descriptors and waits for the process.
struct Child {
  pid_t pid = -1;
  int socket = -1;  ///< to the other end, which is descriptor 3 over there
  int output = -1;  ///< memory that holds what it prints; -1: it is dropped
};

/// Starts `python script`, which is killed when this process ends or is killed (PR_SET_PDEATHSIG). Throws
/// std::runtime_error where the system gives no process; nothing is left open then.
Child start_python(const std::string& python, const std::string& script);

/// How a process ended: "ended with status 1", "was ended by a signal: Aborted", or that it lives on without its
/// socket; then the last line of `output`. A process that has ended is waited for: `pid` is -1 then.
std::string how_it_ended(pid_t& pid, int output);

/// The end of what it printed.
std::string last_words(int output);

}  // namespace msprobe::goldens
