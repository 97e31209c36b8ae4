#include "target.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "util/utf8.h"

namespace msprobe::fuzz {

InputFile::InputFile(std::string_view bytes) : fd_(::memfd_create("input", MFD_CLOEXEC)) {
  require(fd_ >= 0, "memfd_create failed");
  path_ = "/proc/self/fd/" + std::to_string(fd_);
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    require(written > 0, "the input could not be written to memory");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

InputFile::~InputFile() {
  ::close(fd_);
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "find: %s\n", what);
  std::abort();
}

void check(const Error& error) {
  const std::string text = error.what();
  if (std::getenv("FUZZ_SHOW_ERRORS") != nullptr) std::fprintf(stderr, "%s\n", text.c_str());
  require(!text.empty(), "an error without text");
  require(util::is_utf8(text), "an error whose text is not UTF-8");
  require(text.find('\n') == std::string::npos, "an error of several lines");
}

}  // namespace msprobe::fuzz
