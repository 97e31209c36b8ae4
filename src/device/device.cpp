#include "device/device.h"

#include "device/backends.h"
#include "util/error.h"

namespace msprobe::device {

std::vector<Found> detect(const config::Settings&) {
  return {{"cpu", 1, "built in"}};
}

std::unique_ptr<Device> open(const config::Settings& settings, int index) {
  if (settings.device_type.empty() || settings.device_type == "cpu") return open_cpu();
  throw Error("--device_type " + settings.device_type, "no such device on this machine", "use --device_type cpu");
}

}  // namespace msprobe::device
