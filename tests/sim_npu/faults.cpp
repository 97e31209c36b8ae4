#include "faults.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <torch/csrc/autograd/function.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "device.h"
#include "memory.h"

namespace sim_npu {

enum class Kind {
  kRelativeError,
  kBitFlip,
  kNan,
  kWrongShape,
  kError,
  kLateError,
  kOutOfMemory,
  kAbort,
  kSegfault,
  kHang
};

namespace {

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> all = {
      {"relative_error", Kind::kRelativeError},
      {"bit_flip", Kind::kBitFlip},
      {"nan", Kind::kNan},
      {"wrong_shape", Kind::kWrongShape},
      {"error", Kind::kError},
      {"late_error", Kind::kLateError},
      {"out_of_memory", Kind::kOutOfMemory},
      {"abort", Kind::kAbort},
      {"segfault", Kind::kSegfault},
      {"hang", Kind::kHang},
  };
  return all;
}

enum class Phase { kAny, kForward, kBackward };

}  // namespace

struct Fault {
  std::string pattern, kind_name;
  Kind kind = Kind::kNan;
  Phase phase = Phase::kAny;
  int device = -1;
  std::vector<uint64_t> calls;  // empty: every one
  double chance = 1;
  int output = -1;
  int64_t elements = 1;  // 0: all
  double size = 0.01;
  int bit = -1;
  std::string message;
  uint64_t salt = 0;  // tells the draws of one fault from another's
  std::unique_ptr<std::atomic<uint64_t>> counted = std::make_unique<std::atomic<uint64_t>>(0);

  bool changes_results() const { return kind <= Kind::kWrongShape; }
};

namespace {

constexpr const char* kVariable = "MSPROBE_SIM_NPU_FAULTS";

struct Plan {
  uint64_t seed = 0;
  double delay = 0;
  std::string log;
  std::vector<Fault> faults;
};

// Sebastiano Vigna's SplitMix64: one draw for one number.
uint64_t mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

class PlanReader {
 public:
  explicit PlanReader(std::string path) : path_(std::move(path)) {}

  Plan read() const {
    YAML::Node root;
    try {
      root = YAML::LoadFile(path_);
    } catch (const YAML::Exception& e) {
      TORCH_CHECK(false, path_, ": no fault file of the simulated NPU: ", e.what());
    }
    Plan plan;
    for (const auto& entry : root) {
      const std::string key = entry.first.as<std::string>();
      if (key == "seed")
        plan.seed = get<uint64_t>(entry.second, key);
      else if (key == "delay")
        plan.delay = get<double>(entry.second, key);
      else if (key == "log")
        plan.log = get<std::string>(entry.second, key);
      else if (key == "faults")
        for (const auto& item : entry.second) plan.faults.push_back(fault(item, plan.faults.size()));
      else
        refuse(entry.first, "unknown key \"" + key + "\", expected seed, delay, log or faults");
    }
    return plan;
  }

 private:
  [[noreturn]] void refuse(const YAML::Node& node, const std::string& what) const {
    TORCH_CHECK(false, path_, ":", node.Mark().line + 1, ": ", what);
    std::abort();  // not reached
  }

  template <class T>
  T get(const YAML::Node& node, const std::string& key) const {
    try {
      return node.as<T>();
    } catch (const YAML::Exception&) {
      refuse(node, key + " has a value of the wrong type");
    }
  }

  Fault fault(const YAML::Node& node, size_t index) const {
    Fault f;
    f.salt = mixed(index);
    if (!node.IsMap()) refuse(node, "a fault is a map with operator and kind");
    for (const auto& entry : node) {
      const std::string key = entry.first.as<std::string>();
      const YAML::Node& value = entry.second;
      if (key == "operator")
        f.pattern = get<std::string>(value, key);
      else if (key == "kind")
        f.kind_name = get<std::string>(value, key);
      else if (key == "phase")
        f.phase = phase(value);
      else if (key == "device")
        f.device = get<int>(value, key);
      else if (key == "call")
        f.calls = value.IsSequence() ? get<std::vector<uint64_t>>(value, key) : std::vector{get<uint64_t>(value, key)};
      else if (key == "chance")
        f.chance = get<double>(value, key);
      else if (key == "output")
        f.output = get<int>(value, key);
      else if (key == "elements")
        f.elements = value.Scalar() == "all" ? 0 : get<int64_t>(value, key);
      else if (key == "size")
        f.size = get<double>(value, key);
      else if (key == "bit")
        f.bit = get<int>(value, key);
      else if (key == "message")
        f.message = get<std::string>(value, key);
      else
        refuse(entry.first, "unknown key \"" + key + "\" of a fault");
    }
    if (f.pattern.empty()) refuse(node, "a fault names its operator");
    const auto kind = kinds().find(f.kind_name);
    if (kind == kinds().end()) refuse(node, "unknown kind \"" + f.kind_name + "\"");
    f.kind = kind->second;
    if (f.kind == Kind::kRelativeError && !node["elements"]) f.elements = 0;
    if (f.message.empty()) f.message = "simulated fault of " + f.pattern;
    return f;
  }

  Phase phase(const YAML::Node& node) const {
    const std::string text = get<std::string>(node, "phase");
    if (text == "any") return Phase::kAny;
    if (text == "forward") return Phase::kForward;
    if (text == "backward") return Phase::kBackward;
    refuse(node, "unknown phase \"" + text + "\", expected forward, backward or any");
  }

  std::string path_;
};

// Read when the first kernel runs, so that a bad file is an error of a call and not of loading the library.
const Plan& plan() {
  static const Plan read = [] {
    const char* path = std::getenv(kVariable);
    return path == nullptr || *path == '\0' ? Plan{} : PlanReader(path).read();
  }();
  return read;
}

bool names(const std::string& pattern, const c10::OperatorName& op) {
  const std::string base = op.name.substr(op.name.find("::") + 2);
  const std::string overload = op.overload_name.empty() ? "" : "." + op.overload_name;
  for (const std::string& name : {op.name + overload, op.name, base + overload, base})
    if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  return false;
}

bool in_backward() {
  return torch::autograd::get_current_node() != nullptr;
}

double chance_of(const Fault& f, uint64_t call) {
  return static_cast<double>(mixed(plan().seed ^ f.salt ^ mixed(call)) >> 11) * 0x1p-53;
}

// A line in one write, so that several processes may share the file.
void log(const std::string& line) {
  if (plan().log.empty()) return;
  const int file = ::open(plan().log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  TORCH_CHECK(file >= 0, plan().log, ": the log of the simulated NPU's faults cannot be written");
  [[maybe_unused]] const ssize_t written = ::write(file, line.data(), line.size());
  ::close(file);
}

// The element of that number, counted in the order of indices, whatever the strides.
at::Tensor element(at::Tensor t, int64_t number) {
  for (int64_t d = t.dim() - 1, left = number; d >= 0; --d) {
    const int64_t index = left % t.size(d);
    left /= t.size(d);
    t = t.select(d, index);
  }
  return t;
}

void flip(const at::Tensor& one, int bit) {
  const int bits = static_cast<int>(one.element_size()) * 8;
  if (bit < 0) bit = one.scalar_type() == at::kBool ? 0 : bits - 2;
  TORCH_CHECK(bit < bits, "simulated fault: bit ", bit, " of an element of ", bits, " bits");
  static_cast<uint8_t*>(one.data_ptr())[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
}

bool has_fractions(const at::Tensor& t) {
  return at::isFloatingType(t.scalar_type()) || at::isComplexType(t.scalar_type());
}

void change_values(const Fault& f, const at::Tensor& t) {
  switch (f.kind) {
    case Kind::kRelativeError:
      if (has_fractions(t)) t.mul_(1 + f.size);
      break;
    case Kind::kNan:
      if (has_fractions(t)) t.fill_(std::numeric_limits<double>::quiet_NaN());
      break;
    case Kind::kBitFlip:
      if (t.dim() == 0) flip(t, f.bit);
      break;
    default:
      break;
  }
}

at::Tensor without_last_row(const at::Tensor& t) {
  if (t.dim() > 0 && t.size(0) > 0) return t.narrow(0, 0, t.size(0) - 1).clone();
  return t.unsqueeze(0).clone();
}

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

}  // namespace

Launch::Launch(const c10::OperatorName& op, c10::DeviceIndex device) : name_(op.name), device_(device) {
  if (!op.overload_name.empty()) name_ += "." + op.overload_name;
  queue_work(device, plan().delay);
  for (const Fault& f : plan().faults) {
    if (f.device >= 0 && f.device != device) continue;
    if (!names(f.pattern, op)) continue;
    if (f.phase != Phase::kAny && (f.phase == Phase::kBackward) != in_backward()) continue;
    const uint64_t call = ++*f.counted;
    if (!f.calls.empty() && std::find(f.calls.begin(), f.calls.end(), call) == f.calls.end()) continue;
    if (f.chance < 1 && chance_of(f, call) >= f.chance) continue;
    log("npu:" + std::to_string(device) + " " + name_ + " call " + std::to_string(call) + " " + f.kind_name + "\n");
    hits_.push_back({&f, call});
  }
}

void Launch::start() const {
  for (const Hit& hit : hits_) {
    switch (hit.fault->kind) {
      case Kind::kError:
        TORCH_CHECK(false, hit.fault->message);
      case Kind::kLateError:
        report_later(device_, hit.fault->message);
        break;
      case Kind::kOutOfMemory:
        exhaust_memory(device_);
        throw_out_of_memory(device_, size_t{1} << 40);
      case Kind::kAbort:
        std::abort();
      case Kind::kSegfault:
        ::raise(SIGSEGV);
        break;
      case Kind::kHang:
        sleep_for_ever();
      default:
        break;
    }
  }
}

bool Launch::changes_results() const {
  return std::any_of(hits_.begin(), hits_.end(), [](const Hit& hit) { return hit.fault->changes_results(); });
}

bool Launch::changes(size_t output) const {
  return std::any_of(hits_.begin(), hits_.end(), [output](const Hit& hit) {
    return hit.fault->changes_results() && (hit.fault->output < 0 || static_cast<size_t>(hit.fault->output) == output);
  });
}

at::Tensor Launch::change(at::Tensor result, size_t output, bool is_argument) const {
  for (const Hit& hit : hits_) {
    const Fault& f = *hit.fault;
    if (!f.changes_results() || (f.output >= 0 && static_cast<size_t>(f.output) != output)) continue;
    if (f.kind == Kind::kWrongShape) {
      TORCH_CHECK(!is_argument, "simulated fault: ", name_, " returns its argument, whose shape cannot be wrong");
      result = without_last_row(result);
    } else if (f.elements == 0 && f.kind != Kind::kBitFlip) {
      change_values(f, result);
    } else {
      const int64_t n = result.numel(), wanted = f.elements == 0 ? n : std::min(f.elements, n);
      const uint64_t first = mixed(plan().seed ^ f.salt ^ mixed(hit.call ^ 0x5EED));
      for (int64_t k = 0; k < wanted; ++k)  // neighbours, so that none is hit twice
        change_values(
            f, element(result, static_cast<int64_t>((first % static_cast<uint64_t>(n) + static_cast<uint64_t>(k)) %
                                                    static_cast<uint64_t>(n))));
    }
  }
  return result;
}

}  // namespace sim_npu
