#include "dump/file_kind.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "util/error.h"
#include "util/mapped_file.h"
#include "util/text.h"
#include "util/utf8.h"

namespace msprobe::dump {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kUnpack = "unpack it, and give the dump.json in it";
constexpr std::string_view kBeside = "give the dump.json beside it";
constexpr std::string_view kTensor = "give the dump.json beside its dump_tensor_data/";
constexpr std::string_view kRecorded =
    "give the dump.json that PrecisionDebugger wrote, dump_path/step*/rank*/dump.json; a result is what "
    "-csv_path and api_precision_compare take";

struct Kind {
  std::string_view magic;   ///< first bytes; empty: by name alone
  std::string_view ending;  ///< of the name; empty: by magic alone
  OtherFile told;
};

/// The first that fits counts. Magic numbers: RFC 1952, RFC 8878, and the formats' own documentation (xz, bzip2, zip,
/// NumPy NEP 1, Python's pickle protocol 2 to 5, SQLite, HDF5).
constexpr std::array<Kind, 19> kKinds = {{
    {"\x1F\x8B"sv, "", {"is compressed by gzip, expected a dump.json", kUnpack}},
    {"\x28\xB5\x2F\xFD"sv, "", {"is compressed by zstd, expected a dump.json", kUnpack}},
    {"\xFD\x37zXZ\0"sv, "", {"is compressed by xz, expected a dump.json", kUnpack}},
    {"BZh"sv, "", {"is compressed by bzip2, expected a dump.json", kUnpack}},
    {"PK\x03\x04"sv, ".xlsx", {"is a spreadsheet, expected a dump.json", kRecorded}},
    {"PK\x03\x04"sv, ".zip", {"is a zip archive, expected a dump.json", kUnpack}},
    {"PK\x03\x04"sv, "", {"is a zip archive, as torch.save makes them, expected a dump.json", kTensor}},
    {"\x93NUMPY"sv, "", {"is a NumPy array (.npy), expected a dump.json", kTensor}},
    {"\x80\x02"sv, "", {"is a Python pickle, as torch.save makes them, expected a dump.json", kTensor}},
    {"\x80\x03"sv, "", {"is a Python pickle, expected a dump.json", kTensor}},
    {"\x80\x04"sv, "", {"is a Python pickle, expected a dump.json", kTensor}},
    {"\x80\x05"sv, "", {"is a Python pickle, expected a dump.json", kTensor}},
    {"SQLite format 3"sv, "", {"is a SQLite database, expected a dump.json", kRecorded}},
    {"\x89HDF\r\n"sv, "", {"is an HDF5 file, expected a dump.json", kRecorded}},
    {"API Name"sv, "", {"is a CSV file, expected a dump.json", kRecorded}},
    {""sv, ".csv", {"is a CSV file, expected a dump.json", kRecorded}},
    {""sv, ".pt", {"is named as a tensor file (.pt), expected a dump.json", kTensor}},
    {""sv, ".npy", {"is named as a NumPy array (.npy), expected a dump.json", kTensor}},
    {""sv, ".yaml", {"is named as YAML, expected a dump.json", kRecorded}},
}};

}  // namespace

std::optional<OtherFile> other_file(std::string_view name, std::string_view beginning) {
  if (beginning.starts_with(util::kUtf8Mark)) beginning.remove_prefix(util::kUtf8Mark.size());
  for (const Kind& kind : kKinds) {
    if (!beginning.starts_with(kind.magic) || !name.ends_with(kind.ending)) continue;
    // Whatever its name, a JSON object is worth a try.
    if (kind.magic.empty() && beginning.find_first_not_of(" \t\r\n") == beginning.find('{')) continue;
    return kind.told;
  }
  const std::string_view file = name.substr(name.rfind('/') + 1);
  if (file == "stack.json") return OtherFile{"holds where APIs were called, expected a dump.json", kBeside};
  if (file == "construct.json") return OtherFile{"holds the modules around APIs, expected a dump.json", kBeside};
  return std::nullopt;
}

void reject_other_file(const std::string& path) {
  std::array<char, 32> bytes{};
  const util::Descriptor file = util::open_regular(path);
  const ssize_t got = ::pread(file.get(), bytes.data(), bytes.size(), 0);
  if (got <= 0) return;
  if (const auto other = other_file(path, {bytes.data(), static_cast<size_t>(got)}))
    throw Error(util::shown(path), std::string(other->what), std::string(other->remedy));
}

}  // namespace msprobe::dump
