#include "ops/functional_inplace.h"

namespace msprobe::ops {
namespace {

struct InplaceParameter {
  std::string_view function;
  size_t position;
};

// torch.nn.functional's functions with an `inplace` parameter, and where it stands.
constexpr InplaceParameter kInplaceParameters[] = {
    {"alpha_dropout", 3},
    {"celu", 2},
    {"dropout", 3},
    {"dropout1d", 3},
    {"dropout2d", 3},
    {"dropout3d", 3},
    {"elu", 2},
    {"hardsigmoid", 1},
    {"hardswish", 1},
    {"hardtanh", 3},
    {"leaky_relu", 2},
    {"mish", 1},
    {"relu", 1},
    {"relu6", 1},
    {"rrelu", 4},
    {"selu", 1},
    {"silu", 1},
    {"threshold", 3},
    {"feature_alpha_dropout", 3},
};

}  // namespace

std::optional<bool> functional_inplace(std::string_view name, const inputs::Arguments& arguments,
                                       std::optional<size_t>* position) {
  if (const auto* value = arguments.kwarg("inplace")) {
    return value->is<bool>() ? std::optional<bool>(value->get<bool>()) : std::nullopt;
  }
  for (const auto& known : kInplaceParameters) {
    if (known.function != name || arguments.args.size() != known.position + 1) continue;
    const auto& last = arguments.args.back();
    if (!last.is<bool>()) return std::nullopt;
    if (position) *position = known.position;
    return last.get<bool>();
  }
  return std::nullopt;
}

}  // namespace msprobe::ops
