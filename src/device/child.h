// Work done in a process of its own: a driver or a library that crashes, starts threads or keeps a device open does so
// there.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace msprobe::device {

/// Runs `work` in a forked child and returns its text. An Error that it throws is thrown here again; a crash, or taking
/// longer than `seconds`, is an Error at `where` with the child's last words. The caller must have a single thread.
std::string in_child(const std::string& where, const std::function<std::string()>& work, double seconds = 120);

/// What the program argv[0] writes to its standard output; "" when it cannot be run or fails. A name is looked up by
/// util::program_in_path(); the environment is util::python_environment(variables).
std::string output_of(const std::vector<std::string>& argv, const std::vector<std::string>& variables = {});

}  // namespace msprobe::device
