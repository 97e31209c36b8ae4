// The arguments of a kernel on a card as CPU tensors over the same bytes, and the results back.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sim_npu {

/// Of one call. Tensors that share memory on the card share it as twins; a twin that is returned is its argument again,
/// a view of a twin is a view of the argument.
class Twins {
 public:
  explicit Twins(const c10::OperatorHandle& op) : op_(op) {}

  /// Tensors, lists of them, storages, generators and devices; anything else as it is. Throws, as a device does, for a
  /// tensor of another card, or of the CPU with one dimension or more.
  c10::IValue to_cpu(const c10::IValue& argument, const c10::Argument& declared);
  c10::IValue to_card(const c10::IValue& result);
  at::Tensor to_cpu(const at::Tensor& t);
  at::Tensor to_card(const at::Tensor& t);

  /// Is it the twin of an argument, and not only a view of one?
  bool is_argument(const at::Tensor& cpu) const;
  bool shares_memory(const at::Tensor& cpu) const;
  /// Makes resized and re-seated arguments follow their twins.
  void settle();
  /// The card of the call: that of its tensors, else of its device argument, else the current one.
  c10::DeviceIndex card() const;

 private:
  c10::Storage storage_to_cpu(const c10::Storage& s);
  c10::Storage storage_to_card(const c10::Storage& s);
  void meet(at::Device device);

  const c10::OperatorHandle& op_;
  c10::DeviceIndex card_ = -1;
  bool host_tensor_ = false;
  std::vector<std::pair<at::Tensor, at::Tensor>> tensors_;       // on the card, its twin
  std::unordered_map<c10::StorageImpl*, c10::Storage> on_card_;  // by twin
};

/// The kernel of every operator: runs the CPU's on the twins.
void run_on_twins(const c10::OperatorHandle& op, torch::jit::Stack* stack);
/// The same with `kernel` in its place: it finds the CPU arguments on the stack and leaves the results there.
void run_as(const c10::OperatorHandle& op, torch::jit::Stack* stack,
            const std::function<void(torch::jit::Stack&)>& kernel);

}  // namespace sim_npu
