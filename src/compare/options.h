// What api_precision_compare is told by its command line.
#pragma once
#include <string>

#include "config/settings.h"

namespace msprobe::compare {

struct CompareOptions {
  std::string npu_csv;          ///< -npu: accuracy_checking_details_{timestamp}.csv of the NPU
  std::string gpu_csv;          ///< -gpu: the GPU's
  std::string out_path = "./";  ///< -o: folder of the two result files; made when absent
  config::Settings settings;  ///< of -config or config.yaml: precision, profile, precision_standard; verbosity, fail_on
};

}  // namespace msprobe::compare
