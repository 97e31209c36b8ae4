#include "report/csv_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "util/changed_error.h"
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

void append_utf8(std::vector<char>& text, uint32_t code) {
  if (code >= 0xD800 && code < 0xE000) code = 0xFFFD;
  const auto put = [&](uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  const auto put_tail = [&](int shift) { put(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put_tail(6);
  } else {
    put(0xF0 | code >> 18);
    put_tail(12);
    put_tail(6);
  }
  put_tail(0);
}

}  // namespace

CsvSource::CsvSource(std::string path, bool* ends_openly)
    : path_(std::move(path)), ends_openly_(ends_openly), block_(kBlock) {
  fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO must not hang
  if (fd_ < 0) throw Error(path_, fmt::format("cannot be opened: {}", std::strerror(errno)), "check the path");
  struct stat info {};
  const bool known = fstat(fd_, &info) == 0;
  size_ = known ? static_cast<uint64_t>(info.st_size) : 0;
  if (known && S_ISREG(info.st_mode)) return;
  close(fd_);
  throw Error(path_, known && S_ISDIR(info.st_mode) ? "is a folder, expected a CSV file" : "is not a regular file");
}

CsvSource::~CsvSource() {
  close(fd_);
}

size_t CsvSource::read_block(char* bytes, size_t size) {
  ssize_t got = 0;
  do {
    got = ::read(fd_, bytes, size);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw Error(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
  got_ += static_cast<uint64_t>(got);
  if (got == 0 && got_ < size_) throw ChangedError(path_);
  return static_cast<size_t>(got);
}

bool CsvSource::fill() {
  at_ = 0;
  if (encoding_ == Encoding::kUnknown || encoding_ == Encoding::kUtf8) {
    block_.resize(kBlock);
    end_ = read_block(block_.data(), block_.size());
    if (encoding_ == Encoding::kUtf8) return end_ > 0;
    const std::string_view text(block_.data(), end_);
    encoding_ = text.starts_with("\xFF\xFE")   ? Encoding::kLittleEndian
                : text.starts_with("\xFE\xFF") ? Encoding::kBigEndian
                                               : Encoding::kUtf8;
    if (encoding_ == Encoding::kUtf8) return end_ > 0;
    from_utf16(std::string(text.substr(2)));
    if (end_ > 0) return true;
  }
  std::string bytes(kBlock, '\0');
  do {
    bytes.resize(kBlock);
    bytes.resize(read_block(bytes.data(), bytes.size()));
    if (bytes.empty()) break;
    from_utf16(bytes);
  } while (end_ == 0);
  if (bytes.empty() && !rest_.empty())
    throw Error(fmt::format("{}:{}", path_, line_), "ends in the middle of a UTF-16 character",
                "the file is cut off there: copy it again, or save it as CSV in UTF-8");
  return !bytes.empty();
}

/// Puts text into the block as UTF-8; surrogates without a partner become U+FFFD.
void CsvSource::from_utf16(std::string_view bytes) {
  rest_ += bytes;
  const auto unit = [&](size_t at) {
    const auto first = static_cast<unsigned char>(rest_[at]), second = static_cast<unsigned char>(rest_[at + 1]);
    return static_cast<uint32_t>(encoding_ == Encoding::kLittleEndian ? first | second << 8 : first << 8 | second);
  };
  block_.clear();
  size_t at = 0;
  for (; at + 2 <= rest_.size(); at += 2) {
    uint32_t code = unit(at);
    if (code >= 0xD800 && code < 0xDC00) {
      if (at + 4 > rest_.size()) break;
      if (const uint32_t low = unit(at + 2); low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        at += 2;
      }
    }
    append_utf8(block_, code);
  }
  rest_.erase(0, at);
  end_ = block_.size();
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
      if (ends_openly_) *ends_openly_ = open_line_;
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
