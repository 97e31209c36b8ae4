// One recorded call on its way through the check: what was rebuilt from the record, and how a side of it is prepared
// and called. choose.h decides which call it is, judge.h compares the two sides.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/session.h"
#include "dump/record.h"
#include "goldens/user/written_rows.h"
#include "inputs/build.h"
#include "ops/registry.h"
#include "outcome/row.h"

namespace msprobe::check {

/// Why an API is SKIP; caught at the edge of the API.
struct Skip : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One side of the check: golden or device.
struct Side {
  inputs::Arguments arguments;         ///< what the call gets
  std::vector<at::Tensor> leaves;      ///< tensors of the positional arguments, in order: whose gradients are compared
  std::vector<inputs::Value> outputs;  ///< flat
  std::vector<at::Tensor> gradients;   ///< one a leaf
};

/// What decompositions.h had to settle, or to leave open, before their outputs could be compared.
struct Alignment {
  std::set<size_t> vectors;             ///< outputs that hold vectors
  std::map<size_t, at::Tensor> judged;  ///< output -> which of its columns can be judged, where not all can
  std::map<size_t, std::string> notes;  ///< output -> for the Message of its row
  std::string no_gradient;              ///< why gradients through the vectors cannot be judged; empty: they can
};

struct Replay {
  /// Rebuilds the arguments and the output gradients. Throws Skip, and Error for what cannot be rebuilt.
  Replay(const Session& session, dump::Record record);
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  const Session& session;
  const dump::Record record;
  const dump::ApiName& name;
  inputs::Arguments inputs;
  std::vector<inputs::Value> output_gradients;
  std::vector<const dump::Argument*> recorded;  ///< flat recorded outputs
  std::optional<at::ScalarType> autocast;
  std::optional<goldens::WrittenRows> written;  ///< rows that the operator leaves unwritten are not judged
  bool float8_inputs = false, in_place = false, grad_mode = false;
  bool want_backward = false, ran_backward = false;
  std::string backward_reason;       ///< why it did not run
  std::vector<ops::Candidate> ways;  ///< to call the device's side
  std::optional<Side> first;         ///< the device's side, ready for the first of them
  Side device, golden;
  std::string how;  ///< the operator or adaptor that the device's side called: "aten::linalg_svd"
  Alignment alignment;
  size_t judged_outputs = static_cast<size_t>(-1);
  bool golden_refused = false;     ///< raised to the golden's precision the call failed
  bool compared_argument = false;  ///< the compared output is the changed first argument
  outcome::ApiOutcome outcome;     ///< what was found so far

  /// Adds to the API's Message, once.
  void note(const std::string& text);
  inputs::BuildContext context() const;
  /// All ways to call it on a side.
  std::vector<ops::Candidate> candidates(bool golden) const;
  /// Fresh arguments for an attempt on one side. with_dtype: a lost dtype becomes the recorded output's.
  Side prepare(bool golden, bool with_dtype) const;
  /// Calls it and fills the side's outputs.
  void invoke(const ops::Candidate& candidate, Side& side, bool golden);
  /// The golden keeps the recorded precision.
  bool not_raised() const;
  /// The dumper writes a dtype given by position as `{}`, a tensor class (Tensor.type) as null; the recorded output
  /// tells which it was.
  std::optional<at::ScalarType> lost_dtype() const;
  /// Recorded output `i`; undefined where the dump holds no data of it.
  at::Tensor recorded_tensor(size_t i) const;

 private:
  bool in_training();
  /// The argument is a dtype that the dump does not tell.
  bool is_lost_dtype(const inputs::Value& value) const;
  void plan_backward();
  at::ScalarType raised(at::ScalarType dtype) const;
};

/// Appends with "; " what the message does not hold yet.
void add_note(std::string& message, const std::string& note);

}  // namespace msprobe::check
