// msprobe apis: what this build can replay.
#pragma once
#include <string>

namespace msprobe::cli {

/// Prints one line a name to stdout: adaptors ("Functional.cross_entropy"), goldens of fused operators
/// ("NPU.npu_swiglu", with their schema), operators that plain dispatch reaches under any prefix ("*.add"). `only`: a
/// regular expression on the name; empty: all. Returns the exit code.
int list_known_apis(const std::string& only);

}  // namespace msprobe::cli
