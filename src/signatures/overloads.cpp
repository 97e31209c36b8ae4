#include "signatures/overloads.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace msprobe::signatures {
namespace {

// The dispatcher itself finds an overload only by its whole name. TorchScript's registry knows the overloads of a name,
// but its first question costs 15 ms in every process.
class Index : public c10::OpRegistrationListener {
 public:
  void onOperatorRegistered(const c10::OperatorHandle& op) override {
    const std::lock_guard lock(mutex_);
    by_name_[op.operator_name().name].push_back(op);
  }

  void onOperatorDeregistered(const c10::OperatorHandle& op) override {
    const std::lock_guard lock(mutex_);
    const auto found = by_name_.find(op.operator_name().name);
    if (found == by_name_.end()) return;
    std::erase_if(found->second, [&](const auto& o) { return o.operator_name() == op.operator_name(); });
  }

  std::vector<c10::OperatorHandle> overloads(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::vector<c10::OperatorHandle>() : found->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::vector<c10::OperatorHandle>> by_name_;
};

// Told of all operators that are there, then of each that comes and goes, as long as the process lives.
Index& index() {
  static Index* const all = [] {
    auto listener = std::make_unique<Index>();
    Index* const told = listener.get();
    new auto(c10::Dispatcher::singleton().addRegistrationListener(std::move(listener)));
    return told;
  }();
  return *all;
}

}  // namespace

std::vector<c10::OperatorHandle> overloads_of(std::string_view qualified_name) {
  return index().overloads(std::string(qualified_name));
}

}  // namespace msprobe::signatures
