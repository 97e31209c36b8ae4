#include <cstdio>
#include <cstdlib>

#include "cli/run.h"

int main(int argc, char** argv) {
  const int code = msprobe::cli::run(argc, argv);
#ifndef MSPROBE_INSTRUMENTED  // sanitizers and coverage report on the way out
  // Taking LibTorch's registries apart costs 0.1 s, the time of hundreds of checks, and gives back nothing that the end
  // of the process does not.
  std::fflush(nullptr);
  std::_Exit(code);
#endif
  return code;
}
