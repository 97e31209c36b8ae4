// The dumps of a training run: dump_path/step*/rank*/dump.json.
#pragma once
#include <string>
#include <vector>

namespace msprobe::run {

/// The step*/rank*/dump.json below `folder`, which may itself be a step's or a rank's folder; step2 before step10.
/// Those of folders that cannot be read are left out.
std::vector<std::string> dumps_below(const std::string& folder);

}  // namespace msprobe::run
