#include "run/room_options.h"

namespace msprobe::run {

report::Options report_options(const config::Settings& settings) {
  return {settings.verbosity < 0, settings.save_data != config::SaveData::kNone, settings.error_data_path};
}

}  // namespace msprobe::run
