#include "device/torch_npu.h"

#include <c10/core/DeviceType.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "device/library.h"
#include "device/python.h"
#include "util/error.h"

namespace msprobe::device {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libtorch_npu.so";
constexpr const char* kVariable = "MSPROBE_TORCH_NPU";
constexpr const char* kOption = "--torch_npu";

// "__version__ = '2.13.0'" of the package's version.py.
std::string version_of(const fs::path& package) {
  std::ifstream file(package / "version.py");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("__version__", 0) != 0) continue;
    const auto open = line.find_first_of("'\"");
    const auto close = line.find_last_of("'\"");
    if (open != std::string::npos && close > open) return line.substr(open + 1, close - open - 1);
  }
  return "";
}

// Major and minor number; "" when the text has no two.
std::string release(const std::string& version) {
  const auto first = version.find('.');
  if (first == std::string::npos) return "";
  return version.substr(0, version.find_first_not_of("0123456789", first + 1));
}

TorchNpu in_package(const fs::path& package, std::string origin, bool named) {
  return {(package / "lib" / kLibrary).string(), version_of(package), std::move(origin), named};
}

// A path that the user gave: the package's folder, the folder that holds the package, its lib/, or the library.
TorchNpu at_path(const std::string& path, const std::string& origin) {
  const std::string where = origin + " " + path;
  std::error_code error;
  const fs::path full = fs::canonical(path, error);
  if (error) {
    throw Error(where, "no such file or folder",
                std::string("name the folder of the package torch_npu or its lib/") + kLibrary);
  }
  if (!fs::is_directory(full)) {
    const fs::path package = full.parent_path().parent_path();
    const bool packaged = full.filename() == kLibrary && full.parent_path().filename() == "lib";
    return {full.string(), packaged ? version_of(package) : "", origin, true};
  }
  for (const fs::path& package : {full, full / "torch_npu", full.parent_path()})
    if (fs::exists(package / "lib" / kLibrary)) return in_package(package, origin, true);
  throw Error(where, std::string("the folder holds no lib/") + kLibrary,
              "name the folder of the package torch_npu, as `pip show -f torch-npu` tells it");
}

// A virtual environment's or an installation's own Python, where the library lies in its site-packages.
std::string python_above(const fs::path& library) {
  for (fs::path folder = library.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (folder.filename() != "site-packages" && folder.filename() != "dist-packages") continue;
    const fs::path python = folder.parent_path().parent_path().parent_path() / "bin" / "python3";
    return fs::exists(python) ? python.string() : "";
  }
  return "";
}

// The script that sets CANN's environment, if one is found where CANN is usually installed.
std::string cann_script() {
  std::vector<fs::path> roots;
  for (const char* variable : {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"})
    if (const char* value = std::getenv(variable)) {
      roots.emplace_back(value);
      roots.push_back(fs::path(value).parent_path());
    }
  std::vector<fs::path> bases{"/usr/local/Ascend"};
  if (const char* home = std::getenv("HOME")) bases.push_back(fs::path(home) / "Ascend");
  for (const auto& base : bases)
    for (const char* name : {"ascend-toolkit", "cann", "latest"}) roots.push_back(base / name);
  for (const auto& root : roots) {
    std::error_code error;
    if (fs::exists(root / "set_env.sh", error)) return (root / "set_env.sh").string();
  }
  return "";
}

std::string cann_remedy(const std::string& library) {
  // The driver's part of CANN comes from the host and is not in the toolkit.
  if (library.rfind("libascend_hal", 0) == 0 || library.rfind("libdrvdsmi", 0) == 0 || library == "libc_sec.so")
    return "it belongs to the NPU's driver: install the driver, or in a container mount /usr/local/Ascend/driver, and "
           "put its lib64/driver and lib64/common on LD_LIBRARY_PATH";
  const std::string script = cann_script();
  if (!script.empty()) return "run `source " + script + "` first";
  return "it belongs to CANN: install CANN and run `source /usr/local/Ascend/ascend-toolkit/set_env.sh` (or the "
         "set_env.sh of where it lies) first";
}

bool starts(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

// The Python that the library is run in: its own environment's, the active one, or that of the LibTorch in use. The
// first that has torch, which torch_npu imports.
Python python_of(const TorchNpu& found) {
  Python first;
  for (const std::string& executable : {python_above(found.library), std::string(), python_above(libtorch_folder())}) {
    Python python = ask_python(executable);
    if (!python.torch.empty()) return python;
    if (first.executable.empty()) first = std::move(python);
  }
  if (first.executable.empty()) {
    throw Error(found.library, "needs Python, and there is no python3 in PATH",
                "activate the environment that torch_npu is installed in");
  }
  return first;
}

// Python, where the library needs it, with the torch that msprobe runs with.
std::optional<Python> python_to_start(const TorchNpu& found) {
  // A library that came in without Python has no use for it.
  const fs::path package = fs::path(found.library).parent_path().parent_path();
  if (exported("Py_InitializeEx") == nullptr || !fs::exists(package / "__init__.py")) return std::nullopt;
  Python python = python_of(found);
  if (python.torch.empty()) {
    throw Error(python.executable, "has no package torch, which torch_npu imports",
                "activate the environment that torch_npu is installed in, or install torch " TORCH_VERSION " there");
  }
  const std::string theirs = version_of(python.torch);
  if (!release(theirs).empty() && release(theirs) != release(TORCH_VERSION)) {
    throw Error(python.torch, "is torch " + theirs + ", msprobe runs with LibTorch " TORCH_VERSION,
                "build msprobe with this torch (-DTorch_DIR), or install the torch of msprobe");
  }
  return python;
}

// What libtorch_npu.so leaves to Python: the interpreter's library, then LibTorch's own binding to it.
void load_bindings(const TorchNpu& found) {
  const Python python = python_of(found);
  load_python(python);
  // The one beside the LibTorch in use is the one that fits it.
  const std::string name = "libtorch_python.so";
  std::vector<fs::path> places{fs::path(libtorch_folder()) / name};
  if (!python.torch.empty()) places.push_back(fs::path(python.torch) / "lib" / name);
  for (const auto& place : places) {
    std::error_code error;
    if (!place.is_absolute() || !fs::exists(place, error)) continue;
    const std::string why = open_library(place.string());
    if (why.empty()) return;
    const std::string symbol = undefined_symbol(why);
    throw Error(place.string(), symbol.empty() ? "cannot be loaded: " + why : "finds no " + symbol,
                fmt::format("it must be of the LibTorch that msprobe runs with ({}, {}) and of the Python {}",
                            TORCH_VERSION, libtorch_folder(), python.executable));
  }
  throw Error(name,
              "torch_npu needs it; it is neither in " + libtorch_folder() + " nor in the torch of " + python.executable,
              "build msprobe with the torch that torch_npu is installed beside (-DTorch_DIR)");
}

[[noreturn]] void throw_load_error(const TorchNpu& found, const std::string& why) {
  const std::string where = found.named ? found.origin + " " + found.library : found.library;
  if (const std::string missing = missing_library(why); !missing.empty()) {
    if (starts(missing, "libtorch") || starts(missing, "libc10") || starts(missing, "libshm")) {
      throw Error(where, "needs " + missing + ", which is not beside LibTorch in " + libtorch_folder(),
                  "build msprobe with the torch that torch_npu is installed beside (-DTorch_DIR)");
    }
    throw Error(where, "needs " + missing + ", which is not found", cann_remedy(missing));
  }
  if (const std::string symbol = undefined_symbol(why); !symbol.empty()) {
    throw Error(
        where, "cannot be loaded: no library has " + symbol,
        fmt::format("its PyTorch must be the LibTorch that msprobe was built with ({}), its CANN the one that it "
                    "was built for",
                    TORCH_VERSION));
  }
  throw Error(where, "cannot be loaded: " + why, "name another with --torch_npu, or take --device_type cpu");
}

}  // namespace

std::optional<TorchNpu> find_torch_npu(const Options& options) {
  if (!options.torch_npu.empty()) return at_path(options.torch_npu, kOption);
  if (const char* path = std::getenv(kVariable); path != nullptr && *path != '\0') return at_path(path, kVariable);
  // The active Python's, then that of the Python that the LibTorch in use belongs to.
  for (const std::string& executable : {std::string(), python_above(libtorch_folder())}) {
    const Python python = ask_python(executable);
    if (!python.torch_npu.empty()) return in_package(python.torch_npu, "torch_npu of " + python.executable, false);
  }
  return std::nullopt;
}

void load_torch_npu(const TorchNpu& found) {
  static std::string loaded;
  if (!loaded.empty()) return;
  if (const std::string misfit = version_misfit(found.version, TORCH_VERSION); !misfit.empty()) {
    throw Error(found.library, misfit,
                "build msprobe with the torch that this torch_npu is installed beside (-DTorch_DIR), or install the "
                "torch_npu of this LibTorch");
  }
  // A library without need of Python opens at once. One that needs it says so, and nothing of it has run yet.
  std::string why = open_library(found.library);
  if (!why.empty()) {
    const std::string missing = missing_library(why), symbol = undefined_symbol(why);
    if (starts(missing, "libtorch_python") || starts(missing, "libpython") || starts(symbol, "Py") ||
        starts(symbol, "_Py")) {
      load_bindings(found);
      why = open_library(found.library);
    }
  }
  if (!why.empty()) throw_load_error(found, why);
  const std::string backend = c10::get_privateuse1_backend();
  if (backend != "npu" || !c10::impl::hasDeviceGuardImpl(c10::DeviceType::PrivateUse1)) {
    throw Error(found.library,
                backend == "npu" ? "was loaded, but registers no device"
                                 : "was loaded, but registers no backend of the name npu (" + backend + ")",
                "name the libtorch_npu.so of a torch_npu package");
  }
  loaded = found.library;
}

void check_torch_npu(const TorchNpu& found) {
  load_torch_npu(found);
  python_to_start(found);
}

std::optional<std::vector<std::string>> start_torch_npu(const TorchNpu& found, int index, bool jit_compile) {
  load_torch_npu(found);
  const auto python = python_to_start(found);
  if (!python) return std::nullopt;
  const fs::path package = fs::path(found.library).parent_path().parent_path();
  const auto run = [&](const std::string& program) {
    try {
      return run_python(*python, package.parent_path().string(), program);
    } catch (const Error& e) {
      throw Error("npu:" + std::to_string(index), e.message() + " (in " + e.where() + ")",
                  "see that `" + python->executable + " -c 'import torch_npu; torch_npu.npu.set_device(" +
                      std::to_string(index) + ")'` works there");
    }
  };
  run("    import torch_npu");
  run(fmt::format("    torch_npu.npu.set_device({})", index));
  run(fmt::format("    torch_npu.npu.set_compile_mode(jit_compile={})", jit_compile ? "True" : "False"));
  const std::string hf32 = run(R"(    import torch
    word = lambda module: 'on' if getattr(module, 'allow_hf32', False) else 'off'
    answer = f'HF32 in matrix products {word(torch.npu.matmul)}, in convolutions {word(torch.npu.conv)}')");
  return std::vector<std::string>{std::string("npu: jit_compile ") + (jit_compile ? "on" : "off"), "npu: " + hf32};
}

std::string version_misfit(const std::string& version, const std::string& libtorch) {
  const std::string theirs = release(version), ours = release(libtorch);
  if (theirs.empty() || ours.empty() || theirs == ours) return "";
  return "is torch_npu " + version + ", made for PyTorch " + theirs + "; msprobe runs with LibTorch " + libtorch;
}

}  // namespace msprobe::device
