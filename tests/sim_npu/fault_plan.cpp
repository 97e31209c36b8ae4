#include "fault_plan.h"

#include <c10/util/Exception.h>
#include <fnmatch.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <map>

namespace sim_npu {
namespace {

constexpr const char* kVariable = "MSPROBE_SIM_NPU_FAULTS";

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> all = {
      {"relative_error", Kind::kRelativeError},
      {"ulp_error", Kind::kUlpError},
      {"zero", Kind::kZero},
      {"swap_rows", Kind::kSwapRows},
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
      else if (key == "stand_ins")
        plan.stand_ins = get<std::string>(entry.second, key);
      else if (key == "faults")
        for (const auto& item : entry.second) plan.faults.push_back(fault(item, plan.faults.size()));
      else
        refuse(entry.first, "unknown key \"" + key + "\", expected seed, delay, log, stand_ins or faults");
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
      if (!read_when(key, entry.second, f) && !read_what(key, entry.second, f))
        refuse(entry.first, "unknown key \"" + key + "\" of a fault");
    }
    if (f.pattern.empty()) refuse(node, "a fault names its operator");
    const auto kind = kinds().find(f.kind_name);
    if (kind == kinds().end()) refuse(node, "unknown kind \"" + f.kind_name + "\"");
    f.kind = kind->second;
    if (node["region"] && node["elements"]) refuse(node, "a fault has a region or a number of elements");
    if (f.strikes_copies() && node["phase"]) refuse(node, "copies to the CPU belong to no phase");
    const bool of_all = f.kind == Kind::kRelativeError || f.kind == Kind::kUlpError || f.kind == Kind::kZero;
    if (of_all && !node["elements"]) f.elements = 0;
    if (f.kind == Kind::kUlpError && !node["size"]) f.size = 1;
    if (f.message.empty()) f.message = "simulated fault of " + f.pattern;
    return f;
  }

  /// Which calls a fault strikes; false: `key` says something else.
  bool read_when(const std::string& key, const YAML::Node& value, Fault& f) const {
    if (key == "operator")
      f.pattern = get<std::string>(value, key);
    else if (key == "phase")
      f.phase = one_of<Phase>(value, key,
                              {{"any", Phase::kAny}, {"forward", Phase::kForward}, {"backward", Phase::kBackward}});
    else if (key == "device")
      f.device = get<int>(value, key);
    else if (key == "call")
      f.calls = value.IsSequence() ? get<std::vector<uint64_t>>(value, key) : std::vector{get<uint64_t>(value, key)};
    else if (key == "chance")
      f.chance = get<double>(value, key);
    else if (key == "output")
      f.output = get<int>(value, key);
    else
      return false;
    return true;
  }

  /// What it does to them.
  bool read_what(const std::string& key, const YAML::Node& value, Fault& f) const {
    if (key == "kind")
      f.kind_name = get<std::string>(value, key);
    else if (key == "region")
      f.region = one_of<Region>(value, key,
                                {{"tail", Region::kTail},
                                 {"columns", Region::kColumns},
                                 {"block", Region::kBlock},
                                 {"corner", Region::kCorner}});
    else if (key == "elements")
      f.elements = value.Scalar() == "all" ? 0 : get<int64_t>(value, key);
    else if (key == "size")
      f.size = get<double>(value, key);
    else if (key == "bit")
      f.bit = get<int>(value, key);
    else if (key == "message")
      f.message = get<std::string>(value, key);
    else
      return false;
    return true;
  }

  template <class T>
  T one_of(const YAML::Node& node, const std::string& key, const std::map<std::string, T>& words) const {
    const std::string text = get<std::string>(node, key);
    if (const auto found = words.find(text); found != words.end()) return found->second;
    std::string expected;
    for (const auto& [word, value] : words) expected += (expected.empty() ? "" : ", ") + word;
    refuse(node, "unknown " + key + " \"" + text + "\", expected one of: " + expected);
  }

  std::string path_;
};

}  // namespace

const Plan& plan() {
  static const Plan read = [] {
    const char* path = std::getenv(kVariable);
    return path == nullptr || *path == '\0' ? Plan{} : PlanReader(path).read();
  }();
  return read;
}

uint64_t mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

bool Fault::strikes_copies() const {
  return pattern == kCopyToHost;
}

bool Fault::names(const c10::OperatorName& op) const {
  if (strikes_copies() || op.name == kCopyToHost) return pattern == op.name;
  const std::string base = op.name.substr(op.name.find("::") + 2);
  const std::string overload = op.overload_name.empty() ? "" : "." + op.overload_name;
  for (const std::string& name : {op.name + overload, op.name, base + overload, base})
    if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  return false;
}

}  // namespace sim_npu
