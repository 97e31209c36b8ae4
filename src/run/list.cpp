#include "run/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <stdexcept>

#include "device/device.h"
#include "goldens/candidates.h"
#include "inputs/build.h"
#include "inputs/value.h"
#include "ops/call.h"
#include "ops/registry.h"
#include "ops/skip.h"
#include "places/places.h"
#include "run/room_options.h"
#include "util/count_of.h"
#include "util/error.h"
#include "util/message.h"
#include "util/text_table.h"

namespace msprobe::run {
namespace {

using inputs::Value;

/// Arguments of which only dtype and shape are real: tensors on the meta device.
class Placeholders {
 public:
  explicit Placeholders(const dump::Index& index) : context_{{}, index.tensor_dir()} {}

  inputs::Arguments arguments(const dump::Record& record) {
    inputs::Arguments result;
    const std::string& api = record.name.full;
    result.args = values(record.forward.args, api, "input");
    for (const auto& [name, argument] : record.forward.kwargs)
      result.kwargs.emplace_back(name, value(argument, api, "kwargs." + name));
    return result;
  }

 private:
  std::vector<Value> values(const dump::ArgumentList& list, const std::string& api, const std::string& position) {
    std::vector<Value> result;
    for (size_t i = 0; i < list.size(); ++i) result.push_back(value(list[i], api, fmt::format("{}.{}", position, i)));
    return result;
  }

  /// `position` as in inputs/build.h, for errors.
  Value value(const dump::Argument& argument, const std::string& api, const std::string& position) {
    if (const auto* tensor = argument.get_if<dump::TensorMeta>()) {
      const auto dtype = inputs::scalar_type_of(*tensor, api, position);
      return at::empty(tensor->shape, at::TensorOptions().dtype(dtype).device(at::kMeta));
    }
    if (const auto* list = argument.get_if<dump::ListArg>())
      return inputs::List{values(list->items, api, position), list->is_size};
    if (const auto* slice = argument.get_if<dump::SliceArg>())
      return inputs::Slice{values(slice->parts, api, position)};
    if (const auto* dict = argument.get_if<dump::DictArg>()) {
      inputs::Dict result;
      for (const auto& [name, item] : dict->items)
        result.items.emplace_back(name, value(item, api, fmt::format("{}.{}", position, name)));
      return result;
    }
    std::vector<std::string> notes;
    return inputs::build_value(argument, api, position, context_, notes);
  }

  inputs::BuildContext context_;
};

struct Line {
  std::string dtypes, shapes, how;
  bool runs = false;
};

// The NPU's own kernel that the call would reach, found without calling it.
std::string how_on_npu(const goldens::Registry& goldens, const dump::ApiName& name, const inputs::Arguments& arguments,
                       const device::Device& device) {
  const auto ways = goldens::candidates(goldens, name, false, device);
  if (ways.empty()) throw std::runtime_error(goldens::nothing_to_call(goldens, name));
  const ops::DryRun dry;
  try {
    ways.front().call(arguments);
  } catch (const ops::DryRun::Stopped&) {
    return ops::trace_text();
  }
  return ways.front().how;
}

std::string how_fused(const goldens::Registry& goldens, const dump::ApiName& name, const inputs::Arguments& arguments,
                      const device::Device& device) {
  const std::string own = device.type() == "npu" ? how_on_npu(goldens, name, arguments, device) + ", golden: " : "";
  const auto ways = goldens::candidates(goldens, name, true, device);
  if (ways.empty()) throw std::runtime_error(goldens::nothing_to_call(goldens, name));
  return own + ways.front().how;
}

Line describe(const dump::Index& index, size_t i, Placeholders& placeholders, const config::Settings& settings,
              const config::Standards& standards, const goldens::Registry& goldens, const device::Device& device) {
  Line line;
  try {
    const dump::Record record = index.read(i);
    inputs::Arguments arguments = placeholders.arguments(record);
    std::vector<std::string> dtypes, shapes;
    inputs::for_each_tensor(arguments, [&](const at::Tensor& tensor) {
      const std::string dtype = inputs::dtype_name(tensor.scalar_type());
      if (std::find(dtypes.begin(), dtypes.end(), dtype) == dtypes.end()) dtypes.push_back(dtype);
      shapes.push_back(fmt::format("({})", fmt::join(tensor.sizes().begin(), tensor.sizes().end(), ", ")));
    });
    line.dtypes = fmt::format("{}", fmt::join(dtypes, " "));
    line.shapes = fmt::format("{}", fmt::join(shapes, " "));
    if (auto reason = ops::skip_by_name(record.name, {settings.white_list, settings.black_list}, standards)) {
      line.how = "SKIP: " + *reason;
    } else if (reason = ops::skip_by_arguments(record.name, arguments, standards,
                                               settings.profile == config::Profile::kDocumented);
               reason) {
      line.how = "SKIP: " + *reason;
    } else {
      line.how = record.name.type == "NPU" ? how_fused(goldens, record.name, arguments, device)
                                           : ops::describe(record.name, arguments);
      if (const goldens::Golden* users = goldens.users_golden(record.name);
          users != nullptr && record.name.type != "NPU")
        line.how += ", golden: " + users->source;
      if (record.backward && record.backward->fault.empty()) line.how += ", backward";
      line.runs = true;
    }
  } catch (const std::exception& error) {
    line.how = "SKIP: " + util::message_of(error);
  }
  return line;
}

}  // namespace

void list_apis(const dump::Index& index, const std::vector<size_t>& selected, const config::Settings& settings,
               const config::Standards& standards, const goldens::Registry& goldens) {
  Placeholders placeholders(index);
  const auto device = device::planned(device_options(settings));
  const places::Places places = places::Places::open(index.path());
  util::TextTable table(std::vector<util::Align>(5, util::Align::kLeft));
  size_t runs = 0;
  for (size_t i : selected) {
    Line line = describe(index, i, placeholders, settings, standards, goldens, *device);
    runs += line.runs;
    const std::string api(index.entries()[i].api);
    table.add({api, std::move(line.dtypes), std::move(line.shapes), std::move(line.how),
               places::line_text(places.find(api))});
  }
  std::fputs(table.render().c_str(), stdout);
  std::printf("%s: %zu would be run, %zu skipped\n", util::count_of(selected.size(), "API").c_str(), runs,
              selected.size() - runs);
}

}  // namespace msprobe::run
