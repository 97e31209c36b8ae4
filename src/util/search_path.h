// Programs by name, and the environment of those that are started: an entry of PATH that is empty or relative means the
// current folder, where anyone may have put a program, and Python reads an empty entry of PYTHONPATH the same way.
#pragma once
#include <string>
#include <vector>

namespace msprobe::util {

/// Whether `path` is a regular file that may be executed.
bool is_program(const std::string& path);

/// The first program `name` in the folders of PATH ("/usr/bin:/bin" without one) that are absolute; "" for none.
std::string program_in_path(const std::string& name);

/// PYTHONPATH without empty entries; "" when nothing is left. A relative entry stays: it was named by the user.
std::string python_path();

/// NAME=value for a Python that is started: this process's own, but for PATH, which keeps its absolute folders, and
/// PYTHONPATH, which is python_path(). `more` replaces and adds.
std::vector<std::string> python_environment(const std::vector<std::string>& more = {});

/// As execve and posix_spawn want `texts`, which must outlive it.
std::vector<char*> pointers_to(const std::vector<std::string>& texts);

}  // namespace msprobe::util
