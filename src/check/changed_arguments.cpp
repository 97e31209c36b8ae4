#include "check/changed_arguments.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "check/outputs.h"
#include "config/api_facts.h"
#include "inputs/places.h"
#include "signatures/find_argument.h"
#include "signatures/written.h"

namespace msprobe::check {
namespace {

using inputs::Place;
using inputs::Value;

// nan equals nan: what was not written is not changed.
bool same(const at::Tensor& recorded, const at::Tensor& after) {
  const at::Tensor a = comparable(after), b = comparable(recorded).to(a.scalar_type());
  if (a.sizes() != b.sizes()) return false;
  return at::eq(a, b).logical_or(at::ne(a, a).logical_and(at::ne(b, b))).all().item<bool>();
}

// `device` keywords are left out of one side's arguments, so places of keywords differ.
const Value* argument_at(const inputs::Arguments& recorded, const Place& place, const inputs::Arguments& side) {
  if (place.keyword) return side.kwarg(recorded.kwargs[place.index].first);
  return place.index < side.args.size() ? &side.args[place.index] : nullptr;
}

std::vector<at::Tensor> tensors_of(const Value* value) {
  std::vector<at::Tensor> tensors;
  if (value == nullptr) return tensors;
  Value copy = *value;  // tensors are shared
  for_each_tensor(copy, [&](at::Tensor& t) { tensors.push_back(t); });
  return tensors;
}

class Finder {
 public:
  Finder(const Rebuilt& r, const Called& called) : r_(r), called_(called) {}

  void look(const std::string& parameter) {
    const auto place = signatures::find_argument(config::installed_api_facts(), r_.name(), shape_, parameter).place;
    if (!place || std::find(seen_.begin(), seen_.end(), *place) != seen_.end()) return;
    seen_.push_back(*place);
    const Value& argument = inputs::at(r_.inputs, *place);
    const auto before = tensors_of(&argument);
    const auto golden = tensors_of(argument_at(r_.inputs, *place, called_.golden.arguments));
    const auto device = tensors_of(argument_at(r_.inputs, *place, called_.device.arguments));
    const size_t n = std::min({before.size(), golden.size(), device.size()});
    for (size_t i = 0; i < n; ++i) {
      if (is_output(device[i]) || (same(before[i], golden[i]) && same(before[i], device[i]))) continue;
      const std::string name = argument.is_tensor() ? parameter : parameter + "[" + std::to_string(i) + "]";
      found.push_back({name, golden[i], device[i], *place, i});
    }
  }

  std::vector<ChangedArgument> found;

 private:
  bool is_output(const at::Tensor& t) const {
    return std::any_of(called_.device.outputs.begin(), called_.device.outputs.end(), [&](const Value& v) {
      const auto* output = v.get_if<at::Tensor>();
      return output != nullptr && output->is_same(t);
    });
  }

  const Rebuilt& r_;
  const Called& called_;
  const signatures::CallShape shape_ = inputs::shape_of(r_.inputs);
  std::vector<Place> seen_;
};

}  // namespace

at::Tensor argument_of(const inputs::Arguments& side, const ChangedArgument& changed, const Rebuilt& r) {
  const auto tensors = tensors_of(argument_at(r.inputs, changed.place, side));
  return changed.item < tensors.size() ? tensors[changed.item] : at::Tensor();
}

std::vector<ChangedArgument> changed_arguments(const Session& session, const Rebuilt& r, const Called& called) {
  // A golden that stands in for the operator need not change anything.
  if (session.options.profile() != config::Profile::kDocumented || r.name().type == "NPU" ||
      session.goldens.users_golden(r.name()) != nullptr)
    return {};
  Finder finder(r, called);
  for (const std::string& parameter : signatures::written_parameters(r.name(), inputs::shape_of(r.inputs)))
    finder.look(parameter);
  const auto* const known =
      config::installed_api_facts().find(config::ApiNames(r.name()).with_plain_forms(), &config::ApiFacts::changes);
  if (known != nullptr)
    for (const std::string& parameter : *known) finder.look(parameter);
  return std::move(finder.found);
}

}  // namespace msprobe::check
