#include "dump/pt_reader.h"

#include "dump/aligned.h"
#include "dump/pickle_reader.h"
#include "dump/tensor_pickle.h"
#include "dump/zip_reader.h"
#include "util/error.h"
#include "util/text.h"

namespace msprobe::dump {
namespace {

constexpr std::string_view kZipMagic = "PK\x03\x04";
constexpr std::string_view kPickleRecord = "data.pkl";

/// The folder that all records of the archive lie in, with its slash: torch.save names it after the file.
std::string find_prefix(const ZipReader& zip, const std::string& where) {
  for (const auto& member : zip.members()) {
    const size_t slash = member.name.find('/');
    if (slash != std::string_view::npos && member.name.substr(slash + 1) == kPickleRecord) {
      return std::string(member.name.substr(0, slash + 1));
    }
  }
  throw Error(where, "is a zip archive without data.pkl, expected a file of torch.save");
}

/// Multi-byte elements of the wrong byte order would be read as other numbers. Files before torch 2.1 do not say.
void check_byte_order(const ZipReader& zip, const std::string& prefix, const std::string& where) {
  const ZipReader::Member* member = zip.find(prefix + "byteorder");
  if (member == nullptr) return;
  const std::string_view order = zip.read(*member);
  if (order == "little") return;
  throw Error(where, "has the byte order " + util::quoted(order) + ", expected \"little\"",
              "dump on a little-endian machine, or save the tensor again there");
}

}  // namespace

TensorFile place_tensor(const TensorPlan& plan, char* storage, int64_t bytes, std::shared_ptr<void> owner,
                        const std::string& where) {
  int64_t claimed = 0;
  if (__builtin_mul_overflow(plan.storage.count, plan.storage.element_size(), &claimed) || claimed != bytes) {
    throw Error(where, "claims a storage of " + std::to_string(plan.storage.count) + " elements of " +
                           std::to_string(plan.storage.element_size()) + " bytes, but " + std::to_string(bytes) +
                           " bytes are there");
  }
  const int64_t offset = checked_offset(plan, bytes, where);
  TensorFile file;
  file.dtype = plan.dtype;
  file.sizes = plan.sizes;
  file.strides = plan.strides;
  file.requires_grad = plan.requires_grad;
  file.conj = plan.conj;
  file.neg = plan.neg;
  file.storage_bytes = bytes - offset;
  file.data = storage + offset;
  file.owner = std::move(owner);
  make_aligned(file);
  return file;
}

TensorFile read_pt(char* data, size_t size, std::shared_ptr<void> owner, const std::string& where) {
  const std::string_view bytes(data, size);
  if (is_legacy_pt(bytes)) return read_legacy_pt(data, size, std::move(owner), where);
  if (!bytes.starts_with(kZipMagic))
    throw Error(where, "is no file of torch.save: it begins with " + util::quoted(bytes, 8));
  const ZipReader zip(bytes, where);
  const std::string prefix = find_prefix(zip, where);
  if (zip.find(prefix + "constants.pkl") != nullptr) {
    throw Error(where, "is a TorchScript program, expected a tensor");
  }
  check_byte_order(zip, prefix, where);
  const ZipReader::Member& pickle_member = *zip.find(prefix + std::string(kPickleRecord));
  if (pickle_member.size > kMaxPickleBytes) {
    throw Error(where, "its pickle is " + std::to_string(pickle_member.size) + " bytes long, a tensor's has at most " +
                           std::to_string(kMaxPickleBytes));
  }
  const Pickle pickle = read_pickle(zip.read(pickle_member), where);
  const TensorPlan plan = read_tensor_plan(pickle, where);
  const ZipReader::Member* storage = zip.find(prefix + "data/" + plan.storage.key);
  if (storage == nullptr) throw Error(where, "lacks the record data/" + util::shown(plan.storage.key));
  // Sizes first: they cost nothing, the CRC reads the whole storage.
  TensorFile file =
      place_tensor(plan, data + storage->begin, static_cast<int64_t>(storage->size), std::move(owner), where);
  zip.read(*storage);
  return file;
}

}  // namespace msprobe::dump
