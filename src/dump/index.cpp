#include "dump/index.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <unordered_set>

#include "dump/json_reader.h"
#include "dump/json_scan.h"
#include "util/error.h"
#include "util/mapped_file.h"
#include "util/text.h"
#include "util/utf8.h"

namespace msprobe::dump {
namespace {

/// Clang 14 must see an Argument copied before the pairs inside a Record: asked about those first, it looks into them
/// while Argument is not complete.
[[maybe_unused]] Argument copy_of(const Argument& argument) {
  return argument;
}

/// So often are pages given back that the walk has left behind.
constexpr size_t kReleaseStep = size_t{16} << 20;

std::string entry_place(const std::string& path, std::string_view key) {
  return path + ": data." + util::quoted(key, 512);
}

/// What an Index holds.
struct Contents {
  explicit Contents(const std::string& file_path)
      : path(file_path),
        shown_path(util::shown(file_path)),
        file(util::open_regular(file_path), shown_path, util::MappedFile::Access::kRead) {}

  std::string path, shown_path;
  util::MappedFile file;
  std::string task, level, tensor_dir;
  bool has_real_data = false;
  /// All names, one behind the other. One block: a string each would cost more memory than the names.
  std::string names;
  std::vector<IndexEntry> entries;
  std::vector<std::string_view> orphans;
  size_t modules = 0;
};

/// An API while the dump is being walked through. Names are kept as positions, since their block still grows.
struct Slot {
  size_t name_begin, name_size;
  Range forward, backward;
};

class IndexBuilder {
 public:
  explicit IndexBuilder(Contents& contents)
      : contents_(contents),
        text_(contents.file.text()),
        scanner_(text_, start_of(text_)),
        apis_(16, Hash{this}, Equal{this}) {}

  void build() {
    try {
      read_root();
    } catch (const JsonFault& fault) {
      std::string where = contents_.shown_path + ": " + util::line_and_column(text_, fault.offset);
      if (!key_.empty()) where += ", in data." + util::quoted(key_, 512);
      throw Error(where, fault.message, fault.truncated ? "the file was cut off: copy it again, or dump again" : "");
    }
    if (!seen_data_) throw Error(contents_.shown_path, "has no \"data\", is this a dump.json of msprobe?");
    finish();
  }

 private:
  struct Hash {
    IndexBuilder* builder;
    size_t operator()(uint32_t slot) const { return std::hash<std::string_view>()(builder->name(slot)); }
  };
  struct Equal {
    IndexBuilder* builder;
    bool operator()(uint32_t a, uint32_t b) const { return builder->name(a) == builder->name(b); }
  };

  size_t start_of(std::string_view text) const {
    if (text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE")) {
      throw Error(contents_.shown_path, "is UTF-16, expected UTF-8", "save it as UTF-8");
    }
    return text.starts_with(util::kUtf8Mark) ? util::kUtf8Mark.size() : 0;
  }

  std::string_view name(uint32_t slot) const {
    return std::string_view(contents_.names).substr(slots_[slot].name_begin, slots_[slot].name_size);
  }

  /// Takes the string at the scanner's position.
  std::string read_string(const char* expected) {
    const std::string_view raw = scanner_.string(expected);
    if (raw.find('\\') == std::string_view::npos) return std::string(raw);
    return read_json({raw.data() - 1, raw.size() + 2}, contents_.shown_path).text;
  }

  /// Calls `member` with each key of an object; it must walk over the value.
  template <class Member>
  void read_object(const char* expected, Member member) {
    scanner_.require('{', expected);
    if (scanner_.take('}')) return;
    do {
      std::string key = read_string("a key in double quotes");
      scanner_.require(':', "\":\" after a key");
      scanner_.skip_space();
      member(std::move(key));
    } while (scanner_.take(','));
    scanner_.require('}', "\",\" or \"}\"");
  }

  void read_root() {
    read_object("\"{\", the start of a dump.json", [&](std::string key) {
      if (key == "data") {
        read_data();
      } else if (key == "task") {
        once(seen_task_, key);
        const JsonValue task = read_small_value();
        if (task.is(JsonKind::kString)) contents_.task = task.text;
      } else if (key == "level") {
        once(seen_level_, key);
        const JsonValue level = read_small_value();
        if (level.is(JsonKind::kString)) contents_.level = level.text;
      } else if (key == "framework") {
        once(seen_framework_, key);
        check_framework(read_small_value());
      } else if (key == "dump_data_dir") {
        once(seen_dir_, key);
        const JsonValue dir = read_small_value();
        // Empty and false count as null, as they do for Python.
        const bool empty = dir.is(JsonKind::kString) ? dir.text.empty() : dir.is(JsonKind::kBool) && !dir.boolean;
        contents_.has_real_data = !dir.is(JsonKind::kNull) && !empty;
      } else {
        scanner_.skip_value();
      }
    });
    scanner_.skip_space();
    if (!scanner_.at_end()) scanner_.fail("nothing behind the last \"}\": a dump.json holds one object");
  }

  void once(bool& seen, const std::string& key) {
    if (seen) throw Error(contents_.shown_path, util::quoted(key) + " occurs twice");
    seen = true;
  }

  void check_framework(const JsonValue& framework) const {
    if (!framework.is(JsonKind::kString) || framework.text == "pytorch") return;
    throw Error(contents_.shown_path + ": framework",
                "is " + util::quoted(framework.text) + ", only dumps of PyTorch can be checked",
                "give the dump.json of a PyTorch program");
  }

  JsonValue read_small_value() {
    constexpr size_t kMaxBytes = size_t{1} << 20;
    const size_t begin = scanner_.position();
    scanner_.skip_value();
    const std::string_view text = text_.substr(begin, scanner_.position() - begin);
    return text.size() > kMaxBytes ? JsonValue{} : read_json(text, contents_.shown_path);
  }

  /// What stands in the place of an object.
  std::string found_value() {
    const std::string_view rest = text_.substr(scanner_.position());
    if (rest[0] == '[') return "a list";
    if (rest[0] == '"') return "a text";
    return util::shown(util::shortened(rest.substr(0, rest.find_first_of(" \t\r\n,}]")), 30));
  }

  void read_data() {
    once(seen_data_, "data");
    scanner_.skip_space();
    if (!scanner_.at_end() && text_[scanner_.position()] != '{') {
      throw Error(contents_.shown_path + ": data", "found " + found_value() + ", expected an object of API entries");
    }
    read_object("\"{\", the start of data", [&](std::string key) {
      key_ = std::move(key);
      const size_t begin = scanner_.position();
      scanner_.skip_value();
      add(key_, {begin, scanner_.position()});
      key_.clear();
      release_pages();
    });
  }

  void release_pages() {
    if (scanner_.position() - released_ < kReleaseStep) return;
    contents_.file.release(released_, scanner_.position());
    released_ = scanner_.position();
  }

  void add(std::string_view key_text, Range range) {
    if (key_text.find("Module") != std::string_view::npos) {
      ++contents_.modules;
      return;
    }
    const auto where = [&] { return entry_place(contents_.shown_path, key_text); };
    const auto key = split_key(key_text);
    if (!key) {
      throw Error(where(), "key ends in " + util::quoted(key_text.substr(key_text.rfind('.') + 1)) +
                               ", expected \".forward\" or \".backward\"");
    }
    if (key->api.empty()) throw Error(where(), "key has no API name before its direction");
    Slot& slot = slots_[find_or_add(key->api)];
    Range& place = key->direction == Direction::kForward ? slot.forward : slot.backward;
    if (!place.empty())
      throw Error(where(), "key occurs twice, at bytes " + bytes_of(place) + " and " + bytes_of(range));
    place = range;
    if (key->direction == Direction::kForward) order_.push_back(static_cast<uint32_t>(&slot - slots_.data()));
  }

  static std::string bytes_of(Range range) { return std::to_string(range.begin) + "-" + std::to_string(range.end); }

  uint32_t find_or_add(std::string_view api) {
    const auto candidate = static_cast<uint32_t>(slots_.size());
    slots_.push_back({contents_.names.size(), api.size(), {}, {}});
    contents_.names += api;
    const auto [position, added] = apis_.insert(candidate);
    if (!added) {
      slots_.pop_back();
      contents_.names.resize(contents_.names.size() - api.size());
    }
    return *position;
  }

  void finish() {
    contents_.names.shrink_to_fit();
    contents_.entries.reserve(order_.size());
    for (const uint32_t i : order_) contents_.entries.push_back({name(i), slots_[i].forward, slots_[i].backward});
    for (uint32_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].forward.empty()) contents_.orphans.push_back(name(i));
    }
    contents_.file.release(0, contents_.file.size());
  }

  Contents& contents_;
  std::string_view text_;
  JsonScanner scanner_;
  std::vector<Slot> slots_;      ///< in order of first appearance
  std::vector<uint32_t> order_;  ///< slots in order of their forward entries
  std::unordered_set<uint32_t, Hash, Equal> apis_;
  std::string key_;  ///< of the entry at hand, for messages
  bool seen_data_ = false, seen_task_ = false, seen_dir_ = false, seen_level_ = false, seen_framework_ = false;
  size_t released_ = 0;
};

}  // namespace

struct Index::Impl : Contents {
  using Contents::Contents;
};

Index::Index(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;
Index::~Index() = default;

Index Index::open(const std::string& path) {
  auto impl = std::make_unique<Impl>(path);
  const size_t slash = path.rfind('/');
  impl->tensor_dir = (slash == std::string::npos ? "" : path.substr(0, slash + 1)) + "dump_tensor_data";
  try {
    IndexBuilder(*impl).build();
  } catch (const Error&) {
    impl->file.check_unchanged();  // what was found wrong may be what somebody has just made of it
    throw;
  }
  impl->file.check_unchanged();
  return Index(std::move(impl));
}

const std::vector<IndexEntry>& Index::entries() const {
  return impl_->entries;
}
const std::vector<std::string_view>& Index::orphans() const {
  return impl_->orphans;
}
size_t Index::modules() const {
  return impl_->modules;
}
const std::string& Index::path() const {
  return impl_->path;
}
const std::string& Index::task() const {
  return impl_->task;
}
const std::string& Index::level() const {
  return impl_->level;
}
bool Index::has_real_data() const {
  return impl_->has_real_data;
}
const std::string& Index::tensor_dir() const {
  return impl_->tensor_dir;
}

std::string_view Index::text(Range range) const {
  return impl_->file.text().substr(range.begin, range.end - range.begin);
}

uint64_t Index::digest() const {
  // Not against forgery: eight bytes at a time, mixed by a multiplication (2^64 divided by the golden ratio).
  constexpr uint64_t kMix = 0x9E3779B97F4A7C15u;
  const std::string_view bytes = impl_->file.text();
  impl_->file.check_unchanged();
  uint64_t sum = bytes.size();
  for (size_t i = 0; i < bytes.size(); i += sizeof sum) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
    sum = (sum ^ word) * kMix;
    sum ^= sum >> 32;
    if ((i & (kReleaseStep - 1)) == 0 && i > 0) impl_->file.release(i - kReleaseStep, i);
  }
  impl_->file.release(0, bytes.size());
  impl_->file.check_unchanged();
  return sum;
}

void Index::check_unchanged() const {
  impl_->file.check_unchanged();
}

// One look, behind the reading: pages that are gone read as zeros meanwhile, and nothing is made of them.
Record Index::read(size_t i) const {
  try {
    Record record = parse(i);
    check_unchanged();
    return record;
  } catch (const ChangedError&) {
    throw;
  } catch (const Error&) {
    check_unchanged();
    throw;
  }
}

Record Index::parse(size_t i) const {
  const IndexEntry& entry = impl_->entries.at(i);
  const auto place = [&](const char* direction) {
    return entry_place(impl_->shown_path, std::string(entry.api) + direction);
  };
  Record record;
  record.name = parse_api_name(entry.api);
  record.forward = parse_forward(text(entry.forward), place(".forward"));
  if (!entry.backward.empty()) {
    try {
      record.backward = parse_backward(text(entry.backward), place(".backward"));
    } catch (const Error& error) {
      record.backward = BackwardRecord{{}, {}, error.where() + " " + error.message()};
    }
  }
  impl_->file.release(entry.forward.begin, entry.forward.end);
  impl_->file.release(entry.backward.begin, entry.backward.end);
  return record;
}

}  // namespace msprobe::dump
