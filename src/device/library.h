// Shared libraries opened at run time, and what their loader says when it cannot.
#pragma once
#include <string>

namespace msprobe::device {

/// Opens `path` for all that is loaded later (RTLD_NOW | RTLD_GLOBAL); it stays open. Returns the loader's words when
/// it fails, "" when it is open. A relative path is refused: the current folder may be anyone's.
std::string open_library(const std::string& path);

/// The library that the loader's words name as not found ("libascendcl.so"); "" when they are about something else.
std::string missing_library(const std::string& loader_words);
/// The readable name of the symbol that they name as undefined; "" when they are about something else.
std::string undefined_symbol(const std::string& loader_words);

/// A function that any loaded library exports, by its mangled name; nullptr when none does.
void* exported(const char* mangled);
template <class F>
F* exported_function(const char* mangled) {
  return reinterpret_cast<F*>(exported(mangled));
}

/// The folder of the LibTorch that this process runs with.
std::string libtorch_folder();

}  // namespace msprobe::device
