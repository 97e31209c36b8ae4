// What the fuzz targets share. A target is one file fuzz_<name>.cpp with one function: it feeds the bytes to a reader
// and lets util's Error pass, which is how a reader refuses. Any other exception, a crash, a leak, a contradiction
// (require()) and an input that takes too long are finds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "util/error.h"

/// Called with every input, by libFuzzer or by replay.cpp.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace msprobe::fuzz {

/// The bytes as a regular file without a name on disk, for readers that take a path.
class InputFile {
 public:
  explicit InputFile(std::string_view bytes);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  int fd_;
  std::string path_;
};

/// Ends the program, which is a find, when `holds` is false.
void require(bool holds, const char* what);

/// A refusal says something, on one line, in UTF-8.
void check(const Error& error);

/// Runs `read`; true when it did not refuse.
template <class Read>
bool accepts(const Read& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    check(error);
    return false;
  }
}

}  // namespace msprobe::fuzz
