#include "report/csv_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "util/error.h"

namespace msprobe::report {
namespace {

constexpr size_t kBlock = 256 * 1024;

/// Bytes that need a decision; all others are copied in runs.
constexpr std::array<bool, 256> kSpecial = [] {
  std::array<bool, 256> special{};
  for (const unsigned char c : {'"', '\r', '\n', '\0'}) special[c] = true;
  special[static_cast<unsigned char>(kFoldedBreak)] = true;
  return special;
}();

}  // namespace

CsvSource::CsvSource(std::string path) : path_(std::move(path)), block_(kBlock) {
  fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO must not hang
  if (fd_ < 0) throw Error(path_, fmt::format("cannot be opened: {}", std::strerror(errno)), "check the path");
  struct stat info {};
  const bool known = fstat(fd_, &info) == 0;
  if (known && S_ISREG(info.st_mode)) return;
  close(fd_);
  throw Error(path_, known && S_ISDIR(info.st_mode) ? "is a folder, expected a CSV file" : "is not a regular file");
}

CsvSource::~CsvSource() {
  close(fd_);
}

bool CsvSource::fill() {
  ssize_t got = 0;
  do {
    got = ::read(fd_, block_.data(), block_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw Error(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
  at_ = 0;
  end_ = static_cast<size_t>(got);
  return got > 0;
}

/// What a special byte becomes.
char CsvSource::fold(char c) {
  switch (c) {
    case '"':
      if (!quoted_) quote_line_ = line_;
      quoted_ = !quoted_;
      return c;
    case kFoldedBreak:
      return '?';
    case '\0':
      throw Error(fmt::format("{}:{}", path_, line_), "holds a NUL character, expected UTF-8 text",
                  "save it as CSV in UTF-8");
    default:
      ++line_;
      after_return_ = c == '\r';
      return quoted_ ? kFoldedBreak : '\n';
  }
}

int CsvSource::read(char* buffer, int size) {
  int filled = 0;
  while (filled < size && !ended_) {
    if (at_ == end_ && !fill()) {
      if (quoted_)
        throw Error(fmt::format("{}:{}", path_, quote_line_), "a quote is opened and never closed",
                    "the file is cut off or damaged there: repair that line or leave it out");
      ended_ = true;
      if (open_line_) buffer[filled++] = '\n';
      break;
    }
    if (after_return_ && block_[at_] == '\n') ++at_;
    after_return_ = false;
    const size_t limit = std::min(end_, at_ + static_cast<size_t>(size - filled));
    size_t run = at_;
    while (run < limit && !kSpecial[static_cast<unsigned char>(block_[run])]) ++run;
    std::memcpy(buffer + filled, block_.data() + at_, run - at_);
    if (run > at_) open_line_ = true;
    filled += static_cast<int>(run - at_);
    at_ = run;
    if (run == limit) continue;
    const char folded = fold(block_[at_++]);
    buffer[filled++] = folded;
    open_line_ = folded != '\n';
  }
  return filled;
}

char detect_separator(std::string_view header) {
  constexpr std::array<char, 3> kCandidates = {',', ';', '\t'};
  std::array<size_t, 3> counts{};
  bool quoted = false;
  for (const char c : header) {
    if (c == '"') quoted = !quoted;
    for (size_t i = 0; i < kCandidates.size(); ++i) counts[i] += !quoted && c == kCandidates[i];
  }
  size_t best = 0;
  for (size_t i = 1; i < counts.size(); ++i)
    if (counts[i] > counts[best]) best = i;
  return kCandidates[best];
}

}  // namespace msprobe::report
