#include "run/room_options.h"

#include <utility>

#include "config/chosen.h"

namespace msprobe::run {

device::Options device_options(const config::Settings& settings) {
  return {settings.device_type, settings.devices, settings.torch_npu, settings.jit_compile};
}

report::Options report_options(const config::Settings& settings) {
  return {settings.verbosity < 0, settings.save_data != config::SaveData::kNone, settings.error_data_path};
}

check::Options check_options(const config::Settings& s, const config::Standards& standards,
                             std::string error_data_dir) {
  return {.inputs = {s.profile, s.seed, s.default_range, s.hf32_inputs},
          .white_list = s.white_list,
          .black_list = s.black_list,
          .quantization_apis = config::quantization_apis(s, standards),
          .assess = s.assesses(),
          .save_data = s.save_data,
          .error_data_dir = std::move(error_data_dir)};
}

plan::SelectOptions select_options(const config::Settings& settings) {
  return {.only = settings.only,
          .except = settings.except,
          .rerun_failed = settings.rerun_failed,
          .filter_api = settings.filter_api,
          .shard = settings.shard,
          .shards = settings.shards};
}

}  // namespace msprobe::run
