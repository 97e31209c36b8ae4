// Eight doubles at a time, for the kernels only. The number of lanes is eight on every CPU, whatever its registers
// hold, so a sum has the same bits everywhere. Included after `#pragma GCC target`, once a translation unit:
// METRICS_LEVEL (512, 256, 128) says which instructions that pragma allows. Nothing here may come from the standard
// library: its inline functions would be compiled with these instructions and could be the copies that the rest of the
// program links.
#pragma once
#include <cstdint>
#include <cstring>
#if METRICS_LEVEL > 128
#include <immintrin.h>
#endif

namespace {

constexpr int kLanes = 8;

#if METRICS_LEVEL == 512

using Vec = __m512d;
using Mask = __mmask8;
using Count = __m512i;

inline Vec splat(double x) {
  return _mm512_set1_pd(x);
}
inline Vec load(const double* p) {
  return _mm512_loadu_pd(p);
}
inline Vec load(const float* p) {
  return _mm512_cvtps_pd(_mm256_loadu_ps(p));
}
inline void store(double* p, Vec a) {
  _mm512_storeu_pd(p, a);
}
inline Vec add(Vec a, Vec b) {
  return _mm512_add_pd(a, b);
}
inline Vec sub(Vec a, Vec b) {
  return _mm512_sub_pd(a, b);
}
inline Vec mul(Vec a, Vec b) {
  return _mm512_mul_pd(a, b);
}
inline Vec div(Vec a, Vec b) {
  return _mm512_div_pd(a, b);
}
inline Vec larger(Vec a, Vec b) {
  return _mm512_max_pd(a, b);
}
inline Vec smaller(Vec a, Vec b) {
  return _mm512_min_pd(a, b);
}
inline Vec magnitude(Vec a) {
  return _mm512_abs_pd(a);
}
/// The power of two at or below |a|, 0 for subnormal numbers and zero, infinity for what is not finite.
inline Vec power_of_two(Vec a) {
  return _mm512_castsi512_pd(_mm512_and_si512(_mm512_castpd_si512(a), _mm512_set1_epi64(0x7FF0000000000000)));
}
/// `bits` as a double, less the bits of a: for powers of two this is an exact division.
inline Vec bits_minus(int64_t bits, Vec a) {
  return _mm512_castsi512_pd(_mm512_sub_epi64(_mm512_set1_epi64(bits), _mm512_castpd_si512(a)));
}
inline Vec with_sign(Vec size, Vec sign) {
  const __m512i top = _mm512_set1_epi64(INT64_MIN);
  return _mm512_castsi512_pd(_mm512_or_si512(_mm512_andnot_si512(top, _mm512_castpd_si512(size)),
                                             _mm512_and_si512(top, _mm512_castpd_si512(sign))));
}
inline Mask less(Vec a, Vec b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
inline Mask less_equal(Vec a, Vec b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}
inline Mask greater(Vec a, Vec b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}
inline Mask equal(Vec a, Vec b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
inline Mask differ(Vec a, Vec b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ);
}
inline Mask both(Mask a, Mask b) {
  return a & b;
}
inline Mask either(Mask a, Mask b) {
  return a | b;
}
inline Mask without(Mask a, Mask b) {
  return a & static_cast<Mask>(~b);
}
inline Mask negate(Mask a) {
  return static_cast<Mask>(~a);
}
inline Vec choose(Mask m, Vec yes, Vec no) {
  return _mm512_mask_blend_pd(m, no, yes);
}
inline Vec keep(Mask m, Vec a) {
  return _mm512_maskz_mov_pd(m, a);
}
inline Count no_count() {
  return _mm512_setzero_si512();
}
inline Count count(Count c, Mask m) {
  return _mm512_mask_sub_epi64(c, m, c, _mm512_set1_epi64(-1));
}
inline void store(int64_t* p, Count c) {
  _mm512_storeu_si512(p, c);
}

#else

#if METRICS_LEVEL == 256
constexpr int kParts = 2;
using Part = __m256d;
using PartBits = __m256i;
inline Part part_splat(double x) {
  return _mm256_set1_pd(x);
}
inline Part part_load(const double* p) {
  return _mm256_loadu_pd(p);
}
inline Part part_load(const float* p) {
  return _mm256_cvtps_pd(_mm_loadu_ps(p));
}
inline void part_store(double* p, Part a) {
  _mm256_storeu_pd(p, a);
}
inline Part part_larger(Part a, Part b) {
  return _mm256_max_pd(a, b);
}
inline Part part_smaller(Part a, Part b) {
  return _mm256_min_pd(a, b);
}
inline PartBits bits(Part a) {
  return _mm256_castpd_si256(a);
}
inline Part number(PartBits a) {
  return _mm256_castsi256_pd(a);
}
inline PartBits splat_bits(int64_t x) {
  return _mm256_set1_epi64x(x);
}
inline PartBits bits_less(Part a, Part b) {
  return bits(_mm256_cmp_pd(a, b, _CMP_LT_OQ));
}
inline PartBits bits_less_equal(Part a, Part b) {
  return bits(_mm256_cmp_pd(a, b, _CMP_LE_OQ));
}
inline PartBits bits_equal(Part a, Part b) {
  return bits(_mm256_cmp_pd(a, b, _CMP_EQ_OQ));
}
inline PartBits bits_differ(Part a, Part b) {
  return bits(_mm256_cmp_pd(a, b, _CMP_NEQ_UQ));
}
inline PartBits bits_sub(PartBits a, PartBits b) {
  return _mm256_sub_epi64(a, b);
}
#else
constexpr int kParts = 4;
typedef double Part __attribute__((vector_size(16)));
typedef int64_t PartBits __attribute__((vector_size(16)));
inline Part part_splat(double x) {
  return Part{x, x};
}
inline Part part_load(const double* p) {
  Part a;
  memcpy(&a, p, sizeof a);
  return a;
}
inline Part part_load(const float* p) {
  return Part{p[0], p[1]};
}
inline void part_store(double* p, Part a) {
  memcpy(p, &a, sizeof a);
}
inline PartBits bits(Part a) {
  return (PartBits)a;
}
inline Part number(PartBits a) {
  return (Part)a;
}
inline PartBits splat_bits(int64_t x) {
  return PartBits{x, x};
}
inline PartBits bits_less(Part a, Part b) {
  return a < b;
}
inline PartBits bits_less_equal(Part a, Part b) {
  return a <= b;
}
inline PartBits bits_equal(Part a, Part b) {
  return a == b;
}
inline PartBits bits_differ(Part a, Part b) {
  return a != b;
}
inline PartBits bits_sub(PartBits a, PartBits b) {
  typedef uint64_t Unsigned __attribute__((vector_size(16)));  // wraps, as the instructions do
  return (PartBits)((Unsigned)a - (Unsigned)b);
}
// As the instruction of x86: the second where either is nan.
inline Part part_larger(Part a, Part b) {
  const PartBits m = a > b;
  return number((bits(a) & m) | (bits(b) & ~m));
}
inline Part part_smaller(Part a, Part b) {
  const PartBits m = a < b;
  return number((bits(a) & m) | (bits(b) & ~m));
}
#endif

struct Vec {
  Part part[kParts];
};
struct Mask {
  PartBits part[kParts];
};
using Count = Mask;
constexpr int kWidth = kLanes / kParts;

/// The same for each part of the result: EACH(Vec, a.part[i] + b.part[i]).
#define EACH(Type, expression)       \
  Type result;                       \
  for (int i = 0; i < kParts; ++i) { \
    result.part[i] = expression;     \
  }                                  \
  return result

inline Vec splat(double x) {
  EACH(Vec, part_splat(x));
}
inline Vec load(const double* p) {
  EACH(Vec, part_load(p + i * kWidth));
}
inline Vec load(const float* p) {
  EACH(Vec, part_load(p + i * kWidth));
}
inline void store(double* p, Vec a) {
  for (int i = 0; i < kParts; ++i) part_store(p + i * kWidth, a.part[i]);
}
inline Vec add(Vec a, Vec b) {
  EACH(Vec, a.part[i] + b.part[i]);
}
inline Vec sub(Vec a, Vec b) {
  EACH(Vec, a.part[i] - b.part[i]);
}
inline Vec mul(Vec a, Vec b) {
  EACH(Vec, a.part[i] * b.part[i]);
}
inline Vec div(Vec a, Vec b) {
  EACH(Vec, a.part[i] / b.part[i]);
}
inline Vec larger(Vec a, Vec b) {
  EACH(Vec, part_larger(a.part[i], b.part[i]));
}
inline Vec smaller(Vec a, Vec b) {
  EACH(Vec, part_smaller(a.part[i], b.part[i]));
}
inline Vec magnitude(Vec a) {
  EACH(Vec, number(bits(a.part[i]) & splat_bits(INT64_MAX)));
}
inline Vec power_of_two(Vec a) {
  EACH(Vec, number(bits(a.part[i]) & splat_bits(0x7FF0000000000000)));
}
inline Vec bits_minus(int64_t b, Vec a) {
  EACH(Vec, number(bits_sub(splat_bits(b), bits(a.part[i]))));
}
inline Vec with_sign(Vec size, Vec sign) {
  EACH(Vec, number((bits(size.part[i]) & splat_bits(INT64_MAX)) | (bits(sign.part[i]) & splat_bits(INT64_MIN))));
}
inline Mask less(Vec a, Vec b) {
  EACH(Mask, bits_less(a.part[i], b.part[i]));
}
inline Mask less_equal(Vec a, Vec b) {
  EACH(Mask, bits_less_equal(a.part[i], b.part[i]));
}
inline Mask greater(Vec a, Vec b) {
  return less(b, a);
}
inline Mask equal(Vec a, Vec b) {
  EACH(Mask, bits_equal(a.part[i], b.part[i]));
}
inline Mask differ(Vec a, Vec b) {
  EACH(Mask, bits_differ(a.part[i], b.part[i]));
}
inline Mask both(Mask a, Mask b) {
  EACH(Mask, a.part[i] & b.part[i]);
}
inline Mask either(Mask a, Mask b) {
  EACH(Mask, a.part[i] | b.part[i]);
}
inline Mask without(Mask a, Mask b) {
  EACH(Mask, a.part[i] & ~b.part[i]);
}
inline Mask negate(Mask a) {
  EACH(Mask, ~a.part[i]);
}
inline Vec choose(Mask m, Vec yes, Vec no) {
  EACH(Vec, number((bits(yes.part[i]) & m.part[i]) | (bits(no.part[i]) & ~m.part[i])));
}
inline Vec keep(Mask m, Vec a) {
  EACH(Vec, number(bits(a.part[i]) & m.part[i]));
}
inline Count no_count() {
  EACH(Count, splat_bits(0));
}
inline Count count(Count c, Mask m) {
  EACH(Count, bits_sub(c.part[i], m.part[i]));
}
inline void store(int64_t* p, Count c) {
  memcpy(p, &c, sizeof c);
}
#undef EACH

#endif

}  // namespace
