// Feeds fast-cpp-csv-parser with a file that it can read line by line: it takes no line break inside quotes, so those
// are folded.
#pragma once
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-truncation"  // its file names are cut on purpose
#endif
#if __has_include(<libfccp/csv.h>)
#define CSV_IO_NO_THREAD
#include <libfccp/csv.h>
#elif __has_include(<csv.h>)
#define CSV_IO_NO_THREAD
#include <csv.h>
#else
#error "fast-cpp-csv-parser is needed: its header is libfccp/csv.h (Debian, libfccp-dev) or csv.h"
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace msprobe::report {

/// Stands for a line break inside quotes. No UTF-8 text holds the byte; one that does gets '?' in its place.
constexpr char kFoldedBreak = '\xFF';

/// Reads `path` and hands its text on with a '\n' at the end of each record, whatever the file uses (LF, CRLF, CR),
/// each line break inside quotes as kFoldedBreak, and a line break at the end of the last record. read() throws Error
/// with file and line: unreadable, a NUL character, a quote that is never closed; ChangedError: shorter than when it
/// was opened. UTF-16 with a mark, which spreadsheets call "Unicode text", is read as well.
class CsvSource : public io::ByteSourceBase {
 public:
  /// Refuses what is not a regular file. `ends_openly`, where given, is set at the end of the file: true when the last
  /// line has no line break, as in a file that was cut off. It is the caller's, since io::LineReader destroys its
  /// source as soon as it has read a file that is not large.
  explicit CsvSource(std::string path, bool* ends_openly = nullptr);
  ~CsvSource() override;
  CsvSource(const CsvSource&) = delete;
  CsvSource& operator=(const CsvSource&) = delete;

  /// Fills `size` bytes; fewer only at the end of the file.
  int read(char* buffer, int size) override;

 private:
  bool fill();  ///< next block of the file; false at its end
  size_t read_block(char* bytes, size_t size);
  void from_utf16(std::string_view bytes);
  char fold(char c);

  std::string path_;
  bool* ends_openly_;
  int fd_ = -1;
  uint64_t size_ = 0, got_ = 0;  ///< bytes of the file when it was opened; bytes that were read
  std::vector<char> block_;
  size_t at_ = 0, end_ = 0;
  bool quoted_ = false;        ///< inside quotes
  bool after_return_ = false;  ///< the last byte was CR: an LF behind it is part of the same line break
  bool open_line_ = false;     ///< something was handed on since the last '\n'
  bool ended_ = false;
  enum class Encoding { kUnknown, kUtf8, kLittleEndian, kBigEndian } encoding_ = Encoding::kUnknown;
  std::string rest_;  ///< UTF-16: bytes of a character whose end is not read yet
  uint64_t line_ = 1, quote_line_ = 0;
};

/// ',', ';' or tab: what parts most cells of the header line (quoted parts aside); ',' when there is none.
char detect_separator(std::string_view header);

}  // namespace msprobe::report
