// What is changed before a call for certain APIs (docs/inputs.md#conversions-before-the-call).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "dump/record.h"
#include "inputs/build.h"
#include "inputs/places.h"
#include "inputs/value.h"

namespace msprobe::inputs {

/// True for the rules of config/signatures.yaml that are conversions, not rules of valid.h.
bool is_conversion(std::string_view rule);

/// Conversions of one API; made once from its record, before anything is drawn.
class Conversions {
 public:
  Conversions(const dump::Record& record, const BuildContext& context);

  /// The record's description of a drawn tensor, changed where the API limits its values: class targets of
  /// cross_entropy and nll_loss lie in [max(Min, 0), min(Max, classes - 1)]. nullopt: as recorded.
  std::optional<dump::TensorMeta> narrowed(Place place, const dump::TensorMeta& meta,
                                           std::vector<std::string>& notes) const;

  /// A tensor that stands in for the recorded one: npu_fusion_attention's 2048 x 2048 triangle. nullopt: none.
  std::optional<at::Tensor> substitute(Place place) const;

  /// Conversions of built values: int32 class targets to int64, histc's integers to float32, HF32 rounding.
  void apply(Arguments& arguments, std::vector<std::string>& notes) const;
  /// HF32 rounding of a convolution's output gradients.
  void apply_to_gradients(std::vector<Value>& gradients) const;

 private:
  std::optional<Place> target_, mask_, histogram_;
  std::optional<int64_t> classes_;
  bool hf32_ = false;
};

/// Rounds a contiguous float32 CPU tensor in place to HF32's 11 explicit mantissa bits: half of the last place is added
/// to the magnitude, the 12 low bits are cleared. nan stays.
void round_to_hf32(at::Tensor& tensor);

}  // namespace msprobe::inputs
