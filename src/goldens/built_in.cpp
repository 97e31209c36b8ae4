#include "goldens/built_in.h"

#include "goldens/first_argument.h"
#include "goldens/schema_text.h"

namespace msprobe::goldens {

constinit const Registration* Registration::first_ = nullptr;

Registration::Registration(const char* schema, Function function, size_t judged)
    : schema_(schema), function_(function), judged_(judged), next_(first_) {
  first_ = this;
}

Golden Registration::golden() const {
  Golden golden;
  golden.schema = schema_;
  golden.name = golden.schema.substr(0, golden.schema.find('('));
  golden.source = "built in";
  golden.judged = judged_;
  golden.call = [function = function_, shown = "torch_npu." + golden.name,
                 parameters = python_parameters(schema_)](const inputs::Arguments& recorded) {
    inputs::Arguments arguments = recorded;
    rename_first(arguments, std::string_view(parameters).substr(0, parameters.find_first_of(",=")));
    return function(Call(shown, parameters, arguments));
  };
  return golden;
}

const std::map<std::string, Golden, std::less<>>& built_in() {
  static const auto all = [] {
    std::map<std::string, Golden, std::less<>> goldens;
    for (const Registration* r = Registration::first(); r != nullptr; r = r->next()) {
      Golden golden = r->golden();
      goldens.emplace(golden.name, golden);
    }
    return goldens;
  }();
  return all;
}

const Golden* find_built_in(std::string_view name) {
  const auto found = built_in().find(name);
  return found == built_in().end() ? nullptr : &found->second;
}

}  // namespace msprobe::goldens
