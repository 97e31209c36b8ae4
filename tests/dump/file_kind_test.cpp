#include "dump/file_kind.h"

#include <gtest/gtest.h>

#include "support/error_of.h"
#include "support/temp_folder.h"

namespace msprobe::dump {
namespace {

using namespace std::string_view_literals;

struct Given {
  std::string_view name, beginning;
  const char* what;  ///< "": may be a dump.json
};

// First bytes as gzip, zstd, xz, bzip2, zip, numpy.save, pickle.dumps and sqlite3 write them.
TEST(OtherFileTest, IsNamedByItsFirstBytesAndByItsName) {
  const Given all[] = {
      {"dump.json", "{\"task\": \"tensor\"}", ""},
      {"dump.json", "\xEF\xBB\xBF{}", ""},
      {"dump.csv", " {\"data\": {}}", ""},
      {"dump.json", "", ""},
      {"dump.json", "[1, 2]", ""},
      {"dump.json.gz", "\x1F\x8B\x08\x00\x00\x00"sv, "is compressed by gzip, expected a dump.json"},
      {"dump.json", "\x1F\x8B\x08\x08"sv, "is compressed by gzip, expected a dump.json"},
      {"d.zst", "\x28\xB5\x2F\xFD\x24", "is compressed by zstd, expected a dump.json"},
      {"d.xz", "\xFD\x37zXZ\x00\x00\x04"sv, "is compressed by xz, expected a dump.json"},
      {"d.bz2", "BZh91AY&SY", "is compressed by bzip2, expected a dump.json"},
      {"d.zip", "PK\x03\x04\x14", "is a zip archive, expected a dump.json"},
      {"Torch.mul.0.forward.input.0.pt", "PK\x03\x04\x00\x00"sv,
       "is a zip archive, as torch.save makes them, expected a dump.json"},
      {"x.pt", "\x80\x02\x8A\x0A", "is a Python pickle, as torch.save makes them, expected a dump.json"},
      {"x.pkl", "\x80\x04\x95", "is a Python pickle, expected a dump.json"},
      {"x.npy", "\x93NUMPY\x01\x00"sv, "is a NumPy array (.npy), expected a dump.json"},
      {"r.xlsx", "PK\x03\x04\x14", "is a spreadsheet, expected a dump.json"},
      {"r.csv",
       "\xEF\xBB\xBF"
       "API Name,Forward",
       "is a CSV file, expected a dump.json"},
      {"accuracy_checking_result_20250101120000.csv", "api;x", "is a CSV file, expected a dump.json"},
      {"r.db", "SQLite format 3\0"sv, "is a SQLite database, expected a dump.json"},
      {"a/stack.json", "{\"3\": []}", "holds where APIs were called, expected a dump.json"},
      {"a/construct.json", "{}", "holds the modules around APIs, expected a dump.json"},
  };
  for (const Given& given : all) {
    const auto other = other_file(given.name, given.beginning);
    EXPECT_EQ(other ? other->what : "", given.what) << given.name;
  }
}

TEST(OtherFileTest, TheMessageSaysWhatToGive) {
  const support::TempFolder folder;
  const std::string gzip = folder.write("dump.json", "\x1F\x8B\x08");
  EXPECT_EQ(support::error_of([&] { reject_other_file(gzip); }),
            gzip + ": is compressed by gzip, expected a dump.json; unpack it, and give the dump.json in it");
  const std::string stack = folder.write("stack.json", "{}");
  EXPECT_EQ(support::error_of([&] { reject_other_file(stack); }),
            stack + ": holds where APIs were called, expected a dump.json; give the dump.json beside it");
  EXPECT_EQ(support::error_of([&] { reject_other_file(folder.write("good.json", "{}")); }), "no error");
  EXPECT_EQ(support::error_of([&] { reject_other_file(folder.write("empty.json", "")); }), "no error");
}

}  // namespace
}  // namespace msprobe::dump
