#include "util/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace msprobe::util {
namespace {

// The check value of CRC-32 (ISO-HDLC) in the catalogue of parametrised CRC algorithms.
TEST(ChecksumTest, IsTheCrcOfZip) {
  EXPECT_EQ(crc32_of(""), 0u);
  EXPECT_EQ(crc32_of("123456789"), 0xCBF43926u);
}

TEST(ChecksumTest, GoesOnWhereAnotherEnded) {
  EXPECT_EQ(crc32_of("56789", crc32_of("1234")), 0xCBF43926u);
  EXPECT_EQ(crc32_of("", crc32_of("123456789")), 0xCBF43926u);
}

}  // namespace
}  // namespace msprobe::util
