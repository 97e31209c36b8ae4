// The goldens of a run: the built-in ones, and those of users beside them or in their place.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dump/api_name.h"
#include "goldens/golden.h"
#include "goldens/user/configuration.h"
#include "goldens/user/written_rows.h"

namespace msprobe::goldens {

class PythonProcess;

/// The name that an API's golden goes by: "npu_swiglu", or "Functional.gelu" for other types than NPU's.
std::string golden_name(const dump::ApiName& name);

/// Made before the first fork; not changed while APIs are checked. Each process that forks has its own Python.
class Registry {
 public:
  /// The built-in ones alone.
  Registry();
  ~Registry();
  Registry(Registry&&) noexcept;
  Registry& operator=(Registry&&) noexcept;

  /// Adds what the installed signatures.yaml and fused_operators.yaml say, then what the user's own file does (empty:
  /// there is none).
  /// Throws Error (file, line, remedy). Nothing is compiled or loaded yet: a golden's own errors come with its first
  /// call.
  void load(const std::string& users_file);
  /// The same for one configuration; `users`: not the installed one. Its goldens take the place of those of their
  /// names.
  void add(const Configuration& configuration, bool users = true);

  /// The golden of a name (golden_name), or nullptr.
  const Golden* find(std::string_view name) const;
  /// The user's golden of an API, of whatever type; nullptr where there is none.
  const Golden* users_golden(const dump::ApiName& name) const;
  /// All of them, by name.
  std::vector<const Golden*> all() const;
  /// APIs that the user's own file tells of: "npu_swiglu", "Functional.gelu".
  const std::set<std::string>& users_apis() const { return users_apis_; }

  /// How many rows of dimension 0 of the call's outputs its operator writes; nullopt: all, or no rule is known, or its
  /// argument is absent. `note`: what of a user's rule the call lacks, for Message.
  std::optional<WrittenRows> written_rows(const dump::ApiName& name, const inputs::Arguments& arguments,
                                          std::string* note = nullptr) const;

  /// Starts the host's Python in this process where a plain Python golden of one of these APIs will need it: importing
  /// torch is no part of that API's time.
  void start_python_for(const std::vector<std::string_view>& apis) const;
  /// That serves the goldens in plain Python.
  PythonProcess& python() const { return *python_; }

 private:
  std::shared_ptr<PythonProcess> python_;
  std::map<std::string, Golden, std::less<>> goldens_;
  std::map<std::string, ValidRows, std::less<>> valid_rows_;
  std::set<std::string> users_apis_;
  std::set<std::string> python_apis_;  // whose goldens are plain Python
};

}  // namespace msprobe::goldens
