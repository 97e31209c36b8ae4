// The largest finite numbers of the floating formats that are narrower than double: IEEE 754, OCP's 8-bit formats
// (OFP8) and microscaling (MX), and the fnuz variants as PyTorch has them.
#pragma once

namespace msprobe::util {

constexpr double kLargestFloat16 = 65504;
constexpr double kLargestBfloat16 = 0x1.FEp127;
constexpr double kLargestFloat32 = 0x1.FFFFFEp127;
constexpr double kLargestFloat8E4m3fn = 448;
constexpr double kLargestFloat8E4m3fnuz = 240;
constexpr double kLargestFloat8E5m2 = 57344;  ///< of float8_e5m2fnuz too
constexpr double kLargestFloat8E8m0fnu = 0x1p127;
constexpr double kSmallestFloat8E8m0fnu = 0x1p-127;  ///< it has neither sign nor zero: a scale, a power of two

}  // namespace msprobe::util
