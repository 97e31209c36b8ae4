// Libraries that were built for another interface or another LibTorch: STALE_ABI, STALE_TORCH.
#define MSPROBE_PLUGIN_HOST
#include <msprobe/plugin.h>

extern "C" __attribute__((visibility("default"))) const msprobe::plugin::Library* msprobe_plugin() {
#ifdef STALE_ABI
  static const msprobe::plugin::Library library{77, _GLIBCXX_USE_CXX11_ABI, TORCH_VERSION, nullptr, 1};
#else
  static const msprobe::plugin::Library library{msprobe::plugin::kAbiVersion, _GLIBCXX_USE_CXX11_ABI, "1.2.3", nullptr,
                                                1};
#endif
  return &library;
}
