#include "cli/run.h"

namespace msprobe::cli {
int run(int, char**) { return 0; }
}  // namespace msprobe::cli
