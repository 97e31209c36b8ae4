// Hostile archives and pickles put together byte by byte.
#pragma once
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <time.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/error_of.h"
#include "support/temp_folder.h"

namespace msprobe::dump {

inline std::string data_path(const std::string& name) {
  return std::string(MSPROBE_TEST_DATA) + "/dump/" + name;
}

using support::error_of;
using support::TempFolder;

/// Checks on its end that what happened meanwhile took less than 100 ms of CPU and 64 MB (reliability of hostile
/// files).
class Budget {
 public:
  Budget() : seconds_(cpu_seconds()), kilobytes_(peak_kilobytes()) {}
  ~Budget() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
    constexpr double kSlower = 20;
#else
    constexpr double kSlower = 1;
    EXPECT_LT(peak_kilobytes() - kilobytes_, 64 * 1024);
#endif
    EXPECT_LT(cpu_seconds() - seconds_, 0.1 * kSlower);
  }

 private:
  static double cpu_seconds() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  static long peak_kilobytes() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  }
  double seconds_;
  long kilobytes_;
};

inline std::string little(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

// ---- zip archives
// ----------------------------------------------------------------------------------------------------

struct ZipEntry {
  std::string name, data;
  uint16_t method = 0, flags = 0;
  std::optional<uint32_t> crc = {};                     ///< instead of the right one
  std::optional<uint64_t> size = {}, stored_size = {};  ///< instead of the data's; in the directory
  std::optional<uint64_t> header = {};                  ///< instead of where the local header is
  std::optional<std::string> local_name = {};           ///< instead of name, in the local header
  std::string extra = {};                               ///< of the directory entry
};

struct ZipEnd {
  bool zip64 = false;
  std::optional<uint64_t> count = {}, size = {},
                          begin = {};    ///< claims about the directory; of the zip64 record when there is one
  std::optional<uint64_t> end64 = {};    ///< what the locator says
  std::optional<uint32_t> begin32 = {};  ///< of the 32 bit record beside a zip64 one
  std::string comment = {};
};

std::string build_zip(const std::vector<ZipEntry>& entries, const ZipEnd& end = {});

// ---- pickles
// ---------------------------------------------------------------------------------------------------------

namespace pickle {
std::string global(const std::string& module, const std::string& name);
std::string text(const std::string& value);
std::string integer(int64_t value);
std::string tuple(const std::vector<std::string>& items);
std::string integers(const std::vector<int64_t>& values);
std::string call(const std::string& callable, const std::vector<std::string>& arguments);
std::string hooks();
std::string storage(const std::string& type, const std::string& key, int64_t count);
/// A tensor of FloatStorage "0".
std::string tensor(int64_t count, int64_t offset, const std::vector<int64_t>& sizes,
                   const std::vector<int64_t>& strides);
/// Header, body, STOP.
std::string whole(const std::string& body);
}  // namespace pickle

/// A torch.save archive of `pickle` with a record "0" of these bytes.
std::string build_pt(const std::string& pickle, const std::string& storage);

}  // namespace msprobe::dump
