// A pickle, the plan of a tensor in it, and the same bytes as a torch.save file from before version 1.6.
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

#include "dump/pickle_reader.h"
#include "dump/pt_reader.h"
#include "dump/tensor_pickle.h"
#include "target.h"

using namespace msprobe;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzz::accepts([&] {
    const dump::Pickle pickle = dump::read_pickle(bytes, "input");
    fuzz::require(pickle.root != nullptr, "a pickle without a value");
    fuzz::require(pickle.size <= size, "a pickle longer than its bytes");
    const dump::TensorPlan plan = dump::read_tensor_plan(pickle, "input");
    fuzz::require(plan.sizes.size() == plan.strides.size(), "sizes and strides of different counts");
    for (const int64_t storage : {int64_t{0}, int64_t{64}, std::numeric_limits<int64_t>::max()}) {
      fuzz::accepts([&] {
        const int64_t offset = dump::checked_offset(plan, storage, "input");
        fuzz::require(offset >= 0 && offset <= storage, "an offset beyond the storage");
      });
    }
  });

  const std::shared_ptr<char> copy(static_cast<char*>(std::aligned_alloc(64, (size + 64) / 64 * 64)), std::free);
  if (size > 0) std::memcpy(copy.get(), data, size);
  if (dump::is_legacy_pt(bytes)) fuzz::accepts([&] { dump::read_legacy_pt(copy.get(), size, copy, "input"); });
  return 0;
}
