#include "ops/bind.h"

#include <bitset>

#include "ops/call.h"
#include "ops/convert.h"
#include "signatures/aliases.h"

namespace msprobe::ops {
namespace {

constexpr size_t kMostParameters = 64;
using Flags = std::bitset<kMostParameters>;

// Finds the keyword for `name` or one of its aliases among those not yet used, and marks it used.
const Value* take_keyword(const Arguments& arguments, std::string_view name, Flags& used) {
  const auto take = [&](std::string_view wanted) -> const Value* {
    for (size_t i = 0; i < arguments.kwargs.size(); ++i) {
      if (used[i] || arguments.kwargs[i].first != wanted) continue;
      used[i] = true;
      return &arguments.kwargs[i].second;
    }
    return nullptr;
  };
  if (const Value* value = take(name)) return value;
  const signatures::Aliases* const known = signatures::find_aliases(name);
  if (known == nullptr) return nullptr;
  for (const std::string_view other : known->taken)
    if (const Value* value = other.empty() ? nullptr : take(other)) return value;
  return nullptr;
}

// What the parser takes for a number.
bool is_numeric(const Value& value) {
  const auto* t = value.get_if<at::Tensor>();
  return t ? t->defined() && t->dim() == 0 && !t->requires_grad() : value.is_number();
}

bool fail(std::string* why, const std::string& text) {
  if (why) *why = text;
  return false;
}

// The state of one attempt.
struct Attempt {
  const Signature& signature;
  const Arguments& arguments;
  bool numbers;
  Bound& bound;
  std::string* why;
  Flags used{};                                     // keywords
  c10::SmallVector<const Value*, 12> positional{};  // without a method's self
  Value collected{};                                // f(a, b, c): the tensors as one list

  const Schema& base() const { return *signature.base; }

  bool put(size_t place, const Value& value) {
    const Parameter& p = base().parameters[place];
    std::string reason;
    if (convert(p, value, numbers, bound.stack[place], why ? &reason : nullptr)) return true;
    return why ? fail(why, std::string(signature.shown_name(p)) + ": " + reason) : false;
  }

  bool bind_self() {
    const Value* self = nullptr;
    if (!arguments.args.empty()) {
      self = &arguments.args.front();
    } else {
      self = take_keyword(arguments, "self", used);
    }
    if (!self) return why ? fail(why, "self is missing") : false;
    const bool wrap = std::exchange(numbers, false);  // x.add: a number is no self
    const bool fits = put(signature.self, *self);
    numbers = wrap;
    return fits;
  }

  void gather_positional() {
    const size_t skip = signature.self >= 0 && !arguments.args.empty() ? 1 : 0;
    for (size_t i = skip; i < arguments.args.size(); ++i) positional.push_back(&arguments.args[i]);
    if (signature.tensor_list < 0) return;
    const size_t first = static_cast<size_t>(signature.tensor_list);
    if (positional.size() <= first) return;
    for (size_t i = first; i < positional.size(); ++i) {
      if (!positional[i]->is_tensor()) return;
    }
    inputs::List list;
    for (size_t i = first; i < positional.size(); ++i) list.items.push_back(*positional[i]);
    collected = Value(std::move(list));
    positional.resize(first);
    positional.push_back(&collected);
  }

  // x.view(2, 3): every positional argument is an item of the one list.
  bool bind_varargs(size_t place) {
    std::vector<int64_t> items;
    for (const Value* v : positional) {
      int64_t item = 0;
      if (!as_list_item(*v, item)) return false;
      items.push_back(item);
    }
    bound.stack[place] = c10::IValue(std::move(items));
    return true;
  }

  bool put_missing(size_t place, bool zero_reduction) {
    const Parameter& p = base().parameters[place];
    if (p.has_default) {
      if (zero_reduction && p.name == "reduction" && p.kind == Kind::kInt) {
        bound.stack[place] = c10::IValue(int64_t{0});
      } else {
        bound.stack[place] = p.default_value;
      }
      return true;
    }
    if (p.is_tensor_option() && p.optional) {
      bound.stack[place] = c10::IValue();
      return true;
    }
    return why ? fail(why, std::string(signature.shown_name(p)) + " is missing") : false;
  }

  bool bind_parameters(bool zero_reduction) {
    size_t next = 0;  // positional
    for (size_t n = 0; n < signature.order.size(); ++n) {
      const size_t place = static_cast<size_t>(signature.order[n]);
      const Parameter& p = base().parameters[place];
      if (next < positional.size()) {
        if (p.keyword_only) break;
        const Value& value = *positional[next];
        const bool several = positional.size() > 1 || p.size == 0;
        if (signature.varargs && n == 0 && several && !value.is<inputs::List>() && bind_varargs(place)) {
          next = positional.size();
          continue;
        }
        if (!put(place, value)) return false;
        ++next;
        continue;
      }
      const Value* value = take_keyword(arguments, signature.shown_name(p), used);
      if (value ? !put(place, *value) : !put_missing(place, zero_reduction)) return false;
    }
    if (next == positional.size()) return true;
    return why ? fail(why, "takes " + std::to_string(signature.max_positional) + " arguments by position, got " +
                               std::to_string(positional.size()))
               : false;
  }

  // Moves what is bound to the out= twin and adds the tensors to write to.
  bool redirect(const Value& out) {
    const Schema& twin = *signature.out;
    std::vector<c10::IValue> stack(twin.parameters.size());
    for (size_t i = 0; i < twin.parameters.size(); ++i) stack[i] = twin.parameters[i].default_value;
    for (size_t i = 0; i < signature.to_out.size(); ++i) {
      if (signature.to_out[i] >= 0) stack[signature.to_out[i]] = std::move(bound.stack[i]);
    }
    const auto* list = out.get_if<inputs::List>();
    const size_t given = list ? list->items.size() : 1;
    if (given != signature.out_places.size()) {
      return fail(
          why, "out takes " + std::to_string(signature.out_places.size()) + " tensors, got " + std::to_string(given));
    }
    for (size_t i = 0; i < given; ++i) {
      const Value& item = list ? list->items[i] : out;
      if (!item.is_tensor()) return fail(why, "out takes tensors, got " + describe_value(item));
      stack[signature.out_places[i]] = c10::IValue(item.get<at::Tensor>());
    }
    bound.stack = std::move(stack);
    bound.schema = &twin;
    return true;
  }
};

}  // namespace

bool bind(const Signature& signature, const Arguments& arguments, const BindOptions& options, bool numbers,
          Bound& bound, std::string* why) {
  const size_t size = signature.base->parameters.size();
  if (size > kMostParameters || arguments.kwargs.size() > kMostParameters) return fail(why, "too many arguments");
  Attempt attempt{signature, arguments, numbers, bound, why};
  bound.schema = signature.base;
  bound.requires_grad = false;
  bound.stack.clear();
  bound.stack.resize(size);

  const Value* out = take_keyword(arguments, "out", attempt.used);
  if (out && out->is_none()) out = nullptr;
  if (out && !signature.out) return fail(why, "has no out=");
  if (!out && signature.out == signature.base) return fail(why, "out is missing");
  if (signature.self >= 0 && !attempt.bind_self()) return false;
  attempt.gather_positional();
  if (attempt.positional.size() > signature.max_positional && !signature.varargs) {
    return why ? fail(why, "takes " + std::to_string(signature.max_positional) + " arguments by position, got " +
                               std::to_string(attempt.positional.size()))
               : false;
  }
  if (!attempt.bind_parameters(options.zero_reduction)) return false;
  if (const Value* grad = take_keyword(arguments, "requires_grad", attempt.used)) {
    bound.requires_grad = grad->is<bool>() && grad->get<bool>();
  }
  if (attempt.used.count() != arguments.kwargs.size()) {
    for (size_t i = 0; why && i < arguments.kwargs.size(); ++i) {
      if (!attempt.used[i]) return fail(why, "no argument of the name " + arguments.kwargs[i].first);
    }
    return false;
  }
  return out ? attempt.redirect(*out) : true;
}

bool bind_schema(const Schema& schema, const Arguments& arguments, bool numbers, Bound& bound, std::string* why) {
  bound.schema = &schema;
  bound.requires_grad = false;
  bound.stack.clear();
  bound.stack.resize(schema.parameters.size());
  size_t next = 0, keywords = 0;
  for (size_t i = 0; i < schema.parameters.size(); ++i) {
    const Parameter& p = schema.parameters[i];
    const Value* value = nullptr;
    if (next < arguments.args.size() && !p.keyword_only) {
      value = &arguments.args[next++];
    } else if ((value = arguments.kwarg(p.name)) != nullptr) {
      ++keywords;
    }
    if (!value) {
      if (!p.has_default) return why ? fail(why, p.name + " is missing") : false;
      bound.stack[i] = p.default_value;
      continue;
    }
    std::string reason;
    if (!convert_for_packet(p, *value, numbers, bound.stack[i], why ? &reason : nullptr)) {
      return why ? fail(why, p.name + ": " + reason) : false;
    }
  }
  if (next < arguments.args.size()) {
    return why ? fail(why, "takes " + std::to_string(next) + " arguments by position, got " +
                               std::to_string(arguments.args.size()))
               : false;
  }
  if (keywords == arguments.kwargs.size()) return true;
  for (const auto& [name, value] : arguments.kwargs) {
    const auto named = [&, &name = name](const Parameter& p) { return p.name == name; };
    const auto place = std::find_if(schema.parameters.begin(), schema.parameters.end(), named);
    if (place == schema.parameters.end()) return fail(why, "no argument of the name " + name);
  }
  return fail(why, "an argument is given by position and by keyword");
}

bool modernise(std::string_view name, const Arguments& arguments, Arguments& modern) {
  if (name.ends_with('_')) name.remove_suffix(1);
  const auto& args = arguments.args;
  const auto move_out = [&](size_t place, const char* keyword) {
    modern = arguments;
    modern.args.erase(modern.args.begin() + static_cast<std::ptrdiff_t>(place));
    modern.kwargs.emplace_back(keyword, args[place]);
    return true;
  };
  if (name == "add" || name == "sub") return args.size() == 3 && is_numeric(args[1]) && move_out(1, "alpha");
  if (name == "addcmul" || name == "addcdiv") return args.size() == 4 && is_numeric(args[1]) && move_out(1, "value");
  for (const std::string_view known : {"addmm", "addbmm", "baddbmm", "addmv", "addr", "sspaddmm"}) {
    if (name != known) continue;
    Arguments result{{}, arguments.kwargs};
    const char* keywords[] = {"beta", "alpha"};
    size_t numbers = 0;
    for (const Value& v : args) {
      if (!is_numeric(v)) {
        result.args.push_back(v);
      } else if (numbers == 2) {
        return false;
      } else {
        result.kwargs.emplace_back(keywords[numbers++], v);
      }
    }
    if (numbers == 0 || result.args.size() != 3) return false;
    modern = std::move(result);
    return true;
  }
  return false;
}

}  // namespace msprobe::ops
