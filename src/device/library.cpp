#include "device/library.h"

#include <c10/core/Device.h>
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

namespace msprobe::device {
namespace {

constexpr std::string_view kUndefined = "undefined symbol: ";

}  // namespace

std::string open_library(const std::string& path) {
  if (path.empty() || path[0] != '/') return "its path is relative";
  if (::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return "";
  const char* words = ::dlerror();
  return words != nullptr ? words : "no reason given";
}

std::string missing_library(const std::string& words) {
  const auto end = words.find(": cannot open shared object file");
  if (end == std::string::npos) return "";
  return std::filesystem::path(words.substr(0, end)).filename();
}

std::string undefined_symbol(const std::string& words) {
  const auto at = words.find(kUndefined);
  if (at == std::string::npos) return "";
  std::string name = words.substr(at + kUndefined.size());
  name.resize(std::min(name.size(), name.find_first_of(", \n")));
  if (name.rfind("_Z", 0) != 0) return name;  // a C name; as a type's code `f` would read float
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return readable ? readable.get() : name;
}

void* exported(const char* mangled) {
  return ::dlsym(RTLD_DEFAULT, mangled);
}

std::string libtorch_folder() {
  Dl_info info{};
  // Any function of libc10 tells where it lies.
  const auto function = static_cast<std::string (*)(c10::DeviceType, bool)>(&c10::DeviceTypeName);
  if (::dladdr(reinterpret_cast<void*>(function), &info) == 0 || info.dli_fname == nullptr) return "";
  std::error_code error;
  const auto path = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::string() : path.parent_path().string();
}

}  // namespace msprobe::device
