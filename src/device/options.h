#pragma once
#include <string>
#include <vector>

namespace msprobe::device {

/// What is asked of the device under test.
struct Options {
  std::string type = {};        ///< "npu", "cuda", "cpu"; empty: the first that exists
  std::vector<int> devices{0};  ///< numbers of the cards
  std::string torch_npu = {};   ///< --torch_npu: the package's folder or its library; empty: not named
  bool jit_compile = false;     ///< -j: an NPU compiles its operators at run time
};

}  // namespace msprobe::device
