// Gradients of one side: recorded output gradients meet the replay's outputs (docs/execution.md#gradients).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "inputs/value.h"

namespace msprobe::check {

/// Which recorded gradient goes to which output. output[k] gets gradient[k].
struct GradientPlan {
  std::vector<size_t> outputs;    ///< indices into the flat outputs
  std::vector<size_t> gradients;  ///< indices into the recorded gradients
  std::string refusal;            ///< why none fits, naming the shapes; empty: the plan holds
};

/// `outputs`: flat results of the call; `gradients`: recorded ones, None where none arrived.
/// Order of trying: place by place over all outputs (nulls count), over the outputs that can carry a gradient (nulls
/// count), non-null ones in order, non-null ones by shape where that is unambiguous.
GradientPlan plan_gradients(const std::vector<inputs::Value>& outputs, const std::vector<inputs::Value>& gradients);

/// Every way to give the present gradients, in order, to outputs of their shape, at most `limit` ways (none when there
/// are more). For calls whose shapes leave it open: with real data the recorded gradients of the inputs decide.
std::vector<GradientPlan> possible_plans(const std::vector<inputs::Value>& outputs,
                                         const std::vector<inputs::Value>& gradients, size_t limit);

/// Runs backward; gradients are cast and moved to their output's dtype and device. Result: one entry a tensor of
/// `inputs`, undefined where no gradient arrived. keep_graph: backward may run again.
std::vector<at::Tensor> run_backward(const std::vector<inputs::Value>& outputs,
                                     const std::vector<inputs::Value>& gradients, const GradientPlan& plan,
                                     const std::vector<at::Tensor>& inputs, bool keep_graph = false);

}  // namespace msprobe::check
