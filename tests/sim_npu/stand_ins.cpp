#include "stand_ins.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fault_plan.h"

namespace sim_npu {
namespace {

class StandIns {
 public:
  explicit StandIns(const std::string& path) {
    if (path.empty()) return;
    std::ifstream in(path, std::ios::binary);
    TORCH_CHECK(in, path, ": the stand-ins of the simulated NPU cannot be read");
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
    const std::string_view all = bytes_;
    for (size_t at = 0; at < all.size();) {
      uint64_t size = 0;
      TORCH_CHECK(all.size() - at >= sizeof size, path, ": ends within a pair");
      std::memcpy(&size, all.data() + at, sizeof size);
      at += sizeof size;
      TORCH_CHECK((all.size() - at) / 2 >= size, path, ": ends within a pair");
      pairs_.emplace(all.substr(at, size), all.substr(at + size, size));
      at += 2 * size;
    }
  }
  /// nullptr: none.
  const std::string_view* of(std::string_view bytes) const {
    const auto found = pairs_.find(bytes);
    return found == pairs_.end() ? nullptr : &found->second;
  }

 private:
  std::string bytes_;
  std::unordered_map<std::string_view, std::string_view> pairs_;
};

}  // namespace

void stand_in(const at::Tensor& t) {
  static const StandIns all(plan().stand_ins);
  const at::Tensor changed = t.clone(at::MemoryFormat::Contiguous);
  const std::string_view* other = all.of({static_cast<const char*>(changed.data_ptr()), changed.nbytes()});
  if (other == nullptr) return;
  std::memcpy(changed.data_ptr(), other->data(), other->size());
  t.copy_(changed);
}

}  // namespace sim_npu
