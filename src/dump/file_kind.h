// What somebody gave in the place of a dump.json: named by its first bytes, and by its name.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace msprobe::dump {

struct OtherFile {
  std::string_view what;    ///< "is compressed by gzip"
  std::string_view remedy;  ///< what to give instead
};

/// `beginning`: at least the first 16 bytes, where there are so many. nullopt: it may be a dump.json.
std::optional<OtherFile> other_file(std::string_view name, std::string_view beginning);

/// Throws Error where the file is of a kind that is known and no dump.json; leaves what cannot be read to who reads it.
void reject_other_file(const std::string& path);

}  // namespace msprobe::dump
