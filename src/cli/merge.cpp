#include "run/merge.h"

#include <cstdio>

#include "cli/exit_code.h"
#include "cli/subcommands.h"

namespace msprobe::cli {

int merge(const std::vector<std::string>& parts, const std::string& out_path) {
  const run::Merged merged = run::merge(parts, out_path);
  std::printf("%zu APIs\n%s\n%s\n", merged.apis, merged.result_path.c_str(), merged.details_path.c_str());
  return kOk;
}

}  // namespace msprobe::cli
