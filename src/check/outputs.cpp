#include "check/outputs.h"

#include <cmath>

#include "check/shape_text.h"
#include "util/count_of.h"

namespace msprobe::check {
namespace {

using inputs::Value;

void flatten_into(const Value& v, std::vector<Value>& out) {
  if (const auto* list = v.get_if<inputs::List>()) {
    if (list->is_size) {  // torch.Size counts as one result
      out.push_back(v);
      return;
    }
    for (const auto& x : list->items) flatten_into(x, out);
  } else if (const auto* dict = v.get_if<inputs::Dict>()) {
    for (const auto& [name, x] : dict->items) flatten_into(x, out);
  } else {
    out.push_back(v);
  }
}

void flatten_into(const dump::Argument& a, std::vector<const dump::Argument*>& out) {
  if (const auto* list = a.get_if<dump::ListArg>()) {
    if (list->is_size) {
      out.push_back(&a);
      return;
    }
    for (const auto& x : list->items) flatten_into(x, out);
  } else if (const auto* dict = a.get_if<dump::DictArg>()) {
    for (const auto& [name, x] : dict->items) flatten_into(x, out);
  } else {
    out.push_back(&a);
  }
}

std::string describe_recorded(const dump::Argument& a) {
  if (const auto* t = a.get_if<dump::TensorMeta>()) return t->dtype + " " + shape_text(t->shape);
  if (a.is<dump::NoneArg>()) return "None";
  if (a.is<bool>()) return "bool";
  if (a.is<int64_t>() || a.is<dump::BigIntArg>()) return "int";
  if (a.is<double>()) return "float";
  if (a.is<std::string>()) return "str";
  if (a.is<dump::ListArg>()) return "torch.Size";
  return "another object";
}

// Python's float() and int() results are recorded as such; None is also what the dumper writes for what it does not
// know.
bool alike(const Value& v, const dump::Argument& a) {
  if (a.is<dump::NoneArg>() || a.is<dump::OpaqueArg>()) return true;
  if (const auto* meta = a.get_if<dump::TensorMeta>()) {
    const auto* t = v.get_if<at::Tensor>();
    if (t == nullptr || !t->defined()) return false;
    auto dtype = inputs::parse_scalar_type(meta->dtype);
    return dtype && t->scalar_type() == *dtype && t->sizes() == at::IntArrayRef(meta->shape);
  }
  if (a.is<bool>()) return v.is<bool>();
  if (a.is<int64_t>() || a.is<dump::BigIntArg>()) return v.is<int64_t>();
  if (a.is<double>()) return v.is<double>();
  if (a.is<std::string>()) return v.is<std::string>();
  if (a.is<dump::ListArg>()) return v.is<inputs::List>();
  return true;
}

}  // namespace

std::vector<Value> flatten(const Value& result) {
  std::vector<Value> out;
  flatten_into(result, out);
  return out;
}

std::vector<const dump::Argument*> flatten(const dump::ArgumentList& recorded) {
  std::vector<const dump::Argument*> out;
  for (const auto& a : recorded) flatten_into(a, out);
  return out;
}

std::string describe_value(const Value& v) {
  if (const auto* t = v.get_if<at::Tensor>())
    return t->defined() ? inputs::dtype_name(t->scalar_type()) + " " + shape_text(t->sizes()) : "None";
  if (v.is_none()) return "None";
  if (auto b = as_builtin(v)) return b->kind;
  return "another object";
}

std::string difference_from_record(const std::vector<Value>& replayed,
                                   const std::vector<const dump::Argument*>& recorded) {
  if (replayed.size() != recorded.size())
    return "replay gives " + util::count_of(replayed.size(), "output") + ", recorded " +
           std::to_string(recorded.size());
  for (size_t i = 0; i < replayed.size(); ++i)
    if (!alike(replayed[i], *recorded[i]))
      return "output " + std::to_string(i) + ": replay gives " + describe_value(replayed[i]) + ", recorded " +
             describe_recorded(*recorded[i]);
  return "";
}

std::optional<metrics::Builtin> as_builtin(const Value& v) {
  metrics::Builtin b;
  if (const auto* x = v.get_if<bool>()) {
    b.kind = "bool";
    b.number = *x ? 1 : 0;
    b.text = *x ? "True" : "False";
  } else if (const auto* i = v.get_if<int64_t>()) {
    b.kind = "int";
    b.number = static_cast<double>(*i);
    b.text = std::to_string(*i);
  } else if (const auto* d = v.get_if<double>()) {
    b.kind = "float";
    b.number = *d;
  } else if (const auto* c = v.get_if<c10::complex<double>>()) {
    b.kind = "complex";
    b.number = c->real();
    b.imag = c->imag();
  } else if (const auto* s = v.get_if<std::string>()) {
    b.kind = "str";
    b.text = *s;
  } else if (v.is_none()) {
    b.kind = "NoneType";
  } else if (const auto* l = v.get_if<inputs::List>(); l != nullptr && l->is_size) {
    b.kind = "torch.Size";
    for (const auto& x : l->items)
      if (const auto* n = x.get_if<int64_t>()) b.text += std::to_string(*n) + ",";
  } else if (const auto* t = v.get_if<at::ScalarType>()) {
    b.kind = "str";
    b.text = inputs::dtype_name(*t);
  } else if (const auto* dev = v.get_if<at::Device>()) {
    // which card answered is no result
    b.kind = "NoneType";
    (void)dev;
  } else {
    return std::nullopt;
  }
  return b;
}

at::Tensor comparable(const at::Tensor& tensor) {
  at::Tensor x = tensor.detach();
  if (x.is_quantized()) x = x.dequantize();
  if (x.layout() != at::kStrided) x = x.to_dense();
  return x.to(at::kCPU).resolve_conj().resolve_neg();
}

}  // namespace msprobe::check
