#include "device/device.h"

#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "device/backends.h"
#include "device/child.h"
#include "util/error.h"

namespace msprobe::device {
namespace {

namespace fs = std::filesystem;

// Answers for a type whose cards are not opened.
class Planned : public Device {
 public:
  explicit Planned(std::string type) : type_(std::move(type)) {}
  std::string type() const override { return type_; }
  at::Device at_device() const override { return at::Device(at::kCPU); }
  void synchronize() override {}
  void empty_cache() override {}
  void seed(uint64_t) override {}
  at::DeviceType autocast_type() const override { return at::kCPU; }
  std::vector<std::string> describe() const override { return {type_ + ", not opened"}; }

 private:
  std::string type_;
};

// A type of device: whether there are cards of it, and why not.
struct Survey {
  int count = 0;
  std::string note;              // where it was found
  std::optional<Error> trouble;  // it is here and cannot be used, or was named and is not there
};

int count_in_child(const std::string& where, int (*count)(), const std::optional<TorchNpu>& library = {}) {
  const std::string answer = in_child(where, [&] {
    if (library) check_torch_npu(*library);
    return std::to_string(count());
  });
  int number = 0;
  std::from_chars(answer.data(), answer.data() + answer.size(), number);
  return number;
}

// The driver makes one for every card that this machine, or this container, has.
bool has_npu_nodes() {
  std::error_code error;
  for (fs::directory_iterator it("/dev", error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().rfind("davinci", 0) == 0) return true;
  return false;
}

Survey survey_npu(const Options& options) {
  Survey survey;
  try {
    const auto found = find_torch_npu(options);
    if (!found) {
      survey.note = "no torch_npu: not named by --torch_npu or MSPROBE_TORCH_NPU, not in the active Python";
      return survey;
    }
    survey.note = found->library + (found->version.empty() ? "" : ", torch_npu " + found->version);
    survey.count = count_in_child(found->library, count_npu, found);
    if (survey.count == 0) {
      survey.trouble.emplace(found->library, "loads, but sees no NPU",
                             "look at `npu-smi info`, ASCEND_RT_VISIBLE_DEVICES, and in a container at /dev/davinci*");
    }
  } catch (const Error& e) {
    survey.trouble = e;
  }
  return survey;
}

Survey survey_cuda() {
  Survey survey;
  if (!libtorch_has_cuda()) {
    survey.note = "LibTorch " TORCH_VERSION " without CUDA";
    return survey;
  }
  try {
    survey.count = count_in_child("cuda", count_cuda);
    survey.note = survey.count > 0 ? "LibTorch " TORCH_VERSION : "LibTorch " TORCH_VERSION " has CUDA, but sees no GPU";
  } catch (const Error& e) {
    survey.trouble = e;
  }
  return survey;
}

// Whether the user pointed at an NPU's library.
bool npu_named(const Options& options) {
  const char* variable = std::getenv("MSPROBE_TORCH_NPU");
  return !options.torch_npu.empty() || (variable != nullptr && *variable != '\0');
}

std::string ids(int count) {
  return count == 1 ? "only 0" : fmt::format("0 to {}", count - 1);
}

void check_ids(const Options& options, const Choice& choice) {
  for (int id : options.devices) {
    if (id < choice.count) continue;
    throw Error(fmt::format("-d {}", id),
                fmt::format("there {} {} {}", choice.count == 1 ? "is" : "are", choice.count, choice.type),
                fmt::format("choose {}{}", ids(choice.count),
                            choice.type == "npu"    ? "; ASCEND_RT_VISIBLE_DEVICES limits and renumbers them"
                            : choice.type == "cuda" ? "; CUDA_VISIBLE_DEVICES limits and renumbers them"
                                                    : ""));
  }
}

// Command lines are written for NPUs and run on machines without one; a CPU has no cards to choose from.
void remark_ids(const Options& options, Choice& choice) {
  if (options.devices.size() > 1)
    choice.remarks.push_back(
        fmt::format("-d {}: there is one CPU; its workers share it", fmt::join(options.devices, " ")));
  else if (!options.devices.empty() && options.devices[0] != 0)
    choice.remarks.push_back(fmt::format("-d {}: has no meaning on the CPU", options.devices[0]));
}

[[noreturn]] void throw_absent(const std::string& type, const Survey& survey) {
  if (survey.trouble) throw *survey.trouble;
  throw Error("--device_type " + type, "there is none: " + survey.note,
              type == "npu"
                  ? "activate the Python environment that torch_npu is installed in, or name it with --torch_npu "
                    "PATH; --device_type cpu checks without an NPU"
                  : "build msprobe with a CUDA LibTorch on a machine with a GPU, or take --device_type cpu");
}

Choice choose_type(const Options& options) {
  if (options.type == "cpu") {
    if (!options.torch_npu.empty()) find_torch_npu(options);  // a path that is not there is never silently ignored
    return {"cpu", 1, {}, {}};
  }
  std::vector<std::string> warnings;
  if (options.type == "npu" || (options.type.empty() && (npu_named(options) || has_npu_nodes()))) {
    const Survey npu = survey_npu(options);
    if (npu.count > 0) return {"npu", npu.count, {}, {}};
    if (options.type == "npu" || npu_named(options)) throw_absent("npu", npu);
    warnings.push_back(
        fmt::format("this machine has NPUs that cannot be used: {}", npu.trouble ? npu.trouble->what() : npu.note));
  }
  if (options.type == "cuda" || libtorch_has_cuda()) {
    const Survey cuda = survey_cuda();
    if (cuda.count > 0) return {"cuda", cuda.count, {}, std::move(warnings)};
    if (options.type == "cuda") throw_absent("cuda", cuda);
    if (cuda.trouble) warnings.push_back(fmt::format("GPUs cannot be used: {}", cuda.trouble->what()));
  }
  if (!options.type.empty()) {
    throw Error("--device_type " + options.type, "no such type of device, expected npu, cuda or cpu");
  }
  return {"cpu", 1, {}, std::move(warnings)};
}

}  // namespace

std::vector<Found> detect(const Options& options) {
  std::vector<Found> found;
  const Survey npu = survey_npu(options), cuda = survey_cuda();
  for (const auto& [type, survey] : {std::pair("npu", &npu), std::pair("cuda", &cuda)})
    found.push_back({type, survey->count, survey->trouble ? survey->trouble->what() : survey->note});
  found.push_back({"cpu", 1, "built in"});
  return found;
}

Choice choose(const Options& options) {
  Choice choice = choose_type(options);
  if (choice.type == "cpu")
    remark_ids(options, choice);
  else
    check_ids(options, choice);
  if (options.jit_compile && choice.type != "npu")
    choice.remarks.push_back(fmt::format("-j: has no effect on {}, it is for an NPU's operators", choice.type));
  return choice;
}

bool load_operators(const Options& options) {
  if (options.type == "cpu" || options.type == "cuda") return false;
  if (options.type.empty() && !npu_named(options)) return false;
  const auto found = find_torch_npu(options);
  if (!found) throw_absent("npu", survey_npu(options));
  load_torch_npu(*found);
  return true;
}

std::unique_ptr<Device> planned(const Options& options) {
  if (load_operators(options)) return std::make_unique<Planned>("npu");
  return options.type == "cuda" ? std::make_unique<Planned>("cuda") : std::make_unique<Planned>("cpu");
}

std::unique_ptr<Device> open(const Options& options, int index) {
  const std::string type = options.type.empty() ? choose_type(options).type : options.type;
  if (type == "cpu") return open_cpu();
  if (type == "cuda") {
    if (!libtorch_has_cuda()) throw_absent(type, survey_cuda());
    return open_cuda(index);
  }
  if (type != "npu") throw Error("--device_type " + type, "no such type of device, expected npu, cuda or cpu");
  const auto found = find_torch_npu(options);
  if (!found) throw_absent(type, Survey{0, "no torch_npu was found", {}});
  return open_npu(*found, index, options.jit_compile);
}

}  // namespace msprobe::device
