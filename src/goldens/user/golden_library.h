// Goldens in shared libraries with the interface of msprobe/plugin.h.
#pragma once
#include <memory>

#include "goldens/user/users_golden.h"

namespace msprobe::goldens {

/// The golden op.forward of the library op.file, loaded at its first call and kept. Its file is read first: one that is
/// no such library, or says there that it was built for another interface or LibTorch, runs no code. Throws
/// std::runtime_error naming the library: it cannot be loaded, is no such library, was built for another interface or
/// LibTorch, or lacks the golden.
std::unique_ptr<UsersGolden> library_golden(const UserOperator& op);

}  // namespace msprobe::goldens
