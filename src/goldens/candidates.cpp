#include "goldens/candidates.h"

#include "goldens/first_argument.h"
#include "ops/call.h"
#include "ops/skip.h"
#include "signatures/signature.h"

namespace msprobe::goldens {
namespace {

bool rename_first_of(const signatures::Operator& op, inputs::Arguments& arguments) {
  for (const auto& schema : op.schemas)
    if (!schema->parameters.empty() && rename_first(arguments, schema->parameters.front().name)) return true;
  return false;
}

// torch_npu.x is torch.ops.npu.x: the NPU's own kernel. A name that only ATen has (matmul_backward) runs there, on the
// NPU as well. Empty where neither has it.
std::vector<ops::Candidate> real_operator(const std::string& name, size_t judged) {
  ops::Target target;
  target.shown = "torch_npu." + name;
  target.name = ops::exists("npu::" + name) ? "npu::" + name : name;
  target.road = ops::Road::kPacket;
  if (!ops::exists(target.name)) return {};
  ops::Candidate candidate;
  candidate.how = target.name == name ? "aten::" + name : target.name;
  candidate.judged_outputs = judged;
  candidate.call = [target](const inputs::Arguments& arguments) {
    ops::clear_trace();
    try {
      return ops::call_operator(target, arguments);
    } catch (const ops::NoMatch&) {
      inputs::Arguments renamed = arguments;
      if (!rename_first_of(*signatures::find_operator(target.name), renamed)) throw;
      return ops::call_operator(target, renamed);
    }
  };
  return {candidate};
}

}  // namespace

std::vector<ops::Candidate> candidates(const Registry& goldens, const dump::ApiName& name, bool golden,
                                       const device::Device& device) {
  const bool npu_api = name.type == "NPU";
  const Golden* known = npu_api ? goldens.find(name.name) : goldens.users_golden(name);
  const size_t judged = known != nullptr ? known->judged : Golden().judged;
  if (npu_api && !golden && device.type() == "npu") return real_operator(name.name, judged);
  if (known == nullptr || (!npu_api && !golden)) return {};
  ops::Candidate candidate;
  candidate.how = "reference of " + known->name + " (" + known->source + ")";  // the word that users of --list know
  candidate.judged_outputs = judged;
  candidate.call = known->call;
  return {candidate};
}

std::string nothing_to_call(const Registry& goldens, const dump::ApiName& name) {
  const Golden* golden = name.type == "NPU" ? goldens.find(name.name) : nullptr;
  return ops::nothing_to_call(name, golden != nullptr ? golden->source : "");
}

}  // namespace msprobe::goldens
