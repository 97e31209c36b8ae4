#include "ops/adaptors/python.h"

namespace msprobe::ops {
namespace {

at::Tensor single_element(const Value& value) {
  const auto* t = value.get_if<at::Tensor>();
  return t && t->numel() == 1 ? *t : at::Tensor();
}

}  // namespace

Value list_of(std::vector<Value> items) {
  List list;
  list.items = std::move(items);
  return list;
}

Value list_of(const std::vector<int64_t>& items) {
  return list_of(std::vector<Value>(items.begin(), items.end()));
}

Value list_of(at::IntArrayRef items) {
  return list_of(std::vector<Value>(items.begin(), items.end()));
}

Value list_of(std::initializer_list<int64_t> items) {
  return list_of(std::vector<Value>(items.begin(), items.end()));
}

at::Tensor tensor_at(const Value& list, size_t i) {
  const auto* items = list.get_if<List>();
  if (!items || i >= items->items.size() || !items->items[i].is_tensor()) {
    throw NoMatch("expected a list with a tensor at place " + std::to_string(i));
  }
  return items->items[i].get<at::Tensor>();
}

std::vector<Value> for_each_dim(const Value& value, size_t n, std::string_view what) {
  const auto* list = value.get_if<List>();
  if (!list) return std::vector<Value>(n, value);
  if (list->items.size() != n) {
    throw NoMatch(std::string(what) + ": expected one value or " + std::to_string(n) + ", got " +
                  std::to_string(list->items.size()));
  }
  return list->items;
}

double as_double(const Value& value, std::string_view what) {
  if (const auto* x = value.get_if<double>()) return *x;
  if (const auto* x = value.get_if<int64_t>()) return static_cast<double>(*x);
  if (const auto* x = value.get_if<bool>()) return *x ? 1 : 0;
  if (const auto t = single_element(value); t.defined()) return t.item<double>();
  throw NoMatch(std::string(what) + ": expected a number");
}

int64_t as_integer(const Value& value, std::string_view what) {
  if (const auto* x = value.get_if<int64_t>()) return *x;
  if (const auto* x = value.get_if<bool>()) return *x ? 1 : 0;
  if (const auto t = single_element(value); t.defined() && at::isIntegralType(t.scalar_type(), true)) {
    return t.item<int64_t>();
  }
  throw NoMatch(std::string(what) + ": expected an integer");
}

Value packed(const Arguments& arguments) {
  if (arguments.args.size() == 1 && arguments.args[0].is<List>()) return arguments.args[0];
  return list_of(arguments.args);
}

std::string reduction_of(const PythonCall& call) {
  const bool overruled = call.has("size_average") || call.has("reduce");
  if (!overruled) return call.string("reduction");
  const auto left_true = [&](const char* name) { return !call.has(name) || call.boolean(name); };
  if (!left_true("reduce")) return "none";
  return left_true("size_average") ? "mean" : "sum";
}

int64_t reduction_number(std::string_view reduction) {
  if (reduction == "none") return at::Reduction::None;
  if (reduction == "mean" || reduction == "elementwise_mean") return at::Reduction::Mean;
  if (reduction == "sum") return at::Reduction::Sum;
  throw NoMatch("reduction: expected none, mean or sum, got " + std::string(reduction));
}

at::Tensor reduced(const at::Tensor& loss, std::string_view reduction) {
  switch (reduction_number(reduction)) {
    case at::Reduction::Mean:
      return aten_t("mean", {loss});
    case at::Reduction::Sum:
      return aten_t("sum", {loss});
    default:
      return loss;
  }
}

}  // namespace msprobe::ops
