// Faults of the simulated cards, from the YAML file that MSPROBE_SIM_NPU_FAULTS names:
//
//   seed: 7              # of chances and of the elements that are hit, default 0
//   delay: 0.002         # seconds that every kernel keeps its card busy, default 0; only synchronising waits for it
//   log: fired.txt       # a line for every fault that struck: "npu:0 aten::tanh call 2 nan"
//   stand_ins: other.bin # what takes the place of results that are copied to the CPU, see stand_ins.h
//   faults:
//     - operator: tanh   # name, with or without namespace and overload (aten::add.Tensor); * is any run of characters.
//                        # copy_to_host: in place of kernels, copies of a card's tensors to the CPU; so what the
//                        program # compares is changed once, however many kernels made it
//       kind: nan        # see below
//       phase: backward  # forward (outside of autograd's backward pass), backward, or any (default)
//       device: 1        # only on that card; all by default
//       call: 2          # only at that call, or a list of calls; counted from 1 for each fault, in each process
//       chance: 0.25     # of a call, decided by seed and call number; default 1
//       output: 0        # only that output; all by default
//       elements: 3      # so many elements, chosen by seed and call number, or all; default: all for relative_error,
//                        # ulp_error and zero, one for bit_flip and nan
//       region: tail     # in place of elements: tail (the last 1 % in the order of indices, at least one), columns
//                        # (every 16th index of the last dimension, from 0), block (the second quarter of the last two
//                        # dimensions in the first plane), corner (the last quarter of every dimension)
//       size: 0.01       # of relative_error (default 0.01) and ulp_error (default 1)
//       bit: 30          # of bit_flip, 0 is the least; default: the highest of a number but its sign
//       message: text    # of error and late_error
//
// Kinds: relative_error (floating and complex outputs times 1 + size), ulp_error (times 1 + size units in the last
// place of their dtype), zero, swap_rows (the first two indices of dimension 0), bit_flip, nan; wrong_shape (an output
// loses its last row); error (raised), late_error (raised by the next synchronisation), out_of_memory (raised, and
// every allocation after it fails until the cache is emptied), abort, segfault, hang. Outputs are changed after the
// kernel; those of in-place calls too.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/operator_name.h>

#include <cstdint>
#include <vector>

namespace sim_npu {

struct Fault;

/// One kernel on its way: counts the call, keeps the card busy, and lets the faults strike that are meant for it.
class Launch {
 public:
  Launch(const c10::OperatorName& op, c10::DeviceIndex device);
  /// Of a tensor on its way to the CPU, where it is changed.
  static Launch of_copy_to_host(c10::DeviceIndex device);
  /// Before the kernel: raises, aborts, hangs.
  void start() const;
  bool changes_results() const;
  bool changes(size_t output) const;
  /// `result` changed in place, or another tensor where its shape is to be wrong. `is_argument`: it has to be the same.
  at::Tensor change(at::Tensor result, size_t output, bool is_argument) const;

 private:
  struct Hit {
    const Fault* fault;
    uint64_t call;
  };
  std::string name_;
  c10::DeviceIndex device_;
  std::vector<Hit> hits_;
};

}  // namespace sim_npu
