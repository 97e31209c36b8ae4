// Files made to harm: each must end in a message that names the file, quickly and in little memory.
#include <gtest/gtest.h>

#include <functional>

#include "dump/describe.h"
#include "dump/pt_reader.h"
#include "dump/test_files.h"

namespace msprobe::dump {
namespace {

using namespace pickle;

const std::string kSixFloats = little(0x3f800000, 4) + std::string(20, '\0');

std::string outcome(std::string bytes) {
  const Budget budget;
  return error_of([&] { read_pt(bytes.data(), bytes.size(), nullptr, "f"); });
}

std::string v2(const std::vector<std::string>& arguments) {
  return call(global("torch._utils", "_rebuild_tensor_v2"), arguments);
}

std::string repeated(const std::string& text, size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) result += text;
  return result;
}

struct PickleCase {
  std::string name, pickle, error;
};

void PrintTo(const PickleCase& row, std::ostream* out) {
  *out << row.name;
}

class HostilePickleTest : public testing::TestWithParam<PickleCase> {};

TEST_P(HostilePickleTest, IsRefused) {
  const auto& [name, pickle, error] = GetParam();
  EXPECT_EQ(outcome(build_pt(pickle, kSixFloats)), error);
}

std::vector<PickleCase> pickle_cases() {
  const std::string good = tensor(6, 0, {2, 3}, {3, 1});
  const std::string system = global("posix", "system");
  const std::string asks = ", which is not needed to rebuild a tensor; nothing was executed";
  const std::string size64 = "f: its shape, stride or offset is larger than 64 bits can count";
  const std::string how = "f: its pickle names a storage in a way that torch.save does not";
  const int64_t huge = int64_t{1} << 62;
  const auto with_state = [&](const std::string& state) {
    return call(global("torch._utils", "_rebuild_parameter_with_state"), {good, "\x88", hooks(), state});
  };
  return {
      // Code.
      {"SystemCall", whole(call(system, {text("touch /tmp/owned")})), "f: its pickle asks for posix.system" + asks},
      {"SystemNamedOnly", whole(system + "0" + good), "f: its pickle asks for posix.system" + asks},
      {"EvalByStackGlobal", whole(text("builtins") + text("eval") + "\x93" + tuple({text("1")}) + "R"),
       "f: its pickle asks for builtins.eval" + asks},
      {"CallInState", whole(with_state(call(system, {text("x")}))), "f: its pickle asks for posix.system" + asks},
      {"CallInShape", whole(v2({storage("FloatStorage", "0", 6), integer(0), call(system, {}), integers({1}), "\x89"})),
       "f: its pickle asks for posix.system" + asks},
      {"NewObject", whole(global("subprocess", "Popen") + tuple({text("x")}) + "\x81"),
       "f: its pickle asks for subprocess.Popen" + asks},
      {"BuildOfForeign", whole(global("os", "environ") + "}b"), "f: its pickle asks for os.environ" + asks},
      {"ClassCalled", whole(call(global("torch._tensor", "_rebuild_from_type_v2"), {system, system, tuple({}), "}"})),
       "f: its pickle asks for posix.system" + asks},
      {"TorchButNoTensor", whole(call(global("torch", "load"), {text("x")})),
       "f: its pickle asks for torch.load" + asks},
      {"GlobalWithControlCharacters", whole(global("a\x1b[2J", "b") + "0" + good),
       "f: its pickle asks for \"a\\x1b[2J.b\"" + asks},
      {"InstOpcode", whole("(iposix\nsystem\n"),
       "f: its pickle has the opcode 0x69, which tensor files do not use, at byte 3"},
      {"Extension", whole("\x82\x01"), "f: its pickle has the opcode 0x82, which tensor files do not use, at byte 2"},
      {"Protocol0", "I1\n.", "f: its pickle has the opcode 0x49, which tensor files do not use, at byte 0"},
      // Sizes.
      {"TenMillionNestedLists", whole(repeated("]", 10'000'000)),
       "f: its pickle is 10000003 bytes long, a tensor's has at most 1048576"},
      {"NestedLists", whole(repeated("]", 1'000'000)), "f: its pickle holds more than 100000 objects at byte 100003"},
      {"NestedTuples", whole(")" + repeated("\x85", 1'000'000)),
       "f: its pickle holds more than 100000 objects at byte 100003"},
      {"Marks", whole(repeated("(", 1'000'000)), "f: its pickle sets more than 100000 marks at byte 100003"},
      {"Duplicates", whole("N" + repeated("2", 1'000'000)),
       "f: its pickle needs a stack of more than 100000 at byte 100003"},
      {"TextOf4GB", whole("X" + little(0xFFFFFFFF, 4)), "f: its pickle is cut off at byte 7"},
      {"TextOf64Bits", whole("\x8d" + little(~uint64_t{0}, 8)), "f: its pickle is cut off at byte 11"},
      {"LongOf4GB", whole("\x8b" + little(0xFFFFFFFF, 4)), "f: its pickle is cut off at byte 7"},
      {"GlobalWithoutEnd", whole("cposix"), "f: its pickle is cut off at byte 3"},
      {"NoStop", "\x80\x02N", "f: its pickle is cut off at byte 3"},
      {"Empty", "", "f: its pickle is cut off at byte 0"},
      {"UnknownProtocol", "\x80\x06N.", "f: its pickle has an unknown protocol at byte 2"},
      // The machine.
      {"EmptyStack", whole("R"), "f: its pickle uses an empty stack at byte 3"},
      {"StopOnEmptyStack", whole(""), "f: its pickle uses an empty stack at byte 3"},
      {"TakesFromBelowMark", whole("N(\x85"), "f: its pickle uses an empty stack at byte 5"},
      {"NoMark", whole("Nt"), "f: its pickle uses a mark that it never set at byte 4"},
      {"MemoNeverSet", whole("j" + little(0xFFFFFFFF, 4)),
       "f: its pickle asks for object 4294967295, which it never stored at byte 7"},
      {"AppendToNone", whole("NNa"), "f: its pickle fills something that is no list or dict at byte 5"},
      {"KeyWithoutValue", whole("}(Nu"), "f: its pickle has a key without a value at byte 6"},
      {"GlobalOfNumbers", whole("K\x01K\x02\x93"), "f: its pickle names a global without text at byte 7"},
      // Trees that contain themselves.
      {"ListInItself", whole("]q" + little(0, 1) + "h" + little(0, 1) + "a"), "f: holds a list, expected one tensor"},
      {"ShapeInItself",
       whole(v2({storage("FloatStorage", "0", 6), integer(0), "]q" + little(0, 1) + "h" + little(0, 1) + "a",
                 integers({1}), "\x89", hooks()})),
       "f: the shape is no integer of 64 bits"},
      {"ParametersWithoutEnd",
       whole(global("torch._utils", "_rebuild_parameter") + "q" + little(0, 1) + "0" +
             repeated("h" + little(0, 1) + "(", 20) + good + repeated("\x88" + hooks() + "tR", 20)),
       "f: its pickle does not rebuild a tensor"},
      // Tensors that are none, or lie elsewhere.
      {"None", whole("N"), "f: holds None, expected one tensor"},
      {"Dict", whole("}"), "f: holds a dict, expected one tensor"},
      {"TwoTensors", whole(tuple({good, good})), "f: holds a list, expected one tensor"},
      {"Number", whole("K\x01"), "f: holds a plain value, expected one tensor"},
      {"Class", whole(global("torch", "FloatStorage")),
       "f: holds the class or function torch.FloatStorage, expected one tensor"},
      {"Hooks", whole(hooks()), "f: its pickle does not rebuild a tensor"},
      {"Sparse", whole(call(global("torch._utils", "_rebuild_sparse_tensor"), {good})),
       "f: holds a sparse tensor, expected a dense tensor"},
      {"Quantised", whole(call(global("torch._utils", "_rebuild_qtensor"), {good})),
       "f: holds a quantised tensor, expected a dense tensor"},
      {"NumpyArray", whole(call(global("numpy._core.multiarray", "_reconstruct"), {})),
       "f: holds a numpy array, expected a dense tensor"},
      {"TooFewArguments", whole(v2({"N"})), "f: calls _rebuild_tensor_v2 with 1 arguments"},
      {"ArgumentsNoTuple", whole(global("torch._utils", "_rebuild_tensor_v2") + "NR"),
       "f: calls a function with arguments that are no tuple"},
      {"StorageNoId", whole(v2({"N", integer(0), integers({}), integers({}), "\x89", hooks()})), how},
      {"StorageCountNegative", whole(tensor(-1, 0, {1}, {1})), how},
      {"StorageIdShort",
       whole(v2({tuple({text("storage")}) + "Q", integer(0), integers({}), integers({}), "\x89", hooks()})), how},
      {"StorageOfUnknownClass",
       whole(v2({storage("QInt8Storage", "0", 6), integer(0), integers({}), integers({}), "\x89", hooks()})),
       "f: its pickle asks for torch.QInt8Storage" + asks},
      {"DtypeAsStorage",
       whole(v2({storage("float32", "0", 6), integer(0), integers({}), integers({}), "\x89", hooks()})),
       "f: has a storage of an unknown class, float32"},
      {"UntypedWithoutDtype",
       whole(v2({storage("UntypedStorage", "0", 24), integer(0), integers({}), integers({}), "\x89", hooks()})),
       "f: has a storage without a dtype"},
      {"DtypeNoGlobal",
       whole(call(global("torch._utils", "_rebuild_tensor_v3"),
                  {storage("UntypedStorage", "0", 24), integer(0), integers({}), integers({}), "\x89", hooks(), "N"})),
       "f: has the dtype of a strange kind, which is not known"},
      {"MissingRecord",
       whole(v2({storage("FloatStorage", "1", 6), integer(0), integers({6}), integers({1}), "\x89", hooks()})),
       "f: lacks the record data/1"},
      {"RecordOutside",
       whole(
           v2({storage("FloatStorage", "../data.pkl", 6), integer(0), integers({6}), integers({1}), "\x89", hooks()})),
       "f: lacks the record data/../data.pkl"},
      {"StorageTwiceDifferently", whole(with_state(storage("DoubleStorage", "0", 3))),
       "f: names the storage \"0\" with two types or sizes"},
      {"ClaimsMoreThanIsThere", whole(tensor(50'000'000, 0, {50'000'000}, {1})),
       "f: claims a storage of 50000000 elements of 4 bytes, but 24 bytes are there"},
      {"ClaimsLess", whole(tensor(5, 0, {5}, {1})),
       "f: claims a storage of 5 elements of 4 bytes, but 24 bytes are there"},
      {"ClaimOverflows", whole(tensor(huge, 0, {1}, {1})),
       "f: claims a storage of 4611686018427387904 elements of 4 bytes, but 24 bytes are there"},
      // Shapes.
      {"ShapeBeyondStorage", whole(tensor(6, 0, {7}, {1})),
       "f: its shape, stride and offset reach to byte 28 of a storage of 24 bytes"},
      {"StrideBeyondStorage", whole(tensor(6, 0, {2, 3}, {4, 1})),
       "f: its shape, stride and offset reach to byte 28 of a storage of 24 bytes"},
      {"OffsetBeyondStorage", whole(tensor(6, 1, {2, 3}, {3, 1})),
       "f: its shape, stride and offset reach to byte 28 of a storage of 24 bytes"},
      {"NegativeSize", whole(tensor(6, 0, {-1}, {1})), "f: the shape is negative: -1"},
      {"NegativeStride", whole(tensor(6, 5, {6}, {-1})), "f: the stride is negative: -1"},
      {"NegativeOffset", whole(tensor(6, -1, {1}, {1})), "f: the storage offset is negative: -1"},
      {"NumelOverflows", whole(tensor(6, 0, {huge, huge}, {0, 0})), size64},
      {"ByteCountOverflows", whole(tensor(6, 0, {huge}, {0})), size64},
      {"StrideOverflows", whole(tensor(6, 0, {3}, {huge})), size64},
      {"OffsetOverflows", whole(tensor(6, huge, {1}, {1})), size64},
      {"LongInteger",
       whole(v2({storage("FloatStorage", "0", 6), "\x8a\x09" + std::string(8, '\0') + "\x01", integers({1}),
                 integers({1}), "\x89", hooks()})),
       "f: the storage offset is no integer of 64 bits"},
      {"MoreStridesThanSizes", whole(tensor(6, 0, {2}, {1, 1})), "f: has 1 sizes and 2 strides"},
      {"RequiresGradNoBool",
       whole(v2({storage("FloatStorage", "0", 6), integer(0), integers({1}), integers({1}), "N", hooks()})),
       "f: requires_grad is neither True nor False"},
  };
}

INSTANTIATE_TEST_SUITE_P(All, HostilePickleTest, testing::ValuesIn(pickle_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(HostilePickleTest, HighMemoIndexTakesNoMemory) {
  std::string bytes = build_pt(whole(tensor(6, 0, {2, 3}, {3, 1}) + "r" + little(0xFFFFFFFF, 4)), kSixFloats);
  const Budget budget;
  EXPECT_EQ(describe(read_pt(bytes.data(), bytes.size(), nullptr, "f")),
            "float32 (2, 3) (3, 1) False False False 0000803f" + std::string(40, '0'));
}

TEST(HostilePickleTest, ForeignClassOfATensorIsNotNeeded) {
  const std::string inner =
      tuple({storage("FloatStorage", "0", 6), integer(4), integers({2}), integers({1}), "\x88", hooks()});
  std::string bytes =
      build_pt(whole(call(global("torch._tensor", "_rebuild_from_type_v2"),
                          {global("torch._utils", "_rebuild_tensor_v2"), global("user", "Klass"), inner, "}"})),
               kSixFloats);
  EXPECT_EQ(describe(read_pt(bytes.data(), bytes.size(), nullptr, "f")),
            "float32 (2) (1) True False False 0000000000000000");
}

// ---- archives
// --------------------------------------------------------------------------------------------------------

const std::string kGoodPickle = whole(tensor(6, 0, {2, 3}, {3, 1}));
const std::string kRemedy = "; copy the file again, or dump again";

/// A good archive in which one entry is another.
std::string with(size_t index, const std::function<void(ZipEntry&)>& change, const ZipEnd& end = {}) {
  std::vector<ZipEntry> entries = {{.name = "x/data.pkl", .data = kGoodPickle},
                                   {.name = "x/byteorder", .data = "little"},
                                   {.name = "x/data/0", .data = kSixFloats}};
  change(entries[index]);
  return build_zip(entries, end);
}
std::string with(const ZipEnd& end) {
  return with(
      0, [](ZipEntry&) {}, end);
}

TEST(HostileZipTest, GoodOnesAreRead) {
  EXPECT_EQ(outcome(with(ZipEnd{})), "no error");
  EXPECT_EQ(outcome(with(ZipEnd{.zip64 = true})), "no error");
  EXPECT_EQ(outcome(with(ZipEnd{.comment = "PK\x05\x06 in a comment"})), "no error");
}

TEST(HostileZipTest, CompressedMembersAreRefused) {
  EXPECT_EQ(outcome(with(2, [](ZipEntry& e) { e.method = 8; })),
            "f: member \"x/data/0\" is compressed, torch.save stores" + kRemedy);
  EXPECT_EQ(outcome(with(2, [](ZipEntry& e) { e.size = 0xFFFFFFFE; })),
            "f: member \"x/data/0\" is compressed, torch.save stores" + kRemedy);
  EXPECT_EQ(outcome(with(0, [](ZipEntry& e) { e.flags = 1; })), "f: member \"x/data.pkl\" is encrypted" + kRemedy);
}

TEST(HostileZipTest, NamesThatLeadOutAreRefused) {
  for (const char* name : {"../x", "/etc/passwd", "x/../../y", "..", "a\\b"}) {
    std::string shown;
    for (const char* c = name; *c != '\0'; ++c) shown += *c == '\\' ? "\\\\" : std::string(1, *c);
    EXPECT_EQ(outcome(with(1, [&](ZipEntry& e) { e.name = name; })),
              "f: member \"" + shown + "\" has a name that leads out of the archive" + kRemedy);
  }
}

TEST(HostileZipTest, MembersMustStandApart) {
  EXPECT_EQ(outcome(with(1, [](ZipEntry& e) { e.name = "x/data/0"; })),
            "f: two members are named \"x/data/0\"" + kRemedy);
  // A second directory entry for the first local header.
  EXPECT_EQ(outcome(with(1,
                         [](ZipEntry& e) {
                           e.header = 0;
                           e.name = "x/data.pkl";
                         })),
            "f: two members are named \"x/data.pkl\"" + kRemedy);
  // A whole local header inside the contents of another member.
  const std::string inner = build_zip({{.name = "x/byteorder", .data = "little"}});
  const std::string overlapping =
      build_zip({{.name = "x/data.pkl", .data = kGoodPickle},
                 {.name = "x/data/0", .data = inner.substr(0, 47)},
                 {.name = "x/byteorder", .data = "little", .header = 30 + 10 + kGoodPickle.size() + 30 + 8}});
  EXPECT_EQ(outcome(overlapping), "f: members \"x/data/0\" and \"x/byteorder\" overlap" + kRemedy);
}

TEST(HostileZipTest, LocalHeadersMustAgree) {
  const std::string lost = "f: member \"x/data/0\" is not where the zip directory says" + kRemedy;
  EXPECT_EQ(outcome(with(2, [](ZipEntry& e) { e.local_name = "y/data/0"; })), lost);
  EXPECT_EQ(outcome(with(2, [](ZipEntry& e) { e.header = 1; })), lost);
  EXPECT_EQ(outcome(with(2, [](ZipEntry& e) { e.header = 0xFFFFFFFE; })), lost);
  EXPECT_EQ(outcome(with(2, [](ZipEntry& e) { e.size = e.stored_size = 1 << 20; })),
            "f: member \"x/data/0\" reaches beyond the zip directory" + kRemedy);
}

TEST(HostileZipTest, CrcMustBeRight) {
  const std::string wrong = " is corrupted: its CRC-32 is not the recorded one" + kRemedy;
  EXPECT_EQ(outcome(with(2, [](ZipEntry& e) { e.crc = 1; })), "f: member \"x/data/0\"" + wrong);
  EXPECT_EQ(outcome(with(0, [](ZipEntry& e) { e.crc = 0; })), "f: member \"x/data.pkl\"" + wrong);
}

TEST(HostileZipTest, DirectoryMustBeWhereItIsSaidToBe) {
  const std::string outside = "f: the zip directory lies outside the file" + kRemedy;
  const std::string damaged = "f: the zip directory is damaged" + kRemedy;
  EXPECT_EQ(outcome(with(ZipEnd{.begin = 0xFFFFFFF0})), outside);
  EXPECT_EQ(outcome(with(ZipEnd{.size = 0xFFFFFFF0})), outside);
  EXPECT_EQ(outcome(with(ZipEnd{.begin = 0})), damaged);
  EXPECT_EQ(outcome(with(ZipEnd{.count = 4})), damaged);
  EXPECT_EQ(outcome(with(ZipEnd{.count = 2})), "f: the zip directory is larger than its members" + kRemedy);
  EXPECT_EQ(outcome(with(ZipEnd{.count = 0})), "f: the zip directory is larger than its members" + kRemedy);
}

TEST(HostileZipTest, Zip64ClaimsAreChecked) {
  const std::string lost = "f: the zip64 end record is not where its locator says" + kRemedy;
  EXPECT_EQ(outcome(with(ZipEnd{.zip64 = true, .end64 = ~uint64_t{0}})), lost);
  EXPECT_EQ(outcome(with(ZipEnd{.zip64 = true, .end64 = 0})), lost);
  EXPECT_EQ(outcome(with(ZipEnd{.zip64 = true, .begin = ~uint64_t{0} - 5})),
            "f: the zip directory lies outside the file" + kRemedy);
  EXPECT_EQ(outcome(with(ZipEnd{.zip64 = true, .size = ~uint64_t{0}})),
            "f: the zip directory lies outside the file" + kRemedy);
  EXPECT_EQ(outcome(with(ZipEnd{.zip64 = true, .begin32 = 7})),
            "f: the zip64 end record contradicts the zip's end record" + kRemedy);
  EXPECT_EQ(outcome(with(ZipEnd{.zip64 = true, .count = 1'000'000})),
            "f: holds 1000000 members, expected one tensor's (at most 1024)" + kRemedy);
  // The sizes of one member in a zip64 field: a lie, and a field that ends too early.
  const auto huge = [](uint64_t size, uint16_t bytes) {
    return [=](ZipEntry& e) {
      e.size = e.stored_size = 0xFFFFFFFF;
      e.extra = little(1, 2) + little(bytes, 2) + little(size, 8) + little(size, 8);
    };
  };
  EXPECT_EQ(outcome(with(2, huge(24, 16))), "no error");
  EXPECT_EQ(outcome(with(2, huge(uint64_t{1} << 40, 16))),
            "f: member \"x/data/0\" reaches beyond the zip directory" + kRemedy);
  EXPECT_EQ(outcome(with(2, huge(~uint64_t{0} - 2, 16))),
            "f: member \"x/data/0\" reaches beyond the zip directory" + kRemedy);
  EXPECT_EQ(outcome(with(2, huge(24, 8))), "f: a zip64 field is cut off" + kRemedy);
  EXPECT_EQ(outcome(with(2, huge(24, 200))), "f: an extra field of the zip directory is cut off" + kRemedy);
}

TEST(HostileZipTest, AMillionRealMembersAreRefusedAtOnce) {
  std::vector<ZipEntry> entries(20'000);
  for (size_t i = 0; i < entries.size(); ++i) entries[i].name = "x/" + std::to_string(i);
  EXPECT_EQ(outcome(build_zip(entries)), "f: holds 20000 members, expected one tensor's (at most 1024)" + kRemedy);
}

TEST(HostileZipTest, OtherArchivesAreNamed) {
  EXPECT_EQ(outcome(build_zip({{.name = "word/document.xml", .data = "x"}})),
            "f: is a zip archive without data.pkl, expected a file of torch.save");
  EXPECT_EQ(outcome(build_zip({{.name = "x/data.pkl", .data = kGoodPickle}, {.name = "x/constants.pkl", .data = "x"}})),
            "f: is a TorchScript program, expected a tensor");
  EXPECT_EQ(outcome(with(1, [](ZipEntry& e) { e.data = "big"; })),
            "f: has the byte order \"big\", expected \"little\"; dump on a little-endian machine, or save the tensor "
            "again there");
  EXPECT_EQ(outcome("\x89PNG\r\n\x1a\n"), "f: is no file of torch.save: it begins with \"\\x89PNG\\r...\"");
  EXPECT_EQ(outcome("PK\x03\x04"), "f: its end is missing: the file was cut off, or is no torch.save file" + kRemedy);
}

// ---- before torch 1.6
// ------------------------------------------------------------------------------------------------

/// The parts of a file before torch 1.6.
struct Legacy {
  std::string version = whole("M\xe9\x03");
  std::string system = whole("}" + text("little_endian") + "\x88s");
  std::string object = whole(
      call(global("torch._utils", "_rebuild_tensor_v2"),
           {tuple({text("storage"), global("torch", "FloatStorage"), text("7"), text("cpu"), integer(2), "N"}) + "Q",
            integer(0), integers({2}), integers({1}), "\x89", hooks()}));
  std::string keys = whole("](" + text("7") + "e");
  std::string storages = little(2, 8) + std::string(8, '\0');
  std::string bytes() const {
    return "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19." + version + system + object + keys + storages;
  }
};

TEST(LegacyPtTest, GoodOneIsRead) {
  EXPECT_EQ(outcome(Legacy().bytes()), "no error");
}

TEST(LegacyPtTest, ContradictionsAreRefused) {
  const auto changed = [](std::string Legacy::*part, const std::string& value) {
    Legacy file;
    file.*part = value;
    return outcome(file.bytes());
  };
  EXPECT_EQ(changed(&Legacy::version, whole("K\x01")), "f: has an unknown version of the format before torch 1.6");
  EXPECT_EQ(changed(&Legacy::system, whole("}" + text("little_endian") + "\x89s")),
            "f: is big-endian, expected little-endian");
  EXPECT_EQ(changed(&Legacy::system, whole("N")), "f: does not say on which system it was written");
  EXPECT_EQ(changed(&Legacy::object, whole(call(global("posix", "system"), {text("x")}))),
            "f: its pickle asks for posix.system, which is not needed to rebuild a tensor; nothing was executed");
  EXPECT_EQ(changed(&Legacy::keys, whole("]")), "f: lacks the storage \"7\"");
  EXPECT_EQ(changed(&Legacy::keys, whole("N")), "f: has no list of storages");
  EXPECT_EQ(changed(&Legacy::keys, whole("](Ne")), "f: has a storage whose key is no text");
  EXPECT_EQ(changed(&Legacy::keys, whole("](" + text("8") + "e")), "f: has a storage that no tensor uses, \"8\"");
  EXPECT_EQ(changed(&Legacy::storages, little(3, 8) + std::string(12, '\0')),
            "f: counts 3 elements in storage \"7\", its pickle says 2");
  EXPECT_EQ(changed(&Legacy::storages, little(~uint64_t{0}, 8)),
            "f: counts -1 elements in storage \"7\", its pickle says 2");
  EXPECT_EQ(changed(&Legacy::storages, little(2, 8) + "1234567"), "f: is cut off in storage \"7\"");
  EXPECT_EQ(changed(&Legacy::storages, "1234"), "f: is cut off in front of storage \"7\"");
}

}  // namespace
}  // namespace msprobe::dump
