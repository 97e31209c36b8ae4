#include "device/python.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>

#include "device/child.h"
#include "device/library.h"
#include "util/error.h"
#include "util/search_path.h"

namespace msprobe::device {
namespace {

// find_spec() looks for a package as import does, but runs none of it: importing torch takes seconds. The first line
// takes the current folder away, which -c puts first, before anything can be imported from there.
constexpr const char* kQuestion = R"(
import sys; sys.path[:] = [p for p in sys.path if p]
import importlib.util, os, sysconfig
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
print('home=' + ':'.join(dict.fromkeys([sys.base_prefix, sys.base_exec_prefix])))
print('libpython=' + libpython())
print('torch=' + folder('torch'))
print('torch_npu=' + folder('torch_npu'))
for p in sys.path:
    if p: print('path=' + p)
)";

constexpr const char* kSettle = R"(
import sys
sys.path[:] = $PATH
sys.executable = $EXECUTABLE
)";

// Leaves the reason in `failure`, "" for none.
constexpr const char* kFrame = R"(
answer = failure = ''
try:
$PROGRAM
except BaseException as error:
    failure = type(error).__name__ + ': ' + ' '.join(str(error).split())
)";

// "it's" -> 'it\'s'
std::string python_text(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

void replace(std::string& text, const std::string& mark, const std::string& by) {
  text.replace(text.find(mark), mark.size(), by);
}

std::string settling(const Python& python, const std::string& first) {
  std::string list = "[";
  if (!first.empty()) list += python_text(first) + ", ";
  for (const auto& folder : python.path) list += python_text(folder) + ", ";
  std::string script = kSettle;
  replace(script, "$PATH", list + "]");
  replace(script, "$EXECUTABLE", python_text(python.executable));
  return script;
}

// The environment variable while one of these lives; programs started later get what the user had.
class EnvironmentValue {
 public:
  EnvironmentValue(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~EnvironmentValue() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  EnvironmentValue(const EnvironmentValue&) = delete;
  EnvironmentValue& operator=(const EnvironmentValue&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// The functions of Python's C interface that are needed here, the same from 3.8 on.
template <class F>
F* python_function(const char* name) {
  auto* function = exported_function<F>(name);
  if (function == nullptr) throw Error(name, "is not in the Python library that was loaded", "repair the installation");
  return function;
}

std::string text_of_main(const char* name) {
  auto* module = python_function<void*(const char*)>("PyImport_AddModule")("__main__");
  auto* value =
      module == nullptr ? nullptr : python_function<void*(void*, const char*)>("PyObject_GetAttrString")(module, name);
  const char* text = value == nullptr ? nullptr : python_function<const char*(void*)>("PyUnicode_AsUTF8")(value);
  return text != nullptr ? text : "no text in " + std::string(name);
}

bool run_text(const std::string& program) {
  return python_function<int(const char*, void*)>("PyRun_SimpleStringFlags")(program.c_str(), nullptr) == 0;
}

// Starts the interpreter and lets go of its lock: threads of LibTorch call into Python, and none would get the lock
// while this one holds it.
void start_interpreter(const Python& python, const std::string& first) {
  if (python_function<int()>("Py_IsInitialized")() != 0) return;
  {
    const EnvironmentValue home("PYTHONHOME", python.home), path("PYTHONPATH", util::python_path());
    python_function<void(int)>("Py_InitializeEx")(/*install signal handlers:*/ 0);
  }
  const bool settled = run_text(settling(python, first));
  python_function<void*()>("PyEval_SaveThread")();
  if (!settled) throw Error(python.executable, "the interpreter does not take its own path", "repair the installation");
}

class InterpreterLock {
 public:
  InterpreterLock() : state_(python_function<int()>("PyGILState_Ensure")()) {}
  ~InterpreterLock() { exported_function<void(int)>("PyGILState_Release")(state_); }
  InterpreterLock(const InterpreterLock&) = delete;
  InterpreterLock& operator=(const InterpreterLock&) = delete;

 private:
  int state_;
};

// What is relative lies where the program happens to stand: nothing is loaded from there.
std::string absolute(const std::string& path) {
  return !path.empty() && path[0] == '/' ? path : "";
}

}  // namespace

Python ask_python(const std::string& executable) {
  std::vector<std::string> candidates{executable};
  if (executable.empty()) candidates = {"python3", "python"};
  for (const auto& candidate : candidates) {
    std::map<std::string, std::string> answers;
    std::vector<std::string> path;
    // Since Python 3.13 -c imports a module before its first line; PYTHONSAFEPATH is older than that.
    std::istringstream lines(output_of({candidate, "-c", kQuestion}, {"PYTHONSAFEPATH=1"}));
    for (std::string line; std::getline(lines, line);) {
      const auto equals = line.find('=');
      if (equals == std::string::npos) continue;
      const std::string key = line.substr(0, equals), value = line.substr(equals + 1);
      if (key == "path")
        path.push_back(value);
      else
        answers[key] = value;
    }
    if (answers["executable"].empty()) continue;
    return {answers["executable"],          answers["home"], absolute(answers["libpython"]), absolute(answers["torch"]),
            absolute(answers["torch_npu"]), std::move(path)};
  }
  return {};
}

void load_python(const Python& python) {
  if (python.libpython.empty()) {
    throw Error(
        python.executable, "has no libpython3.x.so, which torch_npu needs",
        "install it (Debian, Ubuntu: apt-get install libpython3-dev; pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared; "
        "conda's Python has it)");
  }
  if (const std::string why = open_library(python.libpython); !why.empty())
    throw Error(python.libpython, "cannot be loaded: " + why, "repair the Python installation");
}

std::string run_python(const Python& python, const std::string& first, const std::string& program) {
  start_interpreter(python, first);
  const InterpreterLock lock;
  std::string framed = kFrame;
  replace(framed, "$PROGRAM", program);
  const std::string failure = run_text(framed) ? text_of_main("failure") : "Python did not take the program";
  if (!failure.empty()) throw Error(python.executable, failure);
  return text_of_main("answer");
}

}  // namespace msprobe::device
