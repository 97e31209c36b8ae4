// An .npy file.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "dump/npy_reader.h"
#include "read_all.h"
#include "target.h"

using namespace msprobe;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Exactly as many bytes as there are, so that reading one more is seen.
  const std::shared_ptr<char> copy(static_cast<char*>(std::malloc(size)), std::free);
  if (size > 0) std::memcpy(copy.get(), data, size);
  if (!dump::is_npy({copy.get(), size})) return 0;
  fuzz::accepts([&] { fuzz::read_all(dump::read_npy(copy.get(), size, copy, "input")); });
  return 0;
}
