#include "device/torch_npu.h"

#include <c10/core/DeviceType.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <torch/version.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "device/child.h"
#include "device/library.h"
#include "util/error.h"

namespace msprobe::device {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libtorch_npu.so";
constexpr const char* kVariable = "MSPROBE_TORCH_NPU";
constexpr const char* kOption = "--torch_npu";

// find_spec() looks for a package as import does, but runs none of it: importing torch takes seconds.
constexpr const char* kQuestion = R"(
import importlib.util, os, sys, sysconfig
def folder(name):
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return ''
    places = list(spec.submodule_search_locations or []) if spec else []
    return places[0] if places else ''
def libpython():
    names = [sysconfig.get_config_var(v) for v in ('INSTSONAME', 'LDLIBRARY')]
    places = [sysconfig.get_config_var(v) for v in ('LIBDIR', 'LIBPL')] + [os.path.join(sys.base_prefix, 'lib')]
    multiarch = sysconfig.get_config_var('MULTIARCH')
    if multiarch:
        places += [os.path.join(p, multiarch) for p in places if p]
    for place in places:
        for name in names:
            if place and name and '.so' in name and os.path.isfile(os.path.join(place, name)):
                return os.path.join(place, name)
    return ''
print('executable=' + sys.executable)
print('libpython=' + libpython())
print('torch=' + folder('torch'))
print('torch_npu=' + folder('torch_npu'))
)";

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

// What libtorch_npu.so leaves to Python: the interpreter's library, then LibTorch's own binding to it.
void load_python(const TorchNpu& found) {
  Python python;
  if (const std::string own = python_above(found.library); !own.empty()) python = ask_python(own);
  if (python.executable.empty()) python = ask_python();
  if (python.executable.empty()) {
    throw Error(found.library, "needs Python's library, and there is no python3 in PATH",
                "activate the environment that torch_npu is installed in");
  }
  if (python.libpython.empty()) {
    throw Error(python.executable, "has no libpython3.x.so, which torch_npu needs",
                "install it (Debian, Ubuntu: apt-get install libpython3-dev; pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared; "
                "conda's Python has it)");
  }
  if (const std::string why = open_library(python.libpython); !why.empty())
    throw Error(python.libpython, "cannot be loaded: " + why, "repair the Python installation");

  // The one beside the LibTorch in use is the one that fits it.
  const std::string name = "libtorch_python.so";
  std::vector<fs::path> places{fs::path(libtorch_folder()) / name};
  if (!python.torch.empty()) places.push_back(fs::path(python.torch) / "lib" / name);
  for (const auto& place : places) {
    std::error_code error;
    if (!fs::exists(place, error)) continue;
    const std::string why = open_library(place.string());
    if (why.empty()) return;
    const std::string symbol = undefined_symbol(why);
    throw Error(place.string(), symbol.empty() ? "cannot be loaded: " + why : "finds no " + symbol,
                fmt::format("it must be of the LibTorch that msprobe runs with ({}, {}) and of the Python {}",
                            TORCH_VERSION, libtorch_folder(), python.executable));
  }
  throw Error(name, "torch_npu needs it; it is neither in " + libtorch_folder() + " nor in the torch of " +
                        python.executable,
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
    throw Error(where, "cannot be loaded: no library has " + symbol,
                fmt::format("its PyTorch must be the LibTorch that msprobe was built with ({}), its CANN the one that it "
                            "was built for",
                            TORCH_VERSION));
  }
  throw Error(where, "cannot be loaded: " + why, "name another with --torch_npu, or take --device_type cpu");
}

// Major and minor number; "" when the text has no two.
std::string release(const std::string& version) {
  const auto first = version.find('.');
  if (first == std::string::npos) return "";
  return version.substr(0, version.find_first_not_of("0123456789", first + 1));
}

}  // namespace

Python ask_python(const std::string& executable) {
  std::vector<std::string> candidates{executable};
  if (executable.empty()) candidates = {"python3", "python"};
  Python python;
  for (const auto& candidate : candidates) {
    std::map<std::string, std::string> answers;
    std::istringstream lines(output_of({candidate, "-c", kQuestion}));
    for (std::string line; std::getline(lines, line);)
      if (const auto equals = line.find('='); equals != std::string::npos)
        answers[line.substr(0, equals)] = line.substr(equals + 1);
    if (answers["executable"].empty()) continue;
    return {answers["executable"], answers["libpython"], answers["torch"], answers["torch_npu"]};
  }
  return python;
}

std::optional<TorchNpu> find_torch_npu(const config::Settings& settings) {
  if (!settings.torch_npu.empty()) return at_path(settings.torch_npu, kOption);
  if (const char* path = std::getenv(kVariable); path != nullptr && *path != '\0') return at_path(path, kVariable);
  const Python python = ask_python();
  if (python.torch_npu.empty()) return std::nullopt;
  return in_package(python.torch_npu, "torch_npu of " + python.executable, false);
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
      load_python(found);
      why = open_library(found.library);
    }
  }
  if (!why.empty()) throw_load_error(found, why);
  const std::string backend = c10::get_privateuse1_backend();
  if (backend != "npu" || !c10::impl::hasDeviceGuardImpl(c10::DeviceType::PrivateUse1)) {
    throw Error(found.library,
                backend == "npu" ? "was loaded, but registers no device" :
                                   "was loaded, but registers no backend of the name npu (" + backend + ")",
                "name the libtorch_npu.so of a torch_npu package");
  }
  loaded = found.library;
}

std::string version_misfit(const std::string& version, const std::string& libtorch) {
  const std::string theirs = release(version), ours = release(libtorch);
  if (theirs.empty() || ours.empty() || theirs == ours) return "";
  return "is torch_npu " + version + ", made for PyTorch " + theirs + "; msprobe runs with LibTorch " + libtorch;
}

}  // namespace msprobe::device
