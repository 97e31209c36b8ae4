// Files that torch.save wrote before version 1.6, and still writes when asked to: pickles of a magic number, the
// format's version, the writer's system, the object and the list of storage keys; then each storage as a count and its
// bytes.
#include <algorithm>
#include <utility>

#include "dump/bytes.h"
#include "dump/pickle_reader.h"
#include "dump/pt_reader.h"
#include "dump/tensor_pickle.h"
#include "util/error.h"
#include "util/text.h"

namespace msprobe::dump {
namespace {

/// 0x1950a86a20f9469cfc6c, as the pickle of protocol 2 that the file begins with.
constexpr std::string_view kMagic("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
constexpr int64_t kFormatVersion = 1001;

class LegacyReader {
 public:
  LegacyReader(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  TensorPlan read_plan() {
    at_ = kMagic.size();
    const Pickle version = next_pickle();
    if (!version.root->is(PickleKind::kInteger) || version.root->integer != kFormatVersion) {
      fail("has an unknown version of the format before torch 1.6");
    }
    check_system(next_pickle());
    const Pickle object = next_pickle();
    TensorPlan plan = read_tensor_plan(object, where_);
    for (const PickleNode& node : object.nodes) {
      if (node.is(PickleKind::kPersistent)) storages_.push_back(read_storage_ref(node, where_));
    }
    return plan;
  }

  /// Begin and size of the storage `key`, which lies behind those named before it.
  std::pair<size_t, int64_t> find_storage(const std::string& key) {
    const Pickle keys = next_pickle();
    if (!keys.root->is(PickleKind::kList)) fail("has no list of storages");
    for (const PickleNode* node : keys.root->items) {
      if (!node->is(PickleKind::kText)) fail("has a storage whose key is no text");
      const StorageRef& storage = storage_of(node->text);
      const int64_t bytes = next_storage(storage);
      if (storage.key == key) return {at_, bytes};
      at_ += static_cast<size_t>(bytes);
    }
    fail("lacks the storage " + util::quoted(key));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(where_, what); }

  Pickle next_pickle() {
    Pickle pickle = read_pickle(bytes_.substr(at_), where_);
    at_ += pickle.size;
    return pickle;
  }

  void check_system(const Pickle& pickle) const {
    if (!pickle.root->is(PickleKind::kDict)) fail("does not say on which system it was written");
    const auto& items = pickle.root->items;
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      if (!items[i]->is(PickleKind::kText) || items[i]->text != "little_endian") continue;
      if (items[i + 1]->is(PickleKind::kBool) && !items[i + 1]->boolean) fail("is big-endian, expected little-endian");
    }
  }

  const StorageRef& storage_of(std::string_view key) const {
    const auto found =
        std::find_if(storages_.begin(), storages_.end(), [&](const StorageRef& storage) { return storage.key == key; });
    if (found == storages_.end()) fail("has a storage that no tensor uses, " + util::quoted(key));
    return *found;
  }

  /// Moves to the bytes of the storage and returns their number.
  int64_t next_storage(const StorageRef& storage) {
    constexpr size_t kCountBytes = 8;
    const size_t left = bytes_.size() - at_;
    if (left < kCountBytes) fail("is cut off in front of storage " + util::quoted(storage.key));
    const auto count = load_little<int64_t>(bytes_, at_);
    at_ += kCountBytes;
    int64_t bytes = 0;
    if (count != storage.count || __builtin_mul_overflow(count, storage.element_size(), &bytes)) {
      fail("counts " + std::to_string(count) + " elements in storage " + util::quoted(storage.key) +
           ", its pickle says " + std::to_string(storage.count));
    }
    if (static_cast<uint64_t>(bytes) > left - kCountBytes) fail("is cut off in storage " + util::quoted(storage.key));
    return bytes;
  }

  std::string_view bytes_;
  const std::string& where_;
  size_t at_ = 0;
  std::vector<StorageRef> storages_;
};

}  // namespace

bool is_legacy_pt(std::string_view file) {
  return file.starts_with(kMagic);
}

TensorFile read_legacy_pt(char* data, size_t size, std::shared_ptr<void> owner, const std::string& where) {
  LegacyReader reader(std::string_view(data, size), where);
  const TensorPlan plan = reader.read_plan();
  const auto [begin, bytes] = reader.find_storage(plan.storage.key);
  return place_tensor(plan, data + begin, bytes, std::move(owner), where);
}

}  // namespace msprobe::dump
