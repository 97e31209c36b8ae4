#include "dump/tensor_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "dump/describe.h"
#include "dump/npy_reader.h"
#include "dump/pt_reader.h"
#include "dump/test_files.h"
#include "util/mapped_range.h"

namespace msprobe::dump {
namespace {

/// Name -> the rest of its line, as make_tensors.py wrote it.
std::map<std::string, std::string> expected_tensors() {
  std::map<std::string, std::string> expected;
  for (const std::string& line : support::lines(data_path("good.expected.txt"))) {
    const size_t space = line.find(' ');
    expected[line.substr(0, space)] = line.substr(space + 1);
  }
  return expected;
}

/// Reads from a buffer of exactly this size, so that a sanitizer sees one byte too many.
TensorFile read_bytes(const std::string& bytes, const std::string& where = "f") {
  std::shared_ptr<char> buffer(new char[bytes.size()], std::default_delete<char[]>());
  std::memcpy(buffer.get(), bytes.data(), bytes.size());
  return is_npy(bytes) ? read_npy(buffer.get(), bytes.size(), buffer, where)
                       : read_pt(buffer.get(), bytes.size(), buffer, where);
}

TEST(TensorFileTest, ReadsWhatPythonReads) {
  const auto expected = expected_tensors();
  EXPECT_EQ(expected.size(), 67u);
  for (const auto& [name, line] : expected) {
    EXPECT_EQ(describe(read_tensor_file(data_path("good"), name)), line) << name;
  }
}

TEST(TensorFileTest, ReadsByPath) {
  const auto expected = expected_tensors();
  EXPECT_EQ(describe(read_pt(data_path("good/bfloat16.pt"))), expected.at("bfloat16.pt"));
  EXPECT_EQ(describe(read_npy(data_path("good/fortran.npy"))), expected.at("fortran.npy"));
  EXPECT_EQ(error_of([] { read_npy(data_path("good/bool.pt")); }),
            data_path("good/bool.pt") + ": is no .npy file: it begins with \"PK\\x03\\x04...\"");
}

TEST(TensorFileTest, RefusesEveryTruncation) {
  for (const auto& [name, line] : expected_tensors()) {
    const std::string bytes = support::content(data_path("good/" + name));
    for (size_t size = 0; size < bytes.size(); ++size) {
      ASSERT_THROW(read_bytes(bytes.substr(0, size)), Error) << name << " cut to " << size << " bytes";
    }
  }
}

TEST(TensorFileTest, SeesEveryFlippedBitOrIsNotMisledByIt) {
  for (const char* name : {"float32.pt", "float8_e5m2.pt", "parameter_with_state.pt", "not_aligned.pt"}) {
    std::string bytes = support::content(data_path(std::string("good/") + name));
    const std::string good = describe(read_bytes(bytes));
    int seen = 0;
    for (size_t i = 0; i < bytes.size() * 8; ++i) {
      const auto flip = [&] { bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ 1 << i % 8); };
      flip();
      try {
        ASSERT_EQ(describe(read_bytes(bytes)), good) << name << " bit " << i;
      } catch (const Error&) {
        ++seen;
      }
      flip();
    }
    EXPECT_GT(seen, 1000) << name;
  }
}

TEST(TensorFileTest, SeesFlippedBitInTheElements) {
  std::string bytes = support::content(data_path("good/float32.pt"));
  const size_t at = bytes.find("\x07\x08\x09\x0a\x0b");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 2] ^= 4;
  EXPECT_EQ(
      error_of([&] { read_bytes(bytes); }),
      "f: member \"float32/data/0\" is corrupted: its CRC-32 is not the recorded one; copy the file again, or dump "
      "again");
}

TEST(TensorFileTest, WritesNeverReachTheFile) {
  const TempFolder folder;
  const std::string before = support::content(data_path("good/float32.pt"));
  folder.write("a.pt", before);
  {
    const TensorFile tensor = read_tensor_file(folder.string(), "a.pt");
    EXPECT_EQ(tensor.storage_bytes, 24);
    std::memset(tensor.data, 0xFF, 24);
  }
  EXPECT_EQ(support::content(folder / "a.pt"), before);
}

TEST(TensorFileTest, ElementsAreAlignedAndOutliveTheReader) {
  for (const char* name :
       {"float64.pt", "not_aligned.pt", "before_1_6.pt", "complex128.pt", "f8.npy", "big_endian_f4.npy"}) {
    const TensorFile tensor = read_tensor_file(data_path("good"), name);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data) % std::min<int64_t>(8, dtype_size(tensor.dtype)), 0u) << name;
    EXPECT_NE(tensor.owner, nullptr) << name;
  }
}

TEST(TensorFileTest, StorageBytesCountFromTheFirstElement) {
  // base[1, :, 1:3] of 2 x 3 x 4 float32: offset 13 elements of 24.
  EXPECT_EQ(read_tensor_file(data_path("good"), "view_with_offset.pt").storage_bytes, (24 - 13) * 4);
}

TEST(TensorFileTest, ReadsMoreElementsThan32BitsCount) {
  // 2^31 + 8 bytes that take no room on the disk.
  const int64_t count = (int64_t{1} << 31) + 8;
  const std::string header = "\x93NUMPY\x01" + std::string(1, '\0') + little(118, 2) +
                             "{'descr': '|u1', 'fortran_order': False, 'shape': (2147483656,), }" +
                             std::string(51, ' ') + "\n";
  ASSERT_EQ(header.size(), 128u);
  const TempFolder folder;
  const std::string path = folder.write("big.npy", header);
  ASSERT_EQ(truncate(path.c_str(), count + 128), 0);
  const TensorFile tensor = read_tensor_file(folder.string(), "big.npy");
  EXPECT_EQ(tensor.sizes, std::vector<int64_t>{count});
  EXPECT_EQ(tensor.storage_bytes, count);
  EXPECT_EQ(static_cast<char*>(tensor.data)[count - 1], 0);
}

// ---- paths
// -----------------------------------------------------------------------------------------------------------

class PathTest : public testing::Test {
 protected:
  PathTest() {
    const std::string good = support::content(data_path("good/float32.pt"));
    root_.write("secret.pt", good);
    std::filesystem::create_directories(dir() + "/sub");
    root_.write("dump_tensor_data/good.pt", good);
    root_.write("dump_tensor_data/sub/good.pt", good);
    root_.write("dump_tensor_data/empty.pt", "");
    std::filesystem::create_symlink("../secret.pt", dir() + "/out.pt");
    std::filesystem::create_symlink("good.pt", dir() + "/in.pt");
    std::filesystem::create_symlink("..", dir() + "/up");
    EXPECT_EQ(mkfifo((dir() + "/fifo.pt").c_str(), 0600), 0);
  }
  std::string dir() const { return (root_ / "dump_tensor_data").string(); }
  /// The message without the folder.
  std::string error(const std::string& name) const {
    std::string text = error_of([&] { read_tensor_file(dir(), name); });
    const size_t at = text.find(dir() + "/");
    return at == std::string::npos ? text : text.erase(at, dir().size() + 1);
  }
  TempFolder root_;
};

TEST_F(PathTest, ReadsFilesBeneathTheFolder) {
  EXPECT_EQ(error("good.pt"), "no error");
  EXPECT_EQ(error("sub/good.pt"), "no error");
}

TEST_F(PathTest, RefusesNamesThatLeadOut) {
  const std::string out = ": the recorded name leads out of the folder of tensor files or is not a plain file name";
  for (const char* name :
       {"../secret.pt", "..", ".", "sub/../../secret.pt", "sub/..", "./good.pt", "sub//good.pt", "sub/"}) {
    EXPECT_EQ(error(name), name + out);
  }
  EXPECT_EQ(error(""), out);
  EXPECT_EQ(error((root_ / "secret.pt").string()),
            root_.string() +
                "/secret.pt: the recorded name is an absolute path, expected a file in the folder of tensor files");
  EXPECT_EQ(error("out.pt"), "out.pt: is a symbolic link, expected a regular file");
  EXPECT_EQ(error("in.pt"), "in.pt: is a symbolic link, expected a regular file");
  EXPECT_EQ(error("up/secret.pt"),
            "up/secret.pt: lies in a symbolic link, which is not followed, or in something that is no folder");
}

TEST_F(PathTest, RefusesWhatIsNoRegularFileWithoutWaiting) {
  EXPECT_EQ(error("fifo.pt"), "fifo.pt: is a FIFO, expected a regular file");
  EXPECT_EQ(error("sub"), "sub: is a folder, expected a regular file");
  EXPECT_EQ(error_of([] { read_tensor_file("/dev", "null"); }), "/dev/null: is a device, expected a regular file");
  EXPECT_EQ(error_of([&] { read_pt(dir() + "/fifo.pt"); }), dir() + "/fifo.pt: is a FIFO, expected a regular file");
  EXPECT_EQ(error("empty.pt"), "empty.pt: is empty");
}

TEST_F(PathTest, NamesWhatIsMissing) {
  EXPECT_EQ(error("no.pt"), "no.pt: no such file; copy the whole dump folder, dump_tensor_data/ included");
  EXPECT_EQ(error_of([&] { read_tensor_file((root_ / "no").string(), "a.pt"); }),
            root_.string() +
                "/no/a.pt: its folder cannot be opened: No such file or directory; dump_tensor_data/ must lie beside "
                "dump.json");
}

TEST_F(PathTest, RefusesNamesThatNoFileHas) {
  EXPECT_EQ(error(std::string("good.pt\0.npy", 12)), "\"good.pt\\x00.npy\": the recorded name holds a NUL character");
  EXPECT_EQ(error("\xff.pt"), "\"\\xff.pt\": the recorded name is not UTF-8");
  EXPECT_EQ(error(std::string(300, 'a')),
            "\"" + std::string(120, 'a') + "...\": the recorded name is 300 bytes long, a file name has at most 255");
  EXPECT_EQ(error(std::string(4096, 'a')),
            "\"" + std::string(120, 'a') + "...\": the recorded name is 4096 bytes long, a path has at most 4095");
  EXPECT_EQ(error("a\nb"), "\"a\\nb\": no such file; copy the whole dump folder, dump_tensor_data/ included");
}

// Elements are read when an operator asks for them, from whatever the file holds by then.
TEST_F(PathTest, AFileThatIsChangedWhileItsTensorLivesIsNamed) {
  struct Case {
    const char* name;
    std::function<void(const std::string&)> harm;
    const char* message;
  };
  const Case cases[] = {
      {"pages gone", [](const std::string& path) { std::filesystem::resize_file(path, 10); },
       ": was cut short while it was being read, or its disk failed"},
      {"end of a page gone",
       [](const std::string& path) { std::filesystem::resize_file(path, std::filesystem::file_size(path) - 10); },
       ": was changed while it was being read"},
      {"nothing", [](const std::string&) {}, nullptr},
      {"removed", [](const std::string& path) { std::filesystem::remove(path); }, nullptr},
      {"replaced", [this](const std::string& path) { std::filesystem::rename(root_.write("new", "x"), path); },
       nullptr},
  };
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (5000,), }";
  header.resize(117, ' ');
  const std::string npy = std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n" + std::string(20'000, '\x3f');
  ASSERT_FALSE(util::take_lost_file());
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string path = root_.write("dump_tensor_data/large.npy", npy);
    {
      const TensorFile tensor = read_tensor_file(dir(), "large.npy");
      c.harm(path);
      const char* last = static_cast<const char*>(tensor.data) + 20'000 - 1;
      EXPECT_EQ(*last, c.message == nullptr ? '\x3f' : '\0');
    }
    const auto lost = util::take_lost_file();
    EXPECT_EQ(lost.has_value(), c.message != nullptr);
    if (lost && c.message != nullptr) {
      EXPECT_EQ(lost->where() + ": " + lost->message(), path + c.message);
    }
    std::filesystem::remove(path);
  }
}

TEST_F(PathTest, KeepsNoDescriptorOpen) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto before = open_files();
  std::vector<TensorFile> tensors;
  for (int i = 0; i < 20; ++i) tensors.push_back(read_tensor_file(dir(), "sub/good.pt"));
  EXPECT_EQ(open_files(), before);
}

}  // namespace
}  // namespace msprobe::dump
