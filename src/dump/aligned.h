// Elements must lie at addresses that their type allows: LibTorch reads them as such.
#pragma once
#include "dump/tensor_file.h"

namespace msprobe::dump {

/// Copies the elements into a buffer of their own.
void make_own_copy(TensorFile& file);

/// Does so where the address does not suit the dtype: other writers than torch.save and numpy do not align.
void make_aligned(TensorFile& file);

}  // namespace msprobe::dump
