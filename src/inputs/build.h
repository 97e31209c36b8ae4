// Rebuilds the arguments of a recorded call on the CPU, in the recorded dtypes (docs/inputs.md).
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/api_facts.h"
#include "config/settings.h"
#include "dump/record.h"
#include "inputs/value.h"

namespace msprobe::inputs {

/// How values are drawn; config.yaml's keys of these names.
struct Options {
  config::Profile profile = config::Profile::kDocumented;
  uint64_t seed = 1234;
  std::array<double, 2> default_range{-1, 1};
  config::Hf32 hf32_inputs = config::Hf32::kAuto;
};

/// What building needs to know of the run.
struct BuildContext {
  Options options;
  std::string tensor_dir;      ///< dump_tensor_data/ beside dump.json
  bool real_data = false;      ///< the dump holds real tensors
  bool device_is_npu = false;  ///< hf32_inputs: auto
  const config::FactTable& known = config::installed_api_facts();
};

struct Built {
  Arguments arguments;
  std::vector<std::string>
      notes;  ///< assumptions made, for Message ("input 0: no Max/Min recorded, drawn from [-1, 1]")
};

/// Throws Error when the API cannot be rebuilt (unknown form quoted, unreadable file, statistic that is no number,
/// unsupported dtype): the API is then SKIP with what().
/// Tensors require grad where the record says so (floating and complex only).
Built build_inputs(const dump::Record& record, const BuildContext& context);

/// The recorded gradients of the outputs (backward.input), drawn or read like inputs; None where none arrived.
std::vector<Value> build_output_gradients(const dump::Record& record, const BuildContext& context,
                                          std::vector<std::string>& notes);

/// One value. `position` seeds it: "input.0", "input.1.2", "kwargs.weight", "backward.input.0".
Value build_value(const dump::Argument& argument, const std::string& api, const std::string& position,
                  const BuildContext& context, std::vector<std::string>& notes);

/// The dtype that a tensor at `position` is built in. Throws the Error that building it would.
at::ScalarType scalar_type_of(const dump::TensorMeta& meta, const std::string& api, const std::string& position);

}  // namespace msprobe::inputs
