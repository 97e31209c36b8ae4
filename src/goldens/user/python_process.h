// The host's Python with torch in a process of its own, which serves all calls of goldens written in plain Python.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "inputs/value.h"

namespace msprobe::goldens {

/// There is none that has torch; the words say why and what to do.
struct NoPython : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One a worker: started at the first call, started anew when a golden brought it down, killed when its worker ends or
/// is killed (PR_SET_PDEATHSIG). A forked child that was given this object by its parent starts a process of its own.
/// Not thread-safe: a worker calls one golden at a time.
class PythonProcess {
 public:
  PythonProcess() = default;
  ~PythonProcess();
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;

  struct Call {
    std::string file, function;
    std::string backward;  ///< function for the gradients, which keep asks for; empty: torch's autograd
    bool keep = false;     ///< backward() will be called
  };
  /// Calls function(*args, **kwargs). `kept`: the number by which backward() finds the call again. Throws
  /// std::runtime_error: no Python, what the golden raised ("file:line: Class: words"), or how its process died.
  inputs::Value forward(const Call& call, const inputs::Arguments& arguments, uint64_t& kept);
  /// The gradients of call `kept`, as the backward function returned them, or one for each tensor of the call.
  inputs::Value backward(uint64_t kept, const std::vector<at::Tensor>& gradients);
  /// The call is not needed any more.
  void drop(uint64_t kept);

  /// Starts it before the first call, which then need not wait. What goes wrong is told by that call.
  void start_ahead();
  pid_t pid() const { return pid_; }
  /// Ends it; the next call looks for a Python and starts one.
  void stop();

 private:
  /// It runs, and for this process.
  bool serves() const;
  void leave_to_parent();
  void start();
  void greet(const std::string& python, const std::string& script);
  /// Keeps `why`: there is none, and it is not looked for again.
  [[noreturn]] void is_missing(const std::string& why);
  /// Ends it; how it ended by itself.
  std::string end();
  [[noreturn]] void died();
  void take_output();
  inputs::Value request(const std::string& head, class TensorBlock& block);

  pid_t owner_ = 0;  ///< process that the members below are of
  pid_t pid_ = -1;
  int socket_ = -1, output_ = -1;
  uint64_t generation_ = 0;  ///< of the process: calls of an earlier one are lost
  uint64_t next_ = 1;
  std::string missing_;  ///< why there is no Python; asked once
};

}  // namespace msprobe::goldens
