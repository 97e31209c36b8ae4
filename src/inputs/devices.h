// Device names as dumps record them.
#pragma once
#include <c10/core/Device.h>

#include <optional>
#include <string_view>

namespace msprobe::inputs {

/// "npu:0", "cuda", "cpu:None", "cpu". npu is PrivateUse1, whether or not that backend is loaded and renamed yet.
/// nullopt: no device name.
std::optional<at::Device> parse_device(std::string_view name);

}  // namespace msprobe::inputs
