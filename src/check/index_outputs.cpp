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

}  // namespace

std::optional<IndexOutput> index_output(const dump::ApiName& api, const inputs::Arguments& arguments, size_t output) {
  const auto* const known = config::installed_api_facts().find(config::ApiNames(api), &config::ApiFacts::index_output);
  if (known == nullptr || (*known)->output != output) return std::nullopt;
  const config::IndexOutput& fact = **known;
  const Call call(api, arguments);
  if (!fact.inverse.empty()) return inverse(fact, call);
  const inputs::Value* const dim = call.given(fact.dim);
  IndexOutput out;
  out.distinct = fact.distinct;
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
