#include "signatures/call_shape.h"

namespace msprobe::signatures {
namespace {

Form form_of(const dump::Argument& argument) {
  if (argument.is<dump::NoneArg>()) return Form::kNone;
  if (argument.is<dump::TensorMeta>()) return Form::kTensor;
  if (argument.is<int64_t>() || argument.is<dump::BigIntArg>()) return Form::kInteger;
  if (argument.is<double>()) return Form::kFloating;
  if (argument.is<bool>()) return Form::kBool;
  if (argument.is<std::string>()) return Form::kText;
  const auto* list = argument.get_if<dump::ListArg>();
  if (list == nullptr) return Form::kOther;
  if (list->items.empty()) return Form::kEmptyList;
  return list->items.front().is<dump::TensorMeta>() ? Form::kTensors : Form::kList;
}

}  // namespace

CallShape shape_of(const dump::ForwardRecord& call) {
  CallShape shape;
  shape.args.reserve(call.args.size());
  for (const dump::Argument& argument : call.args) shape.args.push_back(form_of(argument));
  for (const auto& [name, argument] : call.kwargs) shape.kwargs.emplace_back(name, form_of(argument));
  return shape;
}

}  // namespace msprobe::signatures
