#include "check/lost_dtype.h"

#include <algorithm>

namespace msprobe::check {
namespace {

using inputs::Value;

// Tensor.type(torch.HalfTensor): the class is recorded as null, and no null is of any use there.
bool is_lost(const dump::ApiName& name, const Value& value) {
  return value.is<inputs::Opaque>() || (value.is_none() && name.type == "Tensor" && name.name == "type");
}

// out_dtype and its like: the dumper describes dtypes of `dtype` and `output_dtype` alone.
bool is_lost_keyword(const std::string& keyword, const Value& value) {
  return keyword != "dtype" && keyword.ends_with("dtype") && value.is<inputs::Opaque>();
}

}  // namespace

std::optional<at::ScalarType> lost_dtype(config::Profile profile, const dump::ApiName& name,
                                         const inputs::Arguments& inputs,
                                         const std::vector<const dump::Argument*>& recorded) {
  bool lost = std::any_of(inputs.args.begin(), inputs.args.end(), [&](const Value& a) { return is_lost(name, a); });
  if (const Value* dtype = inputs.kwarg("dtype")) lost |= dtype->is_none() && is_lost(name, *dtype);
  if (profile == config::Profile::kDocumented)
    for (const auto& [keyword, value] : inputs.kwargs) lost |= is_lost_keyword(keyword, value);
  if (!lost || recorded.empty()) return std::nullopt;
  const auto* meta = recorded[0]->get_if<dump::TensorMeta>();
  return meta != nullptr ? inputs::parse_scalar_type(meta->dtype) : std::nullopt;
}

void put_lost_dtype(const dump::ApiName& name, at::ScalarType dtype, inputs::Arguments& arguments) {
  for (auto& a : arguments.args)
    if (is_lost(name, a)) a = Value(dtype);
  for (auto& [keyword, a] : arguments.kwargs)
    if (is_lost_keyword(keyword, a) || (keyword == "dtype" && a.is_none() && is_lost(name, a))) a = Value(dtype);
}

std::string lost_dtype_text(const inputs::Arguments& inputs) {
  for (const auto& [keyword, value] : inputs.kwargs)
    if (is_lost_keyword(keyword, value)) return keyword + " is not recorded, taken from the recorded output";
  const bool by_position =
      std::any_of(inputs.args.begin(), inputs.args.end(), [](const Value& v) { return v.is<inputs::Opaque>(); });
  return std::string(by_position ? "dtype given by position" : "a tensor class given as dtype") +
         " is not recorded, taken from the recorded output";
}

}  // namespace msprobe::check
