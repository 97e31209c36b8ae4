// Replays the records of a dump with real tensors and compares the results with the recorded outputs, bit by bit.
#pragma once
#include <torch/csrc/autograd/autograd.h>

#include <cstring>
#include <fstream>

#include <string>
#include <vector>

#include "dump/index.h"
#include "inputs/build.h"
#include "inputs/precision.h"
#include "ops/registry.h"
#include "ops/skip.h"

namespace msprobe::ops::replaying {

enum class Kind { kIdentical, kClose, kDiffers, kThrows, kUnbound, kNothing };
inline const char* kind_name(Kind kind) {
  constexpr const char* kNames[] = {"identical", "close", "differs", "throws", "unbound", "no candidate"};
  return kNames[static_cast<int>(kind)];
}

struct Outcome {
  Kind kind = Kind::kNothing;
  std::string why;        ///< what differs, or the error
  std::string how;        ///< the candidate
  std::string operators;  ///< last_operators()
  Kind backward = Kind::kNothing;
  std::string backward_why;
};

inline void flatten(const Value& value, std::vector<Value>& flat) {
  if (const auto* list = value.get_if<inputs::List>()) {
    for (const auto& item : list->items) flatten(item, flat);
  } else if (!value.is_none()) {
    flat.push_back(value);
  }
}

inline std::string shape_text(const at::Tensor& t) {
  std::string text = inputs::dtype_name(t.scalar_type()) + "[";
  for (const int64_t n : t.sizes()) text += std::to_string(n) + ",";
  return text + "]";
}

/// Identical: same dtype, shape and bits (any nan equals any nan).
inline Kind compare_tensors(const at::Tensor& got, const at::Tensor& want, std::string& why) {
  if (got.scalar_type() != want.scalar_type() || got.sizes() != want.sizes()) {
    why = "got " + shape_text(got) + ", recorded " + shape_text(want);
    return Kind::kDiffers;
  }
  auto a = got.detach().resolve_conj().resolve_neg().cpu().contiguous();
  auto b = want.detach().resolve_conj().resolve_neg().cpu().contiguous();
  if (std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0) return Kind::kIdentical;
  if (!a.is_floating_point() && !a.is_complex()) {
    why = "values differ";
    return Kind::kDiffers;
  }
  const auto wide = a.is_complex() ? at::kComplexDouble : at::kDouble;
  a = a.to(wide);
  b = b.to(wide);
  const auto same = a.eq(b).logical_or(a.ne(a).logical_and(b.ne(b)));
  if (same.all().item().toBool()) return Kind::kIdentical;
  const double worst = a.sub(b).abs().masked_select(same.logical_not()).max().item().toDouble();
  why = "largest difference " + std::to_string(worst);
  const bool half = got.scalar_type() == at::kHalf || got.scalar_type() == at::kBFloat16;
  return at::allclose(a, b, half ? 1e-2 : 1e-4, half ? 1e-2 : 1e-5, /*equal_nan=*/true) ? Kind::kClose : Kind::kDiffers;
}

inline Kind compare_values(const Value& got, const Value& want, std::string& why) {
  if (got.is_tensor() && want.is_tensor()) return compare_tensors(got.get<at::Tensor>(), want.get<at::Tensor>(), why);
  const auto number = [](const Value& v) -> std::optional<double> {
    if (v.is<bool>()) return v.get<bool>();
    if (v.is<int64_t>()) return static_cast<double>(v.get<int64_t>());
    if (v.is<double>()) return v.get<double>();
    return std::nullopt;
  };
  const auto a = number(got), b = number(want);
  if (a && b && (*a == *b || (std::isnan(*a) && std::isnan(*b)))) return Kind::kIdentical;
  if (got.is<std::string>() && want.is<std::string>() && got.get<std::string>() == want.get<std::string>()) {
    return Kind::kIdentical;
  }
  if (got.v.index() == want.v.index() && !a && !got.is<std::string>())
    return Kind::kIdentical;  // dtypes and their like
  why = "values of different kind";
  return Kind::kDiffers;
}

inline Kind compare_lists(const std::vector<Value>& got, const std::vector<Value>& want, std::string& why) {
  if (got.size() != want.size()) {
    why = "got " + std::to_string(got.size()) + " results, recorded " + std::to_string(want.size());
    return Kind::kDiffers;
  }
  Kind worst = Kind::kIdentical;
  for (size_t i = 0; i < got.size(); ++i) {
    std::string reason;
    const Kind kind = compare_values(got[i], want[i], reason);
    if (kind <= worst) continue;
    worst = kind;
    why = "result " + std::to_string(i) + ": " + reason;
  }
  return worst;
}

class Replay {
 public:
  Replay(const dump::Index& index, bool general_only) : index_(index), general_only_(general_only) {
    options_.hf32_inputs = config::Hf32::kOff;
  }

  /// The best outcome over the candidates; the first that gives the recorded outputs ends the search.
  Outcome run(size_t entry) {
    const dump::Record record = index_.read(entry);
    if (!record.forward.output) return {Kind::kNothing, "no recorded output", "", "", Kind::kNothing, ""};
    std::vector<Value> want;
    for (const auto& output : *record.forward.output) flatten(build(output, record, "output"), want);
    Outcome best;
    for (size_t n = 0;; ++n) {
      auto arguments = build_arguments(record);
      const auto all = wanted(candidates(record.name, arguments));
      if (n >= all.size()) break;
      Outcome outcome = attempt(record, all[n], arguments, want);
      if (outcome.kind < best.kind) best = outcome;
      if (best.kind <= Kind::kClose) break;
    }
    return best;
  }

 private:
  Value build(const dump::Argument& argument, const dump::Record& record, const std::string& position) {
    return inputs::build_value(argument, record.name.full, position, context(), notes_);
  }
  inputs::BuildContext context() const {
    return {options_, index_.tensor_dir(), /*real_data=*/true, /*device_is_npu=*/false};
  }

  std::vector<Candidate> wanted(std::vector<Candidate> all) const {
    if (general_only_) std::erase_if(all, [](const Candidate& c) { return c.how.starts_with("adaptor"); });
    return all;
  }

  // A dtype given by position is recorded as `{}`; the first output's dtype is what it was.
  Arguments build_arguments(const dump::Record& record) {
    Arguments arguments = inputs::build_inputs(record, context()).arguments;
    const auto& output = *record.forward.output;
    const auto* first = output.empty() ? nullptr : output[0].get_if<dump::TensorMeta>();
    const auto dtype = first ? inputs::parse_scalar_type(first->dtype) : std::nullopt;
    for (auto& value : arguments.args) {
      if (value.is<inputs::Opaque>() && dtype) value = *dtype;
    }
    // Copies, as a run makes them: tensors that lie in a mapped file cannot be resized (out=).
    return inputs::device_arguments(arguments, record.name, at::kCPU);
  }

  Outcome attempt(const dump::Record& record, const Candidate& candidate, Arguments& arguments,
                  const std::vector<Value>& want) {
    Outcome outcome;
    outcome.how = candidate.how;
    std::vector<at::Tensor> leaves;
    inputs::for_each_tensor(arguments, [&](at::Tensor& t) {
      if (t.defined() && t.requires_grad()) leaves.push_back(t);
    });
    if (is_inplace(record.name, arguments)) {
      for (auto& value : arguments.args) {
        if (auto* t = value.get_if<at::Tensor>(); t && t->requires_grad()) *t = t->clone();
      }
    }
    at::manual_seed(0);
    Value result;
    try {
      result = candidate.call(arguments);
    } catch (const NoMatch& e) {
      outcome.kind = Kind::kUnbound;
      outcome.why = e.what();
      return outcome;
    } catch (const std::exception& e) {
      outcome.kind = Kind::kThrows;
      outcome.why = std::string(e.what()).substr(0, 200);
      outcome.operators = last_operators();
      return outcome;
    }
    outcome.operators = last_operators();
    std::vector<Value> got;
    flatten(result, got);
    outcome.kind = compare_lists(got, want, outcome.why);
    if (outcome.kind <= Kind::kClose) check_effects(record, arguments, outcome);
    if (outcome.kind <= Kind::kClose && record.backward) run_backward(record, got, leaves, outcome);
    return outcome;
  }

  // Arguments that the recorded call changed lie beside the dump as effects/<key>.tensor.<n>.pt.
  void check_effects(const dump::Record& record, Arguments& arguments, Outcome& outcome) {
    if (effects_dir.empty()) return;
    int n = 0;
    inputs::for_each_tensor(arguments, [&](at::Tensor& t) {
      dump::TensorMeta meta;
      meta.type = "torch.Tensor";
      meta.dtype = inputs::dtype_name(t.scalar_type());
      meta.shape = t.sizes().vec();
      meta.data_name = record.name.full + ".forward.tensor." + std::to_string(n++) + ".pt";
      if (!std::ifstream(effects_dir + "/" + meta.data_name)) return;
      inputs::BuildContext context{options_, effects_dir, true, false};
      const Value want = inputs::build_value({meta, ""}, record.name.full, "effect", context, notes_);
      std::string why;
      ++effects_checked;
      if (compare_tensors(t, want.get<at::Tensor>(), why) == Kind::kDiffers) {
        outcome.kind = Kind::kDiffers;
        outcome.why = "argument " + std::to_string(n - 1) + " after the call: " + why;
      }
    });
  }

  void run_backward(const dump::Record& record, const std::vector<Value>& got, const std::vector<at::Tensor>& leaves,
                    Outcome& outcome) {
    std::vector<at::Tensor> outputs, gradients;
    for (const auto& value : got) {
      if (value.is_tensor() && value.get<at::Tensor>().requires_grad()) outputs.push_back(value.get<at::Tensor>());
    }
    std::vector<at::Tensor> recorded;
    for (const auto& argument : record.backward->input) {
      const Value value = build(argument, record, "backward.input");
      recorded.push_back(value.is_tensor() ? value.get<at::Tensor>() : at::Tensor());
    }
    std::vector<at::Tensor> with_gradient;
    for (size_t i = 0, next = 0; i < outputs.size() && next < recorded.size(); ++i, ++next) {
      if (recorded[next].defined() && recorded[next].sizes() == outputs[i].sizes()) {
        with_gradient.push_back(outputs[i]);
        gradients.push_back(recorded[next]);
      }
    }
    std::vector<Value> want, grads;
    for (const auto& argument : record.backward->output) flatten(build(argument, record, "backward.output"), want);
    try {
      if (with_gradient.empty()) throw std::runtime_error("no output takes a recorded gradient");
      torch::autograd::backward(with_gradient, gradients);
    } catch (const std::exception& e) {
      outcome.backward = Kind::kThrows;
      outcome.backward_why = std::string(e.what()).substr(0, 200);
      return;
    }
    for (const auto& leaf : leaves) {
      if (leaf.grad().defined()) grads.emplace_back(leaf.grad());
    }
    // Recorded in the dtype of the computation (softmax with dtype=), before autograd made it the input's.
    for (size_t i = 0; i < grads.size() && i < want.size(); ++i) {
      if (grads[i].is_tensor() && want[i].is_tensor() && grads[i].get<at::Tensor>().defined())
        want[i] = want[i].get<at::Tensor>().to(grads[i].get<at::Tensor>().scalar_type());
    }
    outcome.backward = compare_lists(grads, want, outcome.backward_why);
  }

 public:
  std::string effects_dir;  ///< empty: effects are not looked at
  int effects_checked = 0;

 private:
  const dump::Index& index_;
  bool general_only_;
  inputs::Options options_;
  std::vector<std::string> notes_;
};

}  // namespace msprobe::ops::replaying
