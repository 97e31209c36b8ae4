#include "inputs/conversions.h"

#include <algorithm>
#include <array>
#include <limits>

#include "inputs/range.h"
#include "util/error.h"

namespace msprobe::inputs {
namespace {

constexpr size_t kNowhere = std::numeric_limits<size_t>::max();

/// APIs that take class numbers, by position (Python's or the schema's) or by keyword.
struct ClassApi {
  std::string_view name;
  size_t input, target;
};
constexpr std::array<ClassApi, 10> kClassApis{{
    {"cross_entropy", 0, 1},
    {"cross_entropy_loss", 0, 1},
    {"nll_loss", 0, 1},
    {"nll_loss_nd", 0, 1},
    {"nll_loss2d", 0, 1},
    {"nll_loss_forward", 0, 1},
    {"nll_loss2d_forward", 0, 1},
    {"nll_loss_backward", 1, 2},
    {"nll_loss2d_backward", 1, 2},
    {"npu_cross_entropy_loss", 0, 1},
}};

/// Whether a triangle stands for the mask: modes 2 to 4 always, 7 and 8 where the triangle's shape was recorded.
bool wants_triangle(int64_t sparse_mode, const std::vector<int64_t>& shape) {
  if (sparse_mode >= 2 && sparse_mode <= 4) return true;
  const size_t rank = shape.size();
  return (sparse_mode == 7 || sparse_mode == 8) && rank >= 2 && shape[rank - 1] == 2048 && shape[rank - 2] == 2048;
}

std::optional<Place> find_triangle_mask(const dump::ForwardRecord& call, std::string_view name, bool real_data) {
  // npu_fusion_attention and its v3 take both by position; the others by keyword only.
  const bool positional = name == "npu_fusion_attention" || name == "npu_fusion_attention_v3";
  const auto mask = find(call, positional ? 7 : kNowhere, {"atten_mask"});
  const auto mode = find(call, positional ? 16 : kNowhere, {"sparse_mode"});
  const dump::TensorMeta* meta = tensor_at(call, mask);
  if (!meta || !mode || (real_data && !meta->data_name.empty())) return std::nullopt;
  const auto* number = at(call, *mode).get_if<int64_t>();
  return number && wants_triangle(*number, meta->shape) ? mask : std::nullopt;
}

bool wants_hf32(std::string_view name, const BuildContext& context) {
  if (name != "conv1d" && name != "conv2d") return false;
  switch (context.settings.hf32_inputs) {
    case config::Hf32::kOn:
      return true;
    case config::Hf32::kOff:
      return false;
    default:
      return context.device_is_npu || context.settings.profile == config::Profile::kMindstudio;
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

Conversions::Conversions(const dump::Record& record, const BuildContext& context) {
  const dump::ForwardRecord& call = record.forward;
  const std::string_view name = operator_name(record.name);
  for (const ClassApi& api : kClassApis) {
    if (api.name != name) continue;
    target_ = find(call, api.target, {"target"});
    const dump::TensorMeta* input = tensor_at(call, find(call, api.input, {"input", "self"}));
    if (input && !input->shape.empty()) classes_ = input->shape[input->shape.size() == 1 ? 0 : 1];
  }
  if (name == "histc") histogram_ = find(call, 0, {"input", "self"});
  if (name.substr(0, 20) == "npu_fusion_attention") mask_ = find_triangle_mask(call, name, context.real_data);
  hf32_ = wants_hf32(name, context);
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
