// CRC-32 as zip archives have it (ISO 3309, polynomial 0xEDB88320).
#pragma once
#include <cstdint>
#include <string_view>

namespace msprobe::util {

/// Of bytes that continue others whose CRC is `before` (0: none).
uint32_t crc32_of(std::string_view bytes, uint32_t before = 0);

}  // namespace msprobe::util
