// A library that tells that it was loaded; without the entry, or (OTHER_TORCH) built for another LibTorch.
#include <cstdio>
#include <cstdlib>
#ifdef OTHER_TORCH
#include <torch/version.h>
#undef TORCH_VERSION
#define TORCH_VERSION "1.2.3"
#include <msprobe/plugin.h>

int64_t forward(int64_t n) {
  return n;
}
MSPROBE_GOLDEN("lib_old(int n) -> int", forward)
#endif

__attribute__((constructor)) static void leave_a_mark() {
  const char* file = std::getenv("MSPROBE_TEST_MARK");
  if (file == nullptr) return;
  if (std::FILE* mark = std::fopen(file, "w")) std::fclose(mark);
}
