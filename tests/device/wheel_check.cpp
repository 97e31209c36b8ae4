// For torch_npu_wheel.py: loads a torch_npu and binds every NPU name of the universe to its operators, without a
// device.
//   device_wheel_check TORCH_NPU UNIVERSE
// Prints one line: operators, names, names with an operator, schemas of those, schemas that took their own arguments.
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <string>

#include "device/device.h"
#include "ops/call.h"
#include "signatures/signature.h"

namespace {

using namespace msprobe;
using inputs::Value;

at::Tensor tensor() {
  return at::empty({2, 2}, at::TensorOptions(at::kFloat).device(at::kMeta));
}

// What a recorded call would hold for a parameter of that kind.
Value value_for(const signatures::Parameter& p) {
  const auto listed = [&](Value item) {
    inputs::List list;
    for (int i = 0; i < std::max(1, p.size); ++i) list.items.push_back(item);
    return Value(std::move(list));
  };
  switch (p.kind) {
    case signatures::Kind::kTensor:
      return tensor();
    case signatures::Kind::kTensorList:
    case signatures::Kind::kOptionalTensorList:
      return listed(tensor());
    case signatures::Kind::kScalar:
    case signatures::Kind::kFloat:
      return 1.5;
    case signatures::Kind::kInt:
      return 1;
    case signatures::Kind::kBool:
      return true;
    case signatures::Kind::kString:
      return "text";
    case signatures::Kind::kIntList:
      return listed(1);
    case signatures::Kind::kScalarList:
    case signatures::Kind::kFloatList:
      return listed(1.5);
    case signatures::Kind::kBoolList:
      return listed(true);
    case signatures::Kind::kScalarType:
      return at::kFloat;
    case signatures::Kind::kDevice:
      return at::Device(at::kCPU);
    default:
      return {};
  }
}

// All arguments of a schema, the keyword-only ones by keyword.
inputs::Arguments arguments_of(const signatures::Schema& schema) {
  inputs::Arguments arguments;
  for (const auto& p : schema.parameters) {
    if (p.keyword_only)
      arguments.kwargs.emplace_back(p.name, value_for(p));
    else
      arguments.args.push_back(value_for(p));
  }
  return arguments;
}

bool binds(const std::string& name, const signatures::Schema& schema) {
  ops::Target target;
  target.shown = name;
  target.name = name;
  target.road = ops::Road::kPacket;
  try {
    ops::choose_schema(target, arguments_of(schema));
    return true;
  } catch (const ops::NoMatch& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    device::Options options;
    options.torch_npu = argv[1];
    device::load_operators(options);
    size_t operators = 0, names = 0, found = 0, schemas = 0, bound = 0;
    for (const auto& op : c10::Dispatcher::singleton().getAllOpNames()) {
      const auto handle = c10::Dispatcher::singleton().findSchema(op);  // some are implemented and never declared
      operators += op.name.rfind("npu::", 0) == 0 && handle.has_value();
    }
    std::ifstream universe(argv[2]);
    for (std::string line; std::getline(universe, line);) {
      if (line.rfind("NPU.", 0) != 0) continue;
      ++names;
      const std::string name = "npu::" + line.substr(4);
      const signatures::Operator* op = signatures::find_operator(name);
      if (op == nullptr) continue;
      ++found;
      for (const auto& schema : op->schemas) {
        ++schemas;
        bound += binds(name, *schema);
      }
    }
    std::printf("%zu %zu %zu %zu %zu\n", operators, names, found, schemas, bound);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  std::fflush(nullptr);
  _exit(0);  // torch_npu's own clean-up expects a driver
}
