// A look at Python source that needs no Python: where functions are, whether they are annotated, what is imported.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::goldens {

constexpr uint64_t kLargestSource = 1 << 22;  ///< bytes of a file that is read as Python source

struct PythonFunction {
  std::string name;
  int line = 0;            ///< of its `def`, 1 = first of the text
  bool annotated = false;  ///< a parameter or the result has a type
};

struct PythonText {
  std::vector<PythonFunction> functions;  ///< those defined at the left margin
  std::vector<std::string> imports;       ///< first names of imported modules: "torch", "numpy"
  std::map<std::string, double> floats;   ///< NAME = 1.5 at the left margin
  std::map<std::string, int64_t> integers;
  /// The functions alone, everything else blanked line by line, so that lines keep their numbers.
  std::string functions_text;

  /// The last of that name, as Python would have it; nullptr when there is none.
  const PythonFunction* find(std::string_view name) const;
  /// What TorchScript's compiler may take: imports nothing but torch, math and typing.
  bool imports_torch_alone() const;
};

PythonText scan_python(std::string_view text);

}  // namespace msprobe::goldens
