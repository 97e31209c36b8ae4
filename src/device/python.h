// The Python that torch_npu belongs to. Loading libtorch_npu.so needs Python's library alone; the first use of a device
// needs more: it imports the package torch_npu, which starts the driver. So a Python is started in the process that
// opens an NPU.
#pragma once
#include <string>
#include <vector>

namespace msprobe::device {

/// What a Python installation tells of itself without importing torch.
struct Python {
  std::string executable;         ///< "" when there is none
  std::string home;               ///< where its own modules lie: sys.base_prefix
  std::string libpython;          ///< libpython3.x.so; "" when it has none (linked into the executable)
  std::string torch;              ///< folder of the package torch, "" when absent
  std::string torch_npu;          ///< folder of the package torch_npu, "" when absent
  std::vector<std::string> path;  ///< sys.path, which a virtual environment adds to
};
/// Asks `executable`, by default the first python3 (or python) of PATH's absolute folders. Nothing of the current
/// folder is imported.
Python ask_python(const std::string& executable = "");

/// Loads libpython for all that is loaded later. Throws Error with the remedy.
void load_python(const Python& python);

/// Runs `program` (statements, each line indented by four blanks) in this process's interpreter, which is started first
/// when it is not running: sys.path is `first`, then `python`'s. Gives back the text that the program leaves in
/// `answer`. Throws Error with what Python raised. The library must be loaded. Any thread may call it afterwards.
std::string run_python(const Python& python, const std::string& first, const std::string& program);

}  // namespace msprobe::device
