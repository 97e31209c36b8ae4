#include "goldens/user/users_golden.h"

#include <utility>

#include "goldens/user/golden_library.h"
#include "goldens/user/python_golden.h"
#include "goldens/user/torchscript.h"

namespace msprobe::goldens {

std::unique_ptr<UsersGolden> make_golden(const UserOperator& op, std::shared_ptr<PythonProcess> python) {
  switch (op.kind) {
    case Kind::kTorchScript:
    case Kind::kModule:
      return torchscript_golden(op, std::move(python));
    case Kind::kPython:
      return python_golden(op, std::move(python));
    case Kind::kLibrary:
      break;
  }
  return library_golden(op);
}

}  // namespace msprobe::goldens
