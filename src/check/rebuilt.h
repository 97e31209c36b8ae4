// The first step of the check: what is rebuilt of a record. Nothing of it changes afterwards; both sides of the call
// get copies of its tensors.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "check/notes.h"
#include "check/session.h"
#include "dump/record.h"
#include "goldens/user/written_rows.h"
#include "inputs/build.h"

namespace msprobe::check {

struct Rebuilt {
  Rebuilt() = default;
  Rebuilt(Rebuilt&&) = default;  // `recorded` points into lists of `record`, which keep their places
  Rebuilt(const Rebuilt&) = delete;
  Rebuilt& operator=(const Rebuilt&) = delete;

  dump::Record record;
  inputs::Arguments inputs;                      ///< on the CPU, in the recorded dtypes
  std::vector<inputs::Value> output_gradients;   ///< as the autograd node saw them; empty unless wants_backward()
  std::vector<const dump::Argument*> recorded;   ///< flat recorded outputs
  std::optional<at::ScalarType> autocast;        ///< the dtype that autocast may have run in
  std::optional<at::ScalarType> lost_dtype;      ///< of an argument whose dtype the dump does not tell
  std::optional<goldens::WrittenRows> written;   ///< rows that the operator leaves unwritten are not judged
  bool dropout = false;                          ///< judged by the number of zeros, not by value
  bool float8_inputs = false, in_place = false;  ///< an input is float8; the call changes its first argument
  bool not_raised = false;                       ///< the golden keeps the recorded precision
  bool grad_mode = false;                        ///< the call runs with gradients on
  std::string no_backward;                       ///< why a recorded backward is not to run
  Notes notes;                                   ///< assumptions made

  const dump::ApiName& name() const { return record.name; }
  bool wants_backward() const { return record.backward && no_backward.empty(); }
};

/// No operator of the API runs. Throws Skip, and Error for what cannot be rebuilt.
Rebuilt rebuild(const Session& session, dump::Record record);

/// Real data of recorded output `i`; undefined where the dump holds none of it. Throws Error: its file cannot be read.
at::Tensor recorded_tensor(const Session& session, const Rebuilt& rebuilt, size_t i);
/// Real data of the recorded gradients of the inputs, in order, those without data left out.
std::vector<at::Tensor> recorded_gradients(const Session& session, const Rebuilt& rebuilt);

}  // namespace msprobe::check
