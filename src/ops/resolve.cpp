// From a recorded name to the ways of calling it.
#include <algorithm>

#include "ops/call.h"
#include "ops/functional_inplace.h"
#include "ops/registry.h"
#include "ops/skip.h"
#include "signatures/python_names.h"

namespace msprobe::ops {

using config::PythonName;
using signatures::Dunder;
using signatures::DunderKind;
using signatures::find_dunder;
using signatures::python_name;

namespace {

// One general way to call an API: which operator, and how the recorded arguments become its own.
struct Way {
  Target target;
  bool swapped = false;     ///< other operand first
  bool functional = false;  ///< `inplace` chooses between x and x_
};

std::string operator_text(const std::string& name) {
  return name.find("::") == std::string::npos ? "aten::" + name : name;
}

// relu(x, inplace=True) is relu_(x); inplace=False is left out.
void apply_inplace(Target& target, Arguments& arguments) {
  std::optional<size_t> position;
  const auto inplace = functional_inplace(target.name, arguments, &position);
  std::erase_if(arguments.kwargs, [](const auto& keyword) { return keyword.first == "inplace"; });
  if (position) arguments.args.erase(arguments.args.begin() + static_cast<std::ptrdiff_t>(*position));
  if (!inplace || !*inplace) return;
  if (!exists(target.name + "_"))
    throw NoMatch(target.shown + ": inplace=True, but there is no " + operator_text(target.name) + "_");
  target.name += "_";
}

// Runs `f(target, arguments)` with what the way makes of the arguments.
template <class F>
auto follow(const Way& way, const Arguments& arguments, F&& f) {
  if (way.functional && (arguments.kwarg("inplace") || functional_inplace(way.target.name, arguments))) {
    Target target = way.target;
    Arguments changed = arguments;
    apply_inplace(target, changed);
    return f(target, changed);
  }
  if (way.swapped) {
    if (arguments.args.size() != 2) {
      throw NoMatch(way.target.shown + " takes two arguments, got " + std::to_string(arguments.args.size()));
    }
    Arguments changed = arguments;
    std::swap(changed.args[0], changed.args[1]);
    return f(way.target, changed);
  }
  return f(way.target, arguments);
}

Way function_way(const PythonName& python, std::string name) {
  Way way;
  way.target.shown = python.type + "." + python.name;
  way.target.name = std::move(name);
  way.target.options.zero_reduction = python.type == "Torch" || python.type == "VF";
  way.functional = python.type == "Functional";
  return way;
}

// Aten.add.Tensor: the operator and one overload; Aten.add: any overload, as registered.
Way packet_way(const PythonName& python) {
  Way way;
  way.target.shown = python.type + "." + python.name;
  way.target.road = Road::kPacket;
  std::string_view name = python.name;
  if (name.starts_with("aten.")) name.remove_prefix(5);
  const auto dot = name.find('.');
  way.target.name = name.substr(0, dot);
  way.target.any_overload = dot == std::string_view::npos;
  if (!way.target.any_overload) way.target.overload = name.substr(dot + 1);
  if (way.target.overload == "default") way.target.overload.clear();
  return way;
}

Way method_way(const PythonName& python, const std::string& flat) {
  Way way;
  way.target.shown = python.type + "." + python.name;
  way.target.name = flat;
  way.target.road = Road::kMethod;
  if (const Dunder* dunder = find_dunder(python.name)) {
    way.target.name = dunder->aten;
    way.swapped = dunder->kind == DunderKind::kSwapped;
    if (dunder->kind != DunderKind::kMethod) way.target.road = Road::kFunction;
  }
  return way;
}

std::vector<Way> general_ways(const PythonName& python) {
  std::string flat = python.name;
  std::replace(flat.begin(), flat.end(), '.', '_');
  std::vector<Way> ways;
  if (python.type == "Aten") {
    ways.push_back(packet_way(python));
  } else if (python.type == "Tensor") {
    ways.push_back(method_way(python, flat));
  } else if (python.type == "Torch") {
    // Dumps lose the namespace: Torch.norm may have been torch.linalg.norm.
    for (const char* prefix : {"", "linalg_", "special_", "fft_"}) ways.push_back(function_way(python, prefix + flat));
  } else if (python.type == "Functional" || python.type == "VF") {
    ways.push_back(function_way(python, flat));
  }
  std::erase_if(ways, [](const Way& way) { return !exists(way.target.name); });
  return ways;
}

// The adaptor of that name, then those registered as further ways ("Tensor.__getitem__#list").
std::vector<std::pair<std::string, const Adaptor*>> adaptors_of(const PythonName& python) {
  const std::string key = python.type + "." + python.name;
  std::vector<std::pair<std::string, const Adaptor*>> found;
  if (const Adaptor* adaptor = find_adaptor(key)) found.emplace_back(python.name, adaptor);
  for (const auto& name : further_adaptors(key))
    found.emplace_back(name.substr(python.type.size() + 1), find_adaptor(name));
  return found;
}

// "Functional.mse_loss: ..." of an adaptor's "mse_loss: ...", as the general road says it.
std::string with_type(const PythonName& python, const std::string& text) {
  const size_t end = text.find_first_of(":(. ");
  const bool names_function =
      end != std::string::npos && end > 0 && (text[end] == '(' || text.compare(end, 2, ": ") == 0);
  return names_function ? python.type + "." + text : text;
}

Value call_adaptor(const PythonName& python, const Adaptor& adaptor, const Arguments& arguments) {
  try {
    return adaptor(arguments);
  } catch (const NoMatch& e) {
    throw NoMatch(with_type(python, e.what()));
  }
}

// What an adaptor would call first, found without running it.
std::string describe_adaptor(const PythonName& python, const std::string& name, const Adaptor& adaptor,
                             const Arguments& arguments) {
  const DryRun dry;
  clear_trace();
  try {
    call_adaptor(python, adaptor, arguments);
  } catch (const DryRun::Stopped&) {
    return "adaptor: " + name + " -> " + trace_text();
  } catch (const NoMatch&) {
    throw;
  } catch (const std::exception&) {
    // It binds, but needs data that is not here (sizes from values, strings of numbers): its name has to do.
  }
  return "adaptor: " + name;
}

}  // namespace

std::vector<Candidate> candidates(const dump::ApiName& name, const Arguments&) {
  const PythonName python = python_name(name);
  std::vector<Candidate> found;
  for (const auto& [adaptor_name, adaptor] : adaptors_of(python)) {
    found.push_back({"adaptor " + adaptor_name, [python, adaptor = adaptor](const Arguments& arguments) {
                       clear_trace();
                       return call_adaptor(python, *adaptor, arguments);
                     }});
  }
  for (Way& way : general_ways(python)) {
    std::string how = operator_text(way.target.name);
    found.push_back({std::move(how), [way = std::move(way)](const Arguments& arguments) {
                       clear_trace();
                       return follow(way, arguments, call_operator);
                     }});
  }
  return found;
}

std::string describe(const dump::ApiName& name, const Arguments& arguments) {
  const PythonName python = python_name(name);
  std::string why;
  const auto missed = [&](const NoMatch& e) { why += (why.empty() ? "" : "; ") + std::string(e.what()); };
  for (const auto& [adaptor_name, adaptor] : adaptors_of(python)) {
    try {
      return describe_adaptor(python, adaptor_name, *adaptor, arguments);
    } catch (const NoMatch& e) {
      missed(e);
    }
  }
  for (const Way& way : general_ways(python)) {
    try {
      return follow(way, arguments, choose_schema)->full_name();
    } catch (const NoMatch& e) {
      missed(e);
    }
  }
  throw NoMatch(why.empty() ? nothing_to_call(name) : why);
}

}  // namespace msprobe::ops
