#include "goldens/registry.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <map>

#include "ops/call.h"
#include "ops/signature.h"
#include "ops/skip.h"

namespace msprobe::goldens {
namespace {

std::map<std::string, Operator, std::less<>>& operators() {
  static std::map<std::string, Operator, std::less<>> all;
  return all;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// "Tensor? pse=None" -> "pse=None"; `""` and `1.` are written as Python does.
std::string python_parameter(std::string_view text) {
  text = trimmed(text);
  if (text == "*") return "*";
  size_t equals = text.find('=');
  std::string_view head = trimmed(text.substr(0, equals));
  std::string name(head.substr(head.rfind(' ') + 1));
  if (equals == std::string_view::npos) return name;
  std::string value(trimmed(text.substr(equals + 1)));
  for (char& c : value)
    if (c == '"') c = '\'';
  if (!value.empty() && value.back() == '.') value += '0';
  return name + "=" + value;
}

bool names_the_first(std::string_view name) {
  return name == "self" || name == "input" || name == "x";
}

// Users write self= and x= where the schema says input, and the reverse. False: there is none to rename.
bool rename_first(inputs::Arguments& arguments, std::string_view first) {
  if (!arguments.args.empty() || !names_the_first(first)) return false;
  for (auto& [name, value] : arguments.kwargs) {
    if (name == first || !names_the_first(name)) continue;
    name = first;
    return true;
  }
  return false;
}

bool rename_first(inputs::Arguments& arguments, const ops::Operator& op) {
  for (const auto& schema : op.schemas)
    if (!schema->parameters.empty() && rename_first(arguments, schema->parameters.front().name)) return true;
  return false;
}

inputs::Arguments with_schema_names(const std::string& parameters, inputs::Arguments arguments) {
  rename_first(arguments, std::string_view(parameters).substr(0, parameters.find_first_of(",=")));
  return arguments;
}

// What is the kernel's own bookkeeping has no gradient there either; users' goldens compute it by plain operators.
ops::Value without_gradients_beyond(size_t judged, ops::Value result) {
  if (auto* list = result.get_if<inputs::List>())
    for (size_t i = judged; i < list->items.size(); ++i)
      inputs::for_each_tensor(list->items[i], [](at::Tensor& t) { t = t.detach(); });
  return result;
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
      if (!rename_first(renamed, *ops::find_operator(target.name))) throw;
      return ops::call_operator(target, renamed);
    }
  };
  return {candidate};
}

}  // namespace

std::string python_parameters(std::string_view schema) {
  size_t open = schema.find('('), close = schema.rfind(") ->");
  std::string_view body = schema.substr(open + 1, close - open - 1);
  std::string out;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= body.size(); ++i) {
    if (i < body.size() && (body[i] == '(' || body[i] == '[')) ++depth;
    if (i < body.size() && (body[i] == ')' || body[i] == ']')) --depth;
    if (i == body.size() || (body[i] == ',' && depth == 0)) {
      if (auto part = trimmed(body.substr(start, i - start)); !part.empty())
        out += (out.empty() ? "" : ", ") + python_parameter(part);
      start = i + 1;
    }
  }
  return out;
}

Registration::Registration(const char* schema, Reference reference, size_t judged) {
  std::string text(schema), name = text.substr(0, text.find('('));
  operators()[name] = {name, text, std::move(reference), "built in", judged};
}

const Operator* find(std::string_view name) {
  auto it = operators().find(name);
  return it == operators().end() ? nullptr : &it->second;
}

std::vector<const Operator*> all() {
  std::vector<const Operator*> out;
  for (const auto& [name, op] : operators()) out.push_back(&op);
  return out;
}

void install(Operator op) {
  if (const Operator* before = find(op.name)) {
    op.judged = before->judged;
    if (op.schema.empty() && !op.direct) op.schema = before->schema;
  }
  std::string name = op.name;
  operators()[name] = std::move(op);
}

std::string golden_name(const dump::ApiName& name) {
  return name.type == "NPU" ? std::string(name.name) : name.type + "." + name.name;
}

const Operator* users_golden(const dump::ApiName& name) {
  const Operator* op = find(golden_name(name));
  return op != nullptr && op->direct ? op : nullptr;
}

std::vector<ops::Candidate> candidates(const dump::ApiName& name, const inputs::Arguments&, bool golden,
                                       const device::Device& device) {
  const bool npu_api = name.type == "NPU";
  const Operator* op = npu_api ? find(name.name) : users_golden(name);
  const size_t judged = op != nullptr ? op->judged : static_cast<size_t>(-1);
  if (npu_api && !golden && device.type() == "npu") return real_operator(name.name, judged);
  if (op == nullptr || (!npu_api && !golden)) return {};
  ops::Candidate candidate;
  candidate.how = "reference of " + op->name + " (" + op->source + ")";
  candidate.judged_outputs = judged;
  candidate.call = [op](const inputs::Arguments& arguments) {
    if (op->direct) return without_gradients_beyond(op->judged, op->direct(arguments));
    std::string parameters = python_parameters(op->schema);
    return op->reference(Call("torch_npu." + op->name, parameters, with_schema_names(parameters, arguments)));
  };
  return {candidate};
}

std::string nothing_to_call(const dump::ApiName& name) {
  const Operator* op = name.type == "NPU" ? find(name.name) : nullptr;
  return ops::nothing_to_call(name, op != nullptr ? op->source : "");
}

at::Tensor optional_tensor(const Call& call, std::string_view parameter) {
  return call.has(parameter) ? call.tensor(parameter) : at::Tensor();
}

std::vector<at::Tensor> gradients(const std::function<at::Tensor(const std::vector<at::Tensor>&)>& f,
                                  const std::vector<at::Tensor>& inputs, const at::Tensor& grad) {
  at::AutoGradMode on(true);
  std::vector<at::Tensor> leaves;
  for (const auto& t : inputs) leaves.push_back(t.detach().requires_grad_(true));
  at::Tensor out = f(leaves);
  return torch::autograd::grad({out}, leaves, {grad.to(out.scalar_type())}, /*retain_graph=*/false,
                               /*create_graph=*/false,
                               /*allow_unused=*/true);
}

at::ScalarType statistics_dtype(const at::Tensor& input) {
  return input.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

}  // namespace msprobe::goldens
