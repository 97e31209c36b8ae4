#include "inputs/devices.h"

#include <charconv>
#include <limits>
#include <string>

namespace msprobe::inputs {
namespace {

std::optional<at::DeviceType> parse_type(std::string_view name) {
  struct Known {
    std::string_view name;
    at::DeviceType type;
  };
  constexpr Known kKnown[] = {{"cpu", at::DeviceType::CPU},         {"cuda", at::DeviceType::CUDA},
                              {"npu", at::DeviceType::PrivateUse1}, {"privateuseone", at::DeviceType::PrivateUse1},
                              {"xpu", at::DeviceType::XPU},         {"mps", at::DeviceType::MPS},
                              {"meta", at::DeviceType::Meta},       {"hpu", at::DeviceType::HPU}};
  for (const Known& known : kKnown)
    if (known.name == name) return known.type;
  return std::nullopt;
}

}  // namespace

std::optional<at::Device> parse_device(std::string_view name) {
  const size_t colon = name.find(':');
  const auto type = parse_type(name.substr(0, colon));
  if (!type) return std::nullopt;
  if (colon == std::string_view::npos || name.substr(colon + 1) == "None") return at::Device(*type);
  const std::string_view digits = name.substr(colon + 1);
  int index = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || index < 0 || index > std::numeric_limits<c10::DeviceIndex>::max()) return std::nullopt;
  // LibTorch accepts no other CPU than cpu and cpu:0.
  if (*type == at::DeviceType::CPU) index = index == 0 ? 0 : -1;
  return at::Device(*type, static_cast<c10::DeviceIndex>(index));
}

}  // namespace msprobe::inputs
