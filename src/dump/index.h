// The index of a dump.json: names and byte ranges of its records. The file is mapped, never copied; a record is parsed
// when its turn comes, in the process that runs it. Reads bare NaN, Infinity, -Infinity.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dump/record.h"

namespace msprobe::dump {

struct Range {
  uint64_t begin = 0, end = 0;  ///< bytes of the file; empty: not recorded
  bool empty() const { return begin == end; }
};

/// One API in the order of the dump's forward entries.
struct IndexEntry {
  std::string_view api;  ///< full name without direction; owned by the Index
  Range forward, backward;
};

class Index {
 public:
  /// Maps and indexes `path` (a dump.json). Throws Error: unreadable, not JSON, no "data" object, a key without
  /// direction (named), duplicate keys (named), a framework other than PyTorch. Keys holding "Module" are left out
  /// and only counted. Backward entries without a forward one are listed in orphans().
  static Index open(const std::string& path);
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();

  const std::vector<IndexEntry>& entries() const;
  const std::vector<std::string_view>& orphans() const;
  /// Entries of modules (level L0, mix), which are left out.
  size_t modules() const;
  const std::string& path() const;
  const std::string& task() const;        ///< "statistics", "tensor", ...; empty when absent
  const std::string& level() const;       ///< "L1", "mix", ...; empty when absent
  bool has_real_data() const;             ///< dump_data_dir is not null (the path itself is never used)
  const std::string& tensor_dir() const;  ///< dump_tensor_data/ beside dump.json
  /// Parses entry i. Throws Error as parse_forward does; affects that API only. A backward entry that cannot be read
  /// says so in its `fault`: the forward call can be made all the same.
  Record read(size_t i) const;
  /// Throws ChangedError when the file has been changed since it was opened; open(), read() and digest() do so.
  void check_unchanged() const;
  /// Tells this file from others, by all its bytes. Reads it once more, as much memory as open().
  uint64_t digest() const;
  /// The JSON text of a range.
  std::string_view text(Range range) const;

 private:
  Record parse(size_t i) const;

  struct Impl;
  explicit Index(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace msprobe::dump
