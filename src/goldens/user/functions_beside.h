// The functions that the .py files of one folder define, as MindStudio's fusion_operator_config.yaml means them.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace msprobe::goldens {

class FunctionsBeside {
 public:
  struct Place {
    std::string file;
    int line = 0;
  };
  /// Of the folder that the file `yaml` lies in. Nothing is read yet.
  explicit FunctionsBeside(const std::string& yaml) : folder_(std::filesystem::path(yaml).parent_path()) {}

  /// Where the function is defined; nullptr: nowhere. Of one name that of the last file, as Python's import has it.
  /// Reads the files when it is first asked; throws Error for one that cannot be read.
  const Place* find(const std::string& function);
  std::vector<std::string> names() const;

 private:
  void scan();

  std::filesystem::path folder_;
  bool scanned_ = false;
  std::map<std::string, Place> functions_;
};

}  // namespace msprobe::goldens
