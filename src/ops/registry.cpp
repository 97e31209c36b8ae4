#include "ops/registry.h"

#include <algorithm>

#include "ops/call.h"
#include "ops/convert.h"

namespace msprobe::ops {
namespace {

using Adaptors = std::map<std::string, Adaptor, std::less<>>;

// Filled by static objects before main, read only afterwards.
Adaptors& adaptors() {
  static Adaptors all;
  return all;
}

}  // namespace

AdaptorRegistration::AdaptorRegistration(std::initializer_list<const char*> names, Adaptor adaptor) {
  for (const char* name : names) {
    if (!adaptors().try_emplace(name, adaptor).second) {
      throw std::logic_error(std::string("two adaptors are registered for ") + name);
    }
  }
}

const Adaptor* find_adaptor(std::string_view type_and_name) {
  const auto found = adaptors().find(type_and_name);
  return found == adaptors().end() ? nullptr : &found->second;
}

std::vector<std::string> further_adaptors(const std::string& type_and_name) {
  const std::string prefix = type_and_name + "#";
  std::vector<std::string> names;
  for (auto it = adaptors().lower_bound(prefix); it != adaptors().end() && it->first.starts_with(prefix); ++it) {
    names.push_back(it->first);
  }
  return names;
}

std::vector<std::string> adaptor_names() {
  std::vector<std::string> names;
  for (const auto& [name, adaptor] : adaptors()) names.push_back(name);
  return names;
}

Value aten(std::string_view name, std::vector<Value> args, std::vector<std::pair<std::string, Value>> kwargs) {
  Target target;
  target.name = name;
  target.shown = "aten::" + target.name;
  return call_operator(target, Arguments{std::move(args), std::move(kwargs)});
}

at::Tensor aten_t(std::string_view name, std::vector<Value> args, std::vector<std::pair<std::string, Value>> kwargs) {
  const Value result = aten(name, std::move(args), std::move(kwargs));
  if (!result.is_tensor()) {
    throw std::logic_error("aten::" + std::string(name) + " gives " + describe_value(result) + ", not one tensor");
  }
  return result.get<at::Tensor>();
}

Value aten_overload(std::string_view name, std::string_view overload, std::vector<Value> args) {
  Target target;
  target.name = name;
  target.overload = overload;
  target.shown = "aten::" + target.name + "." + target.overload;
  target.road = Road::kPacket;
  target.any_overload = false;
  return call_operator(target, Arguments{std::move(args), {}});
}

bool exists(std::string_view name) {
  return signatures::find_operator(name) != nullptr;
}

std::string last_operators() {
  return trace_text();
}

}  // namespace msprobe::ops
