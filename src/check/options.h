// What of a run's settings decides how its APIs are checked.
#pragma once
#include <string>

#include "config/api_list.h"
#include "config/settings.h"
#include "inputs/build.h"

namespace msprobe::check {

struct Options {
  inputs::Options inputs;                  ///< profile and seed hold for the whole check
  config::ApiList white_list, black_list;  ///< of APIs to check; an empty white one: all
  config::ApiList quantization_apis;       ///< in effect: the user's or the standards'
  bool assess = true;                      ///< outputs get an assessment beside Status
  config::SaveData save_data = config::SaveData::kNone;
  std::string error_data_dir;  ///< ut_error_data{timestamp}; made when first needed

  config::Profile profile() const { return inputs.profile; }
};

}  // namespace msprobe::check
