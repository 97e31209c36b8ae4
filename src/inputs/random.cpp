#include "inputs/random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "inputs/value.h"
#include "util/error.h"
#include "util/out_of_memory.h"

namespace msprobe::inputs {
namespace {

using dump::Dtype;

__extension__ typedef unsigned __int128 Uint128;

constexpr int64_t kGrain = 16384;  // words a task takes at least
constexpr int64_t kBlock = 512;    // words made in one go; they stay in the first-level cache

// The hot loops exist once for each generation of x86 vector units; the loader picks. Results are the same (random.h).
// Sanitizers cannot run in the loader's choice.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define MSPROBE_VECTOR_CLONES __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define MSPROBE_VECTOR_CLONES
#endif

MSPROBE_VECTOR_CLONES void make_words(uint64_t key, uint64_t first, uint64_t* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = mix64(key + (first + static_cast<uint64_t>(i) + 1) * kGoldenGamma);
}

/// Calls f(first word, words, count) block by block, in parallel.
template <class F>
void for_each_block(int64_t words, const Words& source, const F& f) {
  at::parallel_for(0, words, kGrain, [&](int64_t begin, int64_t end) {
    std::array<uint64_t, kBlock> block;
    for (int64_t at = begin; at < end; at += kBlock) {
      const int64_t count = std::min(kBlock, end - at);
      make_words(source.key(), static_cast<uint64_t>(at), block.data(), count);
      f(at, block.data(), count);
    }
  });
}

/// Rounds a positive normal number (or 0) up to `bits` significant bits.
double round_up(double value, int bits) {
  const uint64_t rest = (uint64_t{1} << (53 - bits)) - 1;
  return std::bit_cast<double>((std::bit_cast<uint64_t>(value) + rest) & ~rest);
}

/// Draws of [low, high] from one word, 53 bits each. Scaled so that neither the span overflows nor a product
/// underflows.
struct WideDraw {
  double low, high, unscale, upper_step, lower_step;

  WideDraw(double from, double to) {
    const double magnitude = std::max(std::abs(from), std::abs(to));
    const double scale = magnitude > 0x1p1000 ? 0.25 : magnitude < 0x1p-400 ? 0x1p600 : 1;
    unscale = 1 / scale;
    low = from * scale;
    high = to * scale;
    const double span = round_up(high - low, 26);
    upper_step = span * 0x1p-26;
    lower_step = span * 0x1p-53;
  }
  double operator()(uint64_t word) const {
    const auto upper = static_cast<double>(static_cast<int64_t>(word >> 38));
    const auto lower = static_cast<double>(static_cast<int64_t>(word >> 11 & 0x7FFFFFF));
    const double value = low + upper * upper_step + lower * lower_step;
    return std::min(value, high) * unscale;
  }
};

MSPROBE_VECTOR_CLONES void scale_wide(const uint64_t* words, int64_t n, const WideDraw& draw, double* out) {
  const WideDraw value = draw;
  for (int64_t i = 0; i < n; ++i) out[i] = value(words[i]);
}

void draw_elements(double* out, int64_t n, const FloatRange& range, const Words& words) {
  const WideDraw draw(range.low, range.high);
  for_each_block(n, words,
                 [&](int64_t at, const uint64_t* block, int64_t count) { scale_wide(block, count, draw, out + at); });
}

/// Two float32 draws a word.
MSPROBE_VECTOR_CLONES void scale_narrow(const uint64_t* words, int64_t n, double low, double step, double high,
                                        float* out) {
  std::array<int32_t, 2 * kBlock> draws;
  for (int64_t i = 0; i < n; ++i) {
    draws[2 * i] = static_cast<int32_t>(static_cast<uint32_t>(words[i]) >> 8);
    draws[2 * i + 1] = static_cast<int32_t>(words[i] >> 40);
  }
  for (int64_t i = 0; i < 2 * n; ++i) out[i] = static_cast<float>(std::min(low + draws[i] * step, high));
}

/// Finite float32 within float16's range to float16, to nearest, ties to even, without a branch.
uint16_t half_bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value), sign = bits & 0x80000000, magnitude = bits ^ sign;
  // Above 2^-14: the exponent moves down by 112, 13 bits are rounded away (a carry reaches the exponent rightly).
  const uint32_t normal = (magnitude + 0xFFF + (magnitude >> 13 & 1) - (uint32_t{112} << 23)) >> 13;
  // Below: 0.5f's last place is 2^-24, float16's smallest number, so the sum rounds as float16 does.
  const uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000;
  return static_cast<uint16_t>((magnitude < 0x38800000 ? subnormal : normal) | sign >> 16);
}

MSPROBE_VECTOR_CLONES void round_narrow(const float* in, int64_t n, c10::Half* out) {
  auto* const bits = reinterpret_cast<uint16_t*>(out);  // all that a Half is
  for (int64_t i = 0; i < n; ++i) bits[i] = half_bits(in[i]);
}

MSPROBE_VECTOR_CLONES void round_narrow(const float* in, int64_t n, c10::BFloat16* out) {
  auto* const bits = reinterpret_cast<uint16_t*>(out);
  for (int64_t i = 0; i < n; ++i) {
    const auto word = std::bit_cast<uint32_t>(in[i]);
    bits[i] = static_cast<uint16_t>((word + 0x7FFF + (word >> 16 & 1)) >> 16);
  }
}

template <class T>
void draw_elements(T* out, int64_t n, const FloatRange& range, const Words& words) {
  const double low = range.low, high = range.high;
  const double step = round_up(high - low, 29) * 0x1p-24;
  for_each_block((n + 1) / 2, words, [&](int64_t at, const uint64_t* block, int64_t count) {
    const int64_t wanted = std::min(2 * count, n - 2 * at);
    if constexpr (std::is_same_v<T, float>) {
      if (wanted == 2 * count) return scale_narrow(block, count, low, step, high, out + 2 * at);
    }
    std::array<float, 2 * kBlock> drawn;
    scale_narrow(block, count, low, step, high, drawn.data());
    if constexpr (std::is_same_v<T, float>)
      std::copy_n(drawn.data(), wanted, out + 2 * at);
    else
      round_narrow(drawn.data(), wanted, out + 2 * at);
  });
}

/// A point on the unit circle: uniform in direction, by rejection, with integer sums of squares and one IEEE root.
template <class T>
void turn(double modulus, uint64_t word, c10::complex<T>& out) {
  constexpr uint64_t kOuter = uint64_t{1} << 62, kInner = uint64_t{1} << 40;
  for (;; word = mix64(word + kGoldenGamma)) {
    const int64_t x = static_cast<int32_t>(static_cast<uint32_t>(word));
    const int64_t y = static_cast<int32_t>(static_cast<uint32_t>(word >> 32));
    const uint64_t square = static_cast<uint64_t>(x * x) + static_cast<uint64_t>(y * y);
    if (square > kOuter || square < kInner) continue;
    const double length = std::sqrt(static_cast<double>(square));
    out = {static_cast<T>(modulus * (static_cast<double>(x) / length)),
           static_cast<T>(modulus * (static_cast<double>(y) / length))};
    return;
  }
}

template <class T>
void draw_elements(c10::complex<T>* out, int64_t n, const FloatRange& range, const Words& words) {
  const WideDraw modulus(range.low, range.high);
  at::parallel_for(0, n, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      turn(modulus(words(2 * static_cast<uint64_t>(i))), words(2 * static_cast<uint64_t>(i) + 1), out[i]);
  });
}

/// Draws and plants; T takes a double.
template <class T>
void fill_elements(at::Tensor& tensor, const FloatRange& range, const Words& words) {
  const int64_t n = tensor.numel();
  auto* const out = static_cast<T*>(tensor.data_ptr());
  const auto as_element = [](double value) {
    if constexpr (std::is_same_v<T, double> || c10::is_complex<T>::value)
      return T(value);
    else
      return static_cast<T>(static_cast<float>(value));
  };
  if (n == 1) {
    out[0] = as_element(range.single);
  } else if (range.all) {
    std::fill(out, out + n, as_element(*range.all));
    if (range.last_row) std::fill(out + (n - n / tensor.size(0)), out + n, as_element(*range.last_row));
  } else {
    draw_elements(out, n, range, words);
    out[0] = as_element(range.first);
    out[n - 1] = as_element(range.last);
    if (range.nan_in_middle) out[n / 2] = as_element(std::numeric_limits<double>::quiet_NaN());
  }
}

template <class T>
void fill_integer_elements(at::Tensor& tensor, const IntegerRange& range, const Words& words) {
  const int64_t n = tensor.numel();
  auto* const out = static_cast<T*>(tensor.data_ptr());
  const auto low = static_cast<uint64_t>(range.low);
  const auto values = static_cast<Uint128>(range.high - range.low) + 1;  // up to 2^64
  const auto last = static_cast<uint64_t>(values - 1);
  for_each_block(n, words, [&](int64_t at, const uint64_t* block, int64_t count) {
    // word * values / 2^64 with values = last + 1, in 128 bits without overflow
    for (int64_t i = 0; i < count; ++i) {
      const Uint128 product = static_cast<Uint128>(block[i]) * last + block[i];
      out[at + i] = static_cast<T>(low + static_cast<uint64_t>(product >> 64));
    }
  });
  if (n > 1) out[0] = static_cast<T>(low);
  out[n - 1] = static_cast<T>(static_cast<uint64_t>(range.high));
}

}  // namespace

at::Tensor empty_tensor(const std::vector<int64_t>& sizes, Dtype dtype, const std::string& label) {
  const auto type = parse_scalar_type(dump::dtype_name(dtype));
  if (!type) throw Error(label, "this LibTorch has no " + std::string(dump::dtype_name(dtype)), "use a newer LibTorch");
  const bool no_elements = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  Int128 bytes = no_elements ? 0 : dump::dtype_size(dtype);
  for (const int64_t size : sizes) {
    if (size < 0) throw Error(label, "recorded shape holds " + std::to_string(size) + ", expected sizes of 0 or more");
    bytes *= size;
    if (bytes > std::numeric_limits<int64_t>::max())
      throw OutOfMemoryError(label, "the recorded shape has more elements than memory can address");
  }
  try {
    return at::empty(sizes, at::TensorOptions().dtype(*type));
  } catch (const std::exception&) {
    if (no_elements)
      throw Error(label, "the sizes of the recorded shape overflow, although one is 0", "record the dump again");
    throw OutOfMemoryError(label, "the recorded shape takes " + std::to_string(static_cast<int64_t>(bytes)) + " bytes",
                           "run on a host with more memory");
  }
}

void fill_integers(at::Tensor& tensor, Dtype dtype, const IntegerRange& range, const Words& words) {
  if (tensor.numel() == 0) return;
  switch (dump::dtype_size(dtype)) {
    case 1:
      return fill_integer_elements<uint8_t>(tensor, range, words);
    case 2:
      return fill_integer_elements<uint16_t>(tensor, range, words);
    case 4:
      return fill_integer_elements<uint32_t>(tensor, range, words);
    default:
      return fill_integer_elements<uint64_t>(tensor, range, words);
  }
}

void fill_floating(at::Tensor& tensor, Dtype dtype, const FloatRange& range, const Words& words) {
  if (tensor.numel() == 0) return;
  switch (dtype) {
    case Dtype::kFloat64:
      return fill_elements<double>(tensor, range, words);
    case Dtype::kFloat32:
      return fill_elements<float>(tensor, range, words);
    case Dtype::kFloat16:
      return fill_elements<c10::Half>(tensor, range, words);
    case Dtype::kBfloat16:
      return fill_elements<c10::BFloat16>(tensor, range, words);
    default: {  // float8
      at::Tensor wide = at::empty(tensor.sizes(), at::TensorOptions().dtype(at::kFloat));
      fill_elements<float>(wide, range, words);
      tensor.copy_(wide);
    }
  }
}

void fill_complex(at::Tensor& tensor, Dtype dtype, const FloatRange& range, const Words& words) {
  if (tensor.numel() == 0) return;
  if (dtype == Dtype::kComplex128) return fill_elements<c10::complex<double>>(tensor, range, words);
  if (dtype == Dtype::kComplex64) return fill_elements<c10::complex<float>>(tensor, range, words);
  at::Tensor wide = at::empty(tensor.sizes(), at::TensorOptions().dtype(at::kComplexFloat));
  fill_elements<c10::complex<float>>(wide, range, words);
  tensor.copy_(wide);
}

at::Tensor draw(const dump::TensorMeta& meta, Dtype dtype, const Words& words, const RangeContext& context) {
  at::Tensor tensor = empty_tensor(meta.shape, dtype, context.label);
  if (tensor.numel() == 0) return tensor;
  if (is_integer(dtype))
    fill_integers(tensor, dtype, integer_range(meta, dtype, context), words);
  else if (is_complex(dtype))
    fill_complex(tensor, dtype, float_range(meta, dtype, context), words);
  else
    fill_floating(tensor, dtype, float_range(meta, dtype, context), words);
  return tensor;
}

}  // namespace msprobe::inputs
