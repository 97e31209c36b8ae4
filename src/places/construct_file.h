// construct.json: the module around each API and module.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "places/keyed_file.h"
#include "places/place.h"

namespace msprobe::places {

/// `{name: name of the module around it, or null}`.
class ConstructFile {
 public:
  /// Throws Error as KeyedFile does.
  explicit ConstructFile(const std::string& path);

  /// The modules around `Tensor.add.0.forward`, innermost first, up to the root or to a module that comes again.
  std::vector<Module> modules_of(std::string_view name) const;
  const KeyedFile& file() const { return file_; }

 private:
  KeyedFile file_;
  std::unordered_map<std::string_view, std::string_view> around_;  ///< those with a module around them
};

}  // namespace msprobe::places
