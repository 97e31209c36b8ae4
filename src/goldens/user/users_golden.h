// A golden that a user brought, whatever it is written in.
#pragma once
#include <memory>
#include <string>

#include "goldens/user/configuration.h"
#include "goldens/user/python_process.h"
#include "inputs/value.h"

namespace msprobe::goldens {

class UsersGolden {
 public:
  virtual ~UsersGolden() = default;
  /// Takes the arguments as recorded; autograd runs through the result. What it needs (a compiler, a library, a Python)
  /// is made ready by its first call, whose errors (std::runtime_error) name the user's file.
  virtual inputs::Value call(const inputs::Arguments& arguments) = 0;
  /// What Message says of it after a call; may be empty.
  virtual std::string remark() const { return ""; }
};

/// The one of op.kind. `python` serves what is written in plain Python.
std::unique_ptr<UsersGolden> make_golden(const UserOperator& op, std::shared_ptr<PythonProcess> python);

}  // namespace msprobe::goldens
