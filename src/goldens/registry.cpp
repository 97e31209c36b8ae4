#include "goldens/registry.h"

#include <algorithm>

#include "config/api_facts.h"
#include "config/settings.h"
#include "goldens/built_in.h"
#include "goldens/schema_text.h"
#include "goldens/user/users_golden.h"

namespace msprobe::goldens {
namespace {

using inputs::Value;

// What is the kernel's own bookkeeping has no gradient there either; users' goldens compute it by plain operators.
Value without_gradients_beyond(size_t judged, Value result) {
  if (auto* list = result.get_if<inputs::List>())
    for (size_t i = judged; i < list->items.size(); ++i)
      inputs::for_each_tensor(list->items[i], [](at::Tensor& t) { t = t.detach(); });
  return result;
}

Golden golden_of(const UserOperator& user, const std::shared_ptr<PythonProcess>& python, size_t judged) {
  const std::shared_ptr<UsersGolden> function = make_golden(user, python);
  Golden golden;
  golden.name = user.name;
  golden.schema = user.schema;
  golden.source = user.source();
  golden.judged = judged;
  golden.users = true;
  golden.call = [judged, function](const inputs::Arguments& arguments) {
    return without_gradients_beyond(judged, function->call(arguments));
  };
  golden.remark = [function] { return function->remark(); };
  return golden;
}

ValidRows rule_of(const config::RowsWritten& known) {
  ValidRows rule;
  rule.argument = known.argument;
  rule.unless = known.unless;
  rule.count = known.list_type == "ends"     ? ValidRows::Count::kEnds
               : known.list_type == "counts" ? ValidRows::Count::kCounts
                                             : ValidRows::Count::kByArgument;
  if (rule.count == ValidRows::Count::kByArgument) rule.list_type = known.list_type;
  return rule;
}

}  // namespace

std::string golden_name(const dump::ApiName& name) {
  return name.type == "NPU" ? std::string(name.name) : name.type + "." + name.name;
}

Registry::Registry() : python_(std::make_shared<PythonProcess>()), goldens_(built_in()) {}
Registry::~Registry() = default;
Registry::Registry(Registry&&) noexcept = default;
Registry& Registry::operator=(Registry&&) noexcept = default;

void Registry::load(const std::string& users_file) {
  for (const auto& [api, facts] : config::installed_api_facts())
    if (facts.written_rows) valid_rows_[api] = rule_of(*facts.written_rows);
  add(read_configuration(config::installed_config("fused_operators.yaml")), /*users=*/false);
  if (!users_file.empty()) add(read_configuration(users_file));
}

void Registry::add(const Configuration& configuration, bool users) {
  for (const UserOperator& user : configuration.operators) {
    const Golden* before = find(user.name);
    Golden golden = golden_of(user, python_, before != nullptr ? before->judged : Golden().judged);
    goldens_.insert_or_assign(user.name, std::move(golden));
    if (user.kind == Kind::kPython)
      python_apis_.insert(user.name);
    else
      python_apis_.erase(user.name);
    if (users) users_apis_.insert(user.name);
  }
  for (const std::string& api : configuration.judged_whole) valid_rows_.erase(api);
  for (const auto& [api, rule] : configuration.valid_rows) {
    valid_rows_[api] = rule;
    valid_rows_[api].users = users;
    if (users) users_apis_.insert(api);
  }
}

const Golden* Registry::find(std::string_view name) const {
  const auto found = goldens_.find(name);
  return found == goldens_.end() ? nullptr : &found->second;
}

const Golden* Registry::users_golden(const dump::ApiName& name) const {
  const Golden* golden = find(golden_name(name));
  return golden != nullptr && golden->users ? golden : nullptr;
}

std::vector<const Golden*> Registry::all() const {
  std::vector<const Golden*> out;
  for (const auto& [name, golden] : goldens_) out.push_back(&golden);
  return out;
}

std::optional<WrittenRows> Registry::written_rows(const dump::ApiName& name, const inputs::Arguments& arguments,
                                                  std::string* note) const {
  const auto rule = valid_rows_.find(golden_name(name));
  if (rule == valid_rows_.end()) return std::nullopt;
  const Golden* golden = name.type == "NPU" ? find(name.name) : nullptr;
  const std::string schema = golden != nullptr ? golden->schema : "";
  const std::string parameters = schema.empty() ? "" : python_parameters(schema);
  return goldens::written_rows(rule->second, {name, parameters, arguments}, note);
}

void Registry::start_python_for(const std::vector<std::string_view>& apis) const {
  if (python_apis_.empty()) return;
  if (std::any_of(apis.begin(), apis.end(), [&](std::string_view api) {
        return python_apis_.count(golden_name(dump::parse_api_name(api))) != 0;
      }))
    python_->start_ahead();
}

}  // namespace msprobe::goldens
