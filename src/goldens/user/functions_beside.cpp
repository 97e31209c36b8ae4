#include "goldens/user/functions_beside.h"

#include <algorithm>

#include "goldens/user/python_text.h"
#include "util/atomic_file.h"

namespace msprobe::goldens {

namespace fs = std::filesystem;

void FunctionsBeside::scan() {
  if (scanned_) return;
  scanned_ = true;
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& item : fs::directory_iterator(folder_.empty() ? "." : folder_, ignored))
    if (item.path().extension() == ".py" && item.is_regular_file(ignored)) files.push_back(item.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const PythonText text = scan_python(util::read_file(file.string(), kLargestSource));
    for (const auto& f : text.functions) functions_[f.name] = {file.string(), f.line};
  }
}

const FunctionsBeside::Place* FunctionsBeside::find(const std::string& function) {
  scan();
  const auto found = functions_.find(function);
  return found == functions_.end() ? nullptr : &found->second;
}

std::vector<std::string> FunctionsBeside::names() const {
  std::vector<std::string> names;
  for (const auto& [name, place] : functions_) names.push_back(name);
  return names;
}

}  // namespace msprobe::goldens
