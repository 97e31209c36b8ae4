// stack.json: which lines of the program called each API.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "places/keyed_file.h"
#include "places/place.h"

namespace msprobe::places {

/// `{"3": [[names of APIs and modules], [frames]]}`, or as older dumpers write it `{name: [frames]}`.
class StackFile {
 public:
  /// Reads the names of `path`; frames are read when they are asked for. Throws Error as KeyedFile does.
  explicit StackFile(const std::string& path);

  /// The frames of `Tensor.add.0.forward`, innermost first; empty: none. Texts that are no frames are left out. Throws
  /// Error: of another form, the file was changed.
  std::vector<Frame> frames_of(std::string_view name) const;
  const KeyedFile& file() const { return file_; }

 private:
  bool add(std::string_view key, std::string_view value);

  KeyedFile file_;
  std::unordered_map<std::string_view, std::string_view> frames_;  ///< by name: JSON text of the list
};

}  // namespace msprobe::places
