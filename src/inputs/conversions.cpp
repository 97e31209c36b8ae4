#include "inputs/conversions.h"

#include <algorithm>
#include <limits>

#include "inputs/range.h"
#include "util/error.h"

namespace msprobe::inputs {
namespace {

// As config/signatures.yaml calls them.
constexpr std::string_view kClassNumbers = "class numbers", kFloatForIntegers = "float32 for integers",
                           kTriangle = "triangle by sparse_mode";

/// Whether a triangle stands for the mask: modes 2 to 4 always, 7 and 8 where the triangle's shape was recorded.
bool wants_triangle(int64_t sparse_mode, const std::vector<int64_t>& shape) {
  if (sparse_mode >= 2 && sparse_mode <= 4) return true;
  const size_t rank = shape.size();
  return (sparse_mode == 7 || sparse_mode == 8) && rank >= 2 && shape[rank - 1] == 2048 && shape[rank - 2] == 2048;
}

/// Of an API that an NPU computes in HF32.
bool wants_hf32(const BuildContext& context) {
  switch (context.options.hf32_inputs) {
    case config::Hf32::kOn:
      return true;
    case config::Hf32::kOff:
      return false;
    default:
      return context.device_is_npu || context.options.profile == config::Profile::kMindstudio;
  }
}

template <class Values>
bool round_all(Values& values) {
  bool any = false;
  for_each_tensor(values, [&](at::Tensor& tensor) {
    if (tensor.scalar_type() != at::kFloat) return;
    if (!tensor.is_contiguous()) {
      const bool grad = tensor.requires_grad();
      tensor = tensor.detach().contiguous().requires_grad_(grad);
    }
    round_to_hf32(tensor);
    any = true;
  });
  return any;
}

}  // namespace

bool is_conversion(std::string_view rule) {
  return rule == kClassNumbers || rule == kFloatForIntegers || rule == kTriangle;
}

Conversions::Conversions(const dump::Record& record, const BuildContext& context) {
  const auto names = config::ApiNames(record.name).with_plain_forms();
  hf32_ = context.known.find(names, &config::ApiFacts::hf32) != nullptr && wants_hf32(context);
  const auto* values = context.known.find(names, &config::ApiFacts::values);
  if (values == nullptr) return;
  const dump::ForwardRecord& call = record.forward;
  const signatures::CallShape shape = signatures::shape_of(call);
  const auto place_of = [&](std::string_view parameter) {
    return signatures::find_argument(context.known, record.name, shape, parameter).place;
  };
  for (const auto& [parameter, rule, where] : *values) {
    if (rule == kClassNumbers) {
      target_ = place_of(parameter);
      const dump::TensorMeta* input = tensor_at(call, place_of("input"));
      if (input && !input->shape.empty()) classes_ = input->shape[input->shape.size() == 1 ? 0 : 1];
    } else if (rule == kFloatForIntegers) {
      histogram_ = place_of(parameter);
    } else if (rule == kTriangle) {
      const auto mask = place_of(parameter), mode = place_of("sparse_mode");
      const dump::TensorMeta* meta = tensor_at(call, mask);
      if (!meta || !mode || (context.real_data && !meta->data_name.empty())) continue;
      const auto* number = at(call, *mode).get_if<int64_t>();
      if (number && wants_triangle(*number, meta->shape)) mask_ = mask;
    }
  }
}

std::optional<dump::TensorMeta> Conversions::narrowed(Place place, const dump::TensorMeta& meta,
                                                      std::vector<std::string>& notes) const {
  const auto dtype = dump::parse_dtype(meta.dtype);
  if (target_ != place || !classes_ || *classes_ < 1 || !dtype || !is_integer(*dtype) || *dtype == dump::Dtype::kBool)
    return std::nullopt;
  const int64_t last = *classes_ - 1;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const auto min = as_integer(meta.min, {-kMost, kMost}), max = as_integer(meta.max, {-kMost, kMost});
  // A statistic that is no number is left for the draw to refuse.
  for (const auto* statistic : {&meta.min, &meta.max})
    if (std::holds_alternative<dump::OtherText>(*statistic)) return std::nullopt;
  const int64_t low = std::clamp<int64_t>(min ? static_cast<int64_t>(*min) : 0, 0, last);
  const int64_t high = std::clamp<int64_t>(max ? static_cast<int64_t>(*max) : last, low, last);
  if (min && max && *min == low && *max == high) return std::nullopt;
  dump::TensorMeta changed = meta;
  changed.min = changed.min_except_inf_nan = low;
  changed.max = changed.max_except_inf_nan = high;
  notes.push_back("target: classes drawn from [" + std::to_string(low) + ", " + std::to_string(high) + "]");
  return changed;
}

std::optional<at::Tensor> Conversions::substitute(Place place) const {
  if (mask_ != place) return std::nullopt;
  return at::ones({2048, 2048}, at::TensorOptions().dtype(at::kBool)).triu(1);
}

void Conversions::apply(Arguments& arguments, std::vector<std::string>& notes) const {
  if (target_) {
    if (auto* target = inputs::at(arguments, *target_).get_if<at::Tensor>();
        target && target->scalar_type() == at::kInt) {
      *target = target->to(at::kLong);
      notes.push_back(label_of(arguments, *target_) + ": int32 target converted to int64");
    }
  }
  if (histogram_) {
    auto* values = inputs::at(arguments, *histogram_).get_if<at::Tensor>();
    if (values && at::isIntegralType(values->scalar_type(), /*includeBool=*/false)) {
      notes.push_back(label_of(arguments, *histogram_) + ": " + dtype_name(values->scalar_type()) +
                      " converted to float32");
      *values = values->to(at::kFloat);
    }
  }
  if (hf32_ && round_all(arguments)) notes.emplace_back("float32 inputs rounded to HF32");
  if (mask_) notes.push_back(label_of(arguments, *mask_) + ": 2048 x 2048 upper triangle, as sparse_mode asks");
}

void Conversions::apply_to_gradients(std::vector<Value>& gradients) const {
  if (!hf32_) return;
  for (Value& gradient : gradients) round_all(gradient);
}

void round_to_hf32(at::Tensor& tensor) {
  constexpr uint32_t kInfinityBits = 0x7F800000, kHalf = 0x800, kKept = ~uint32_t{0xFFF};
  auto* const values = static_cast<uint32_t*>(tensor.data_ptr());
  at::parallel_for(0, tensor.numel(), 65536, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const uint32_t bits = values[i];
      const bool nan = (bits & 0x7FFFFFFF) > kInfinityBits;
      values[i] = nan ? bits : (bits + kHalf) & kKept;
    }
  });
}

}  // namespace msprobe::inputs
