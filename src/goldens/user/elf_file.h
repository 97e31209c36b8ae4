// A shared library, read as a file: nothing of it is loaded, so no code of it runs.
#pragma once
#include <elf.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::goldens {

class ElfFile {
 public:
  /// Reads the tables of `path`. nullopt: it cannot be opened, or is no library for this machine, which the loader
  /// refuses without running it. Throws std::runtime_error where it is no regular file (a FIFO would keep the loader
  /// waiting) or one of its tables lies outside it.
  static std::optional<ElfFile> read(const std::string& path);

  /// Whether its dynamic symbols define `name`.
  bool defines(std::string_view name) const;
  /// The first `bytes` bytes of the section `name`; "" when it is absent or shorter.
  std::string section(std::string_view name, size_t bytes) const;

 private:
  struct Section {
    std::string name, content;  ///< content: of those that are asked for, as far as needed
    Elf64_Word type = 0, link = 0;
  };
  std::vector<Section> sections_;
};

}  // namespace msprobe::goldens
