// What api_precision_compare works on.
#pragma once
#include <string>

#include "config/settings.h"
#include "config/standards.h"

namespace msprobe::compare {

struct Options {
  std::string npu_csv;          ///< -npu: accuracy_checking_details_{timestamp}.csv of the NPU
  std::string gpu_csv;          ///< -gpu: the GPU's
  std::string out_path = "./";  ///< -o: folder of the two result files; made when absent
  int precision = 14;           ///< digits after the point, 0..20
  config::Profile profile = config::Profile::kDocumented;
  int threads = 0;  ///< CPU threads, 0 = all cores
  config::Standards standards = {};
};

}  // namespace msprobe::compare
