#include "ops/call.h"

#include <torch/version.h>

#include "ops/convert.h"

namespace msprobe::ops {

using signatures::find_operator;
using signatures::Operator;

namespace {

constexpr size_t kLongestTrace = 256;  // of a call; more tells a reader nothing

thread_local std::vector<const Schema*> trace;
thread_local bool dry_run = false;

const std::vector<Signature>& signatures(const Operator& op, Road road) {
  return road == Road::kMethod ? op.methods : op.functions;
}

bool overload_wanted(const Target& target, const Schema& schema) {
  return target.any_overload || schema.overload == target.overload;
}

// Tries the signatures in their order; the first that binds wins.
bool bind_any(const Operator& op, const Target& target, const Arguments& arguments, Bound& bound) {
  if (target.road == Road::kPacket) {
    for (const auto& schema : op.schemas) {
      if (overload_wanted(target, *schema) && bind_schema(*schema, arguments, op.takes_numbers, bound, nullptr))
        return true;
    }
    return false;
  }
  for (const Signature& signature : signatures(op, target.road)) {
    if (bind(signature, arguments, target.options, op.takes_numbers, bound, nullptr)) return true;
  }
  return false;
}

// Tries everything again, now asking why. Off the fast road: a call that binds never comes here.
std::string explain(const Operator& op, const Target& target, const Arguments& arguments) {
  std::string text;
  Bound bound;
  const auto add = [&](const std::string& signature, const std::string& why) {
    text.append("; ").append(signature).append(": ").append(why);
  };
  if (target.road == Road::kPacket) {
    for (const auto& schema : op.schemas) {
      if (!overload_wanted(target, *schema)) continue;
      std::string why;
      bind_schema(*schema, arguments, op.takes_numbers, bound, &why);
      add(schema->full_name(), why);
    }
    return text.empty() ? "; it has no overload " + (target.overload.empty() ? "default" : target.overload) : text;
  }
  for (const Signature& signature : signatures(op, target.road)) {
    std::string why;
    bind(signature, arguments, target.options, op.takes_numbers, bound, &why);
    add(signature.text, why);
  }
  return text.empty() ? "; no overload of aten::" + target.name + " is a method of Tensor" : text;
}

Bound bind_target(const Target& target, const Arguments& arguments) {
  const Operator* op = find_operator(target.name);
  if (!op) {
    throw NoMatch(target.shown + ": this LibTorch (" TORCH_VERSION ") has no operator aten::" + target.name);
  }
  Bound bound;
  if (bind_any(*op, target, arguments, bound)) return bound;
  Arguments modern;
  if (target.road != Road::kPacket && modernise(target.name, arguments, modern) &&
      bind_any(*op, target, modern, bound)) {
    return bound;
  }
  throw NoMatch(target.shown + describe_arguments(arguments) + " fits no signature" + explain(*op, target, arguments));
}

}  // namespace

std::string describe_arguments(const Arguments& arguments) {
  std::string text = "(";
  const auto separate = [&] {
    if (text.size() > 1) text += ", ";
  };
  for (const Value& value : arguments.args) {
    separate();
    text += describe_value(value);
  }
  for (const auto& [name, value] : arguments.kwargs) {
    separate();
    text.append(name).append("=").append(describe_value(value));
  }
  text += ')';
  return text;
}

Value run_bound(Bound&& bound) {
  if (trace.size() < kLongestTrace) trace.push_back(bound.schema);
  if (dry_run) throw DryRun::Stopped{};
  auto& stack = bound.stack;
  bound.schema->handle.callBoxed(stack);
  const int dtypes = bound.schema->result_dtypes;
  if (stack.size() == 1) {
    Value result = to_value(stack[0], dtypes & 1);
    if (bound.requires_grad && result.is_tensor()) result.get<at::Tensor>().requires_grad_(true);
    return result;
  }
  if (stack.empty()) return {};
  inputs::List list;
  for (size_t i = 0; i < stack.size(); ++i) list.items.push_back(to_value(stack[i], i < 31 && (dtypes >> i & 1)));
  return Value(std::move(list));
}

Value call_operator(const Target& target, const Arguments& arguments) {
  return run_bound(bind_target(target, arguments));
}

const Schema* choose_schema(const Target& target, const Arguments& arguments) {
  const DryRun dry;
  return bind_target(target, arguments).schema;
}

void clear_trace() {
  trace.clear();
}

std::string trace_text() {
  std::string text;
  for (const Schema* schema : trace) {
    if (!text.empty()) text += ' ';
    text += schema->full_name();
  }
  return text;
}

DryRun::DryRun() : before_(std::exchange(dry_run, true)) {}
DryRun::~DryRun() {
  dry_run = before_;
}
bool DryRun::active() {
  return dry_run;
}

}  // namespace msprobe::ops
