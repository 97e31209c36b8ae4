// Entries of fused_operators.yaml: what both of its sections ask of a name and a key.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "config/document.h"
#include "util/error.h"

namespace msprobe::goldens {

/// An Error at the line of the entry's key, which is where a reader looks for a misspelt one.
Error at_key(const std::string& path, const config::Node& entry, const std::string& what, const std::string& remedy);
/// The key is none of `known`.
Error unknown_key(const std::string& path, const config::Node& entry, const std::vector<std::string>& known);

/// The API that the entry's key names: "npu_x" and "NPU.npu_x" are one, "Functional.gelu" stays. Throws Error.
std::string api_of(const std::string& path, const config::Node& entry);

/// The reader of the file sees to it for equal keys; "npu_x" and "NPU.npu_x" are one operator.
class Once {
 public:
  explicit Once(const std::string& path) : path_(path) {}
  /// Throws Error where the API had an entry before.
  void see(const std::string& api, const config::Node& entry);

 private:
  const std::string& path_;
  std::map<std::string, const config::Node*> seen_;
};

}  // namespace msprobe::goldens
