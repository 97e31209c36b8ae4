#include "run/worker.h"

#include <ATen/Parallel.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "check/error_text.h"
#include "check/execute.h"
#include "device/device.h"
#include "run/room_options.h"

namespace msprobe::run {
namespace {

// What a worker holds while it lives.
struct Equipment {
  std::unique_ptr<device::Device> device;
  std::unique_ptr<check::Session> session;
  std::unique_ptr<check::Check> check;  // of the job at hand
};

std::shared_ptr<Equipment> equip(const Work& work, const pool::Place& place) {
  at::set_num_threads(1);
  auto held = std::make_shared<Equipment>();
  held->device = device::open(device_options(work.settings), place.device);
  held->session.reset(new check::Session{check_options(work.settings, work.standards, work.error_data_dir),
                                         work.standards, work.index, work.goldens, *held->device, place.stage});
  std::vector<std::string_view> apis;
  for (size_t i : work.todo) apis.push_back(work.index.entries()[i].api);
  work.goldens.start_python_for(apis);
  return held;
}

bool healthy(device::Device& device) {
  try {
    device.synchronize();
    return true;
  } catch (...) {
    spdlog::warn("device lost: {}", check::describe_error(std::current_exception()).text);
    return false;
  }
}

}  // namespace

pool::Checker open_checker(const Work& work, Threads& threads, const pool::Place& place) {
  const std::shared_ptr<Equipment> held = equip(work, place);
  pool::Checker checker;
  checker.description = held->device->describe();
  checker.prepare = [&threads](std::optional<size_t> job) { threads.prepare(job); };
  checker.rebuild = [held, &todo = work.todo, &threads](size_t job) {
    threads.use(job);
    held->check = std::make_unique<check::Check>(*held->session, todo[job]);
  };
  checker.check = [held, &threads](size_t) {
    // Gone also after an exception, and its tensors with it: whether their files have changed is known then.
    std::unique_ptr<check::Check> check = std::move(held->check);
    outcome::ApiOutcome outcome = check->run();
    check.reset();
    threads.done();
    return outcome;
  };
  checker.healthy = [held] { return healthy(*held->device); };
  return checker;
}

}  // namespace msprobe::run
