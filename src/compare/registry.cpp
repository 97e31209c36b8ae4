#include "compare/registry.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace msprobe::compare {
namespace {

using outcome::Figure;

std::vector<Standard>& registered() {
  static std::vector<Standard> all;
  return all;
}

std::vector<Figure> figures_of(std::initializer_list<Side> sides) {
  std::vector<Figure> all;
  for (const Standard& one : registered())
    for (const Need& need : one.needs)
      if (std::find(sides.begin(), sides.end(), need.side) != sides.end()) all.push_back(need.figure);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

Registration::Registration(Standard standard) {
  registered().push_back(std::move(standard));
}

const std::vector<Standard>& standards() {
  return registered();
}

const Standard& standard(config::Algorithm algorithm) {
  const std::string_view name = config::algorithm_name(algorithm);
  for (const Standard& one : registered())
    if (one.name == name) return one;
  throw std::logic_error("no algorithm is registered as " + std::string(name));
}

const std::vector<Figure>& needed_figures() {
  static const std::vector<Figure> figures = figures_of({Side::kNpu, Side::kGpu});
  return figures;
}

const std::vector<Figure>& needed_figures(Side side) {
  static const std::vector<Figure> npu = figures_of({Side::kNpu}), gpu = figures_of({Side::kGpu});
  return side == Side::kNpu ? npu : gpu;
}

}  // namespace msprobe::compare
