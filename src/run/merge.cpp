#include "run/merge.h"

#include <cstdio>

#include "plan/merge.h"
#include "run/fail_on.h"
#include "util/count_of.h"

namespace msprobe::run {

Result merge(const std::vector<std::string>& parts, const std::string& out_path, const std::string& fail_on) {
  const plan::Merged merged = plan::merge(parts, out_path);
  std::printf("%s\n%s\n%s\n", util::count_of(merged.apis, "API").c_str(), merged.result_path.c_str(),
              merged.details_path.c_str());
  return judged(merged.result_path, fail_on);
}

}  // namespace msprobe::run
