// A zip archive, its members, and the tensor that torch.save put there.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "dump/pt_reader.h"
#include "dump/zip_reader.h"
#include "read_all.h"
#include "target.h"

using namespace msprobe;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzz::accepts([&] {
    const dump::ZipReader zip(bytes, "input");
    fuzz::require(zip.members().size() <= dump::ZipReader::kMaxMembers, "more members than there may be");
    for (const dump::ZipReader::Member& member : zip.members()) {
      fuzz::require(member.begin <= size && member.size <= size - member.begin, "a member outside the archive");
      fuzz::require(zip.find(member.name) == &member, "a member that is not found");
      fuzz::accepts([&] { fuzz::require(zip.read(member).size() == member.size, "contents of another size"); });
    }
  });

  const std::shared_ptr<char> copy(static_cast<char*>(std::aligned_alloc(64, (size + 64) / 64 * 64)), std::free);
  if (size > 0) std::memcpy(copy.get(), data, size);
  fuzz::accepts([&] { fuzz::read_all(dump::read_pt(copy.get(), size, copy, "input")); });
  return 0;
}
