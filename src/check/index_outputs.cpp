#include "check/index_outputs.h"

#include "config/api_facts.h"
#include "inputs/places.h"
#include "signatures/find_argument.h"

namespace msprobe::check {
namespace {

using WithoutDim = config::IndexOutput::WithoutDim;

/// The arguments of one call by their parameters.
class Call {
 public:
  Call(const dump::ApiName& api, const inputs::Arguments& arguments)
      : api_(api), arguments_(arguments), shape_(inputs::shape_of(arguments)) {}

  /// nullptr: left out, or the API has no such parameter.
  const inputs::Value* given(std::string_view parameter) const {
    const auto place = signatures::find_argument(config::installed_api_facts(), api_, shape_, parameter).place;
    return place ? &inputs::at(arguments_, *place) : nullptr;
  }

 private:
  const dump::ApiName& api_;
  const inputs::Arguments& arguments_;
  const signatures::CallShape shape_;
};

// The inverse of unique, or the counts where only those were asked for. With a dim it numbers slices, which no single
// value stands for.
std::optional<IndexOutput> inverse(const config::IndexOutput& fact, const Call& call) {
  const auto *asked = call.given(fact.inverse), *dim = call.given(fact.dim);
  if (asked == nullptr || !asked->is<bool>() || !asked->get<bool>()) return std::nullopt;
  if (dim != nullptr && !dim->is_none()) return std::nullopt;
  IndexOutput out;
  out.into_result = true;
  return out;
}

// One number for each dimension of the plane; empty: the call does not say.
std::vector<int64_t> numbers(const inputs::Value* value, size_t plane) {
  std::vector<int64_t> all;
  if (value == nullptr) return all;
  if (const auto* one = value->get_if<int64_t>()) return std::vector<int64_t>(plane, *one);
  const auto* list = value->get_if<inputs::List>();
  if (list == nullptr) return all;
  for (const inputs::Value& item : list->items)
    if (const auto* number = item.get_if<int64_t>()) all.push_back(*number);
  if (all.size() == 1) all.resize(plane, all[0]);
  return all.size() == plane ? all : std::vector<int64_t>();
}

using Range = metrics::PoolWindows::Range;

// Windows of `kernel` elements, `stride` apart, behind `padding` elements that are not there.
std::vector<std::vector<Range>> kernel_ranges(const Call& call, const std::vector<int64_t>& kernel,
                                              at::IntArrayRef output) {
  const auto or_else = [&](const char* parameter, std::vector<int64_t> otherwise) {
    auto given = numbers(call.given(parameter), kernel.size());
    return given.empty() ? otherwise : given;
  };
  const auto stride = or_else("stride", kernel), padding = or_else("padding", std::vector<int64_t>(kernel.size(), 0)),
             dilation = or_else("dilation", std::vector<int64_t>(kernel.size(), 1));
  std::vector<std::vector<Range>> ranges(kernel.size());
  for (size_t d = 0; d < kernel.size(); ++d) {
    for (int64_t i = 0; i < output[d]; ++i) {
      const int64_t start = i * stride[d] - padding[d];
      ranges[d].push_back({start, start + (kernel[d] - 1) * dilation[d] + 1, dilation[d]});
    }
  }
  return ranges;
}

// Windows that share the input out evenly, each from the floor of its begin to the ceiling of its end.
std::vector<std::vector<Range>> adaptive_ranges(at::IntArrayRef input, at::IntArrayRef output) {
  std::vector<std::vector<Range>> ranges(output.size());
  for (size_t d = 0; d < output.size(); ++d)
    for (int64_t i = 0; i < output[d]; ++i)
      ranges[d].push_back({i * input[d] / output[d], ((i + 1) * input[d] + output[d] - 1) / output[d], 1});
  return ranges;
}

std::optional<metrics::PoolWindows> windows_of(const config::IndexOutput& fact, const Call& call,
                                               at::IntArrayRef indices) {
  using Window = config::IndexOutput::Window;
  const auto plane = static_cast<size_t>(fact.plane);
  const auto* given = call.given("input");
  const auto* input = given == nullptr ? nullptr : given->get_if<at::Tensor>();
  if (input == nullptr || indices.size() < plane || input->sizes().size() != indices.size()) return std::nullopt;
  const auto output = indices.slice(indices.size() - plane), from = input->sizes().slice(indices.size() - plane);
  metrics::PoolWindows windows;
  if (fact.window == Window::kAdaptive) {
    windows.extent.assign(from.begin(), from.end());
    windows.ranges = adaptive_ranges(from, output);
    return windows;
  }
  windows.extent = numbers(call.given("kernel_size"), plane);
  if (windows.extent.empty()) return std::nullopt;
  if (fact.window == Window::kKernel) windows.ranges = kernel_ranges(call, windows.extent, output);
  return windows;
}

}  // namespace

std::optional<IndexOutput> index_output(const dump::ApiName& api, const inputs::Arguments& arguments, size_t output,
                                        at::IntArrayRef indices) {
  const auto* const known = config::installed_api_facts().find(config::ApiNames(api), &config::ApiFacts::index_output);
  if (known == nullptr || (*known)->output != output) return std::nullopt;
  const config::IndexOutput& fact = **known;
  const Call call(api, arguments);
  if (!fact.inverse.empty()) return inverse(fact, call);
  if (fact.window != config::IndexOutput::Window::kNone) {
    IndexOutput pool;
    pool.windows = windows_of(fact, call, indices);
    return pool.windows ? std::optional(std::move(pool)) : std::nullopt;
  }
  const inputs::Value* const dim = call.given(fact.dim);
  IndexOutput out;
  out.distinct = fact.distinct;
  const inputs::Value* const stable = fact.stable.empty() ? nullptr : call.given(fact.stable);
  out.stable = stable != nullptr && stable->is<bool>() && stable->get<bool>();
  if (dim != nullptr && dim->is<int64_t>()) {
    out.dim = dim->get<int64_t>();
  } else if (fact.without_dim == WithoutDim::kValues) {
    return std::nullopt;
  } else if (fact.without_dim == WithoutDim::kLast) {  // sort(x, True) says descending there
    out.dim = -1;
  }
  return out;
}

const at::Tensor* indexed_input(const dump::ApiName& api, const inputs::Arguments& arguments) {
  const inputs::Value* const input = Call(api, arguments).given("input");
  return input == nullptr ? nullptr : input->get_if<at::Tensor>();
}

}  // namespace msprobe::check
