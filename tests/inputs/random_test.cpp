// The generator's bits against a second implementation (reference_generator.py), and their independence of threads.
#include <gtest/gtest.h>

#include <sstream>

#include "inputs/random.h"
#include "inputs/support.h"
#include "support/files.h"

namespace msprobe::inputs {
namespace {

using testing::Fixture;
using testing::same_bits;
using testing::tensor_meta;

std::string hex(uint64_t value, int digits) {
  std::ostringstream text;
  text << std::hex << value;
  return std::string(std::max<int>(0, digits - static_cast<int>(text.str().size())), '0') + text.str();
}

uint64_t load(const char* bytes, int64_t size) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, size);  // little-endian hosts only; so is the reference file
  return value;
}

/// An element as the reference file writes it.
std::string element_text(const at::Tensor& tensor, dump::Dtype dtype, int64_t index) {
  const int64_t size = dump::dtype_size(dtype);
  const char* bytes = static_cast<const char*>(tensor.data_ptr()) + index * size;
  if (is_integer(dtype)) return hex(load(bytes, size), 0);
  if (!is_complex(dtype)) return hex(load(bytes, size), 2 * static_cast<int>(size));
  const int64_t half = size / 2;
  return hex(load(bytes, half), 2 * static_cast<int>(half)) + "," +
         hex(load(bytes + half, half), 2 * static_cast<int>(half));
}

Int128 integer(const std::string& text) {
  return text[0] == '-' ? Int128{std::stoll(text)} : static_cast<Int128>(std::stoull(text));
}

at::Tensor drawn(dump::Dtype dtype, const std::string& low, const std::string& high, int64_t n, const Words& words) {
  at::Tensor tensor = empty_tensor({n}, dtype, "test");
  if (is_integer(dtype)) {
    fill_integers(tensor, dtype, {integer(low), integer(high)}, words);
  } else {
    FloatRange range;
    range.low = range.first = std::strtod(low.c_str(), nullptr);
    range.high = range.last = range.single = std::strtod(high.c_str(), nullptr);
    if (is_complex(dtype))
      fill_complex(tensor, dtype, range, words);
    else
      fill_floating(tensor, dtype, range, words);
  }
  return tensor;
}

TEST(InputBitsTest, EqualTheSecondImplementationForEveryDtype) {
  int lines = 0, compared = 0;
  for (const std::string& line : support::lines(MSPROBE_TEST_DATA "/inputs/reference_draws.txt")) {
    ++lines;
    std::istringstream cells(line);
    std::string name, api, position, low, high, cell;
    uint64_t seed = 0;
    int64_t n = 0;
    cells >> name >> seed >> api >> position >> low >> high >> n;
    const auto dtype = dump::parse_dtype(name);
    ASSERT_TRUE(dtype) << line;
    if (!parse_scalar_type(name)) continue;  // an older LibTorch
    const at::Tensor tensor = drawn(*dtype, low, high, n, Words(seed, api, position));
    while (cells >> cell) {
      const size_t colon = cell.find(':');
      const int64_t index = std::stoll(cell.substr(0, colon));
      ASSERT_EQ(element_text(tensor, *dtype, index), cell.substr(colon + 1))
          << name << " " << low << " " << high << " " << index;
      ++compared;
    }
  }
  EXPECT_EQ(lines, 40);
  EXPECT_GE(compared, 22 * 23);  // all of the types that LibTorch 2.1 has
}

TEST(InputBitsTest, KeyIsFnv1aOfSeedNameAndPosition) {
  // FNV-1a's published vectors.
  EXPECT_EQ(fnv1a64(""), 0xCBF29CE484222325u);
  EXPECT_EQ(fnv1a64("a"), 0xAF63DC4C8601EC8Cu);
  EXPECT_EQ(fnv1a64("foobar"), 0x85944171F73967E8u);
  // SplitMix64's published first outputs for seed 1234567.
  const Words words(uint64_t{1234567});
  EXPECT_EQ(words(0), 6457827717110365317u);
  EXPECT_EQ(words(1), 3203168211198807973u);
  EXPECT_EQ(words(2), 9817491932198370423u);
}

TEST(InputBitsTest, DoNotDependOnTheNumberOfThreads) {
  const int threads = at::get_num_threads();
  for (const char* dtype : {"torch.float32", "torch.float16", "torch.float64", "torch.int64", "torch.complex64"}) {
    Fixture fixture;
    const auto meta = tensor_meta(dtype, {257, 1021}, 100.0, 0.0);
    at::set_num_threads(1);
    const at::Tensor one = fixture.draw(meta);
    at::set_num_threads(7);
    const at::Tensor seven = fixture.draw(meta);
    EXPECT_TRUE(same_bits(one, seven)) << dtype;
  }
  at::set_num_threads(threads);
}

TEST(InputBitsTest, DoNotDependOnOrderOrOtherDraws) {
  Fixture fixture;
  const auto meta = tensor_meta("torch.float32", {1000}, 1.0, -1.0);
  const auto call = testing::record("Torch", "add", {testing::argument(meta), testing::argument(meta)});
  const auto first = fixture.build(call);
  at::rand({1000});  // the global generator has no part in it
  std::vector<std::string> notes;
  const Value alone = build_value(testing::argument(meta), "Torch.add.0", "input.1", fixture.context(), notes);
  EXPECT_TRUE(same_bits(first.arguments.args[1].get<at::Tensor>(), alone.get<at::Tensor>()));
}

TEST(InputBitsTest, DifferBySeedApiAndPosition) {
  Fixture fixture;
  const auto meta = tensor_meta("torch.float32", {100}, 1.0, -1.0);
  const at::Tensor base = fixture.draw(meta);
  EXPECT_TRUE(same_bits(base, fixture.draw(meta)));
  EXPECT_FALSE(same_bits(base, fixture.draw(meta, "input.1")));
  std::vector<std::string> notes;
  const Value other = build_value(testing::argument(meta), "Torch.x.1", "input.0", fixture.context(), notes);
  EXPECT_FALSE(same_bits(base, other.get<at::Tensor>()));
  fixture.settings.seed = 1235;
  EXPECT_FALSE(same_bits(base, fixture.draw(meta)));
}

// LibTorch's own conversion rounds to nearest, ties to even, also where float16 is subnormal.
TEST(InputBitsTest, HalvesAreTheFloat32DrawsRounded) {
  const std::pair<double, double> ranges[] = {{-1, 1},   {-65504, 65504}, {0, 0x1p-13}, {-0x1p-23, 0x1p-22},
                                              {1, 1.25}, {-0.5, 60000}};
  for (const auto& [low, high] : ranges)
    for (const auto dtype : {dump::Dtype::kFloat16, dump::Dtype::kBfloat16}) {
      FloatRange range;
      range.low = range.first = low;
      range.high = range.last = high;
      at::Tensor narrow = empty_tensor({200001}, dtype, "test"),
                 single = empty_tensor({200001}, dump::Dtype::kFloat32, "test");
      fill_floating(narrow, dtype, range, Words(7));
      fill_floating(single, dump::Dtype::kFloat32, range, Words(7));
      EXPECT_TRUE(same_bits(narrow, single.to(narrow.scalar_type()))) << low << " " << high;
    }
}

TEST(InputBitsTest, AStorageViewHasTheBitsOfItsShapeFlattened) {
  Fixture fixture;
  const at::Tensor flat = fixture.draw(tensor_meta("torch.float32", {60}, 1.0, -1.0));
  const at::Tensor shaped = fixture.draw(tensor_meta("torch.float32", {3, 4, 5}, 1.0, -1.0));
  EXPECT_TRUE(same_bits(flat, shaped.reshape({60})));
}

}  // namespace
}  // namespace msprobe::inputs
