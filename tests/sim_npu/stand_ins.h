// Results of another machine in the place of the card's: where a tensor that is copied to the CPU has the bytes of one
// of a file, it gets those of its stand-in. So a card may compute as another instruction set does.
//
// The file holds pairs without end mark, numbers of 8 bytes, little-endian: the number of bytes, the bytes as the card
// has them, the bytes of the stand-in (as many); both as contiguous tensors are stored.
#pragma once
#include <ATen/core/Tensor.h>

namespace sim_npu {

/// Changes `t`, on the CPU, where the fault file names stand-ins and has one for it.
void stand_in(const at::Tensor& t);

}  // namespace sim_npu
