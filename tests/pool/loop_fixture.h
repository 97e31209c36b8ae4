// The pool's loop on a fake system: a test says what workers do, and looks at rows, the log and what was begun.
#pragma once
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "pool/fake_system.h"
#include "pool/loop.h"

namespace msprobe::pool::test {

/// What tries of `job` come to, instead of passing. The last that fits counts.
struct Deed {
  uint32_t job;
  Act act;
  int number = 0;   ///< of the try; 0: each
  int device = -1;  ///< -1: any
};

inline Act die(int signal) {
  return {.kind = Act::Kind::kDie, .status = {true, signal}};
}
inline Act leave(outcome::Reason reason, std::string text) {
  return {.kind = Act::Kind::kLeave, .text = std::move(text), .reason = reason};
}

/// "crashed in a first try: ..."
inline std::string first_try(const std::string& what) {
  return "crashed in a first try: " + what + "; a second one, in another process, did not";
}

inline std::string name(size_t job) {
  return "Torch.mul." + std::to_string(job);
}

class LoopTest : public testing::Test {
 protected:
  void SetUp() override {
    logger_ = spdlog::default_logger();
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_st>(log_);
    sink->set_pattern("%l: %v");
    auto logger = std::make_shared<spdlog::logger>("", sink);
    logger->set_level(spdlog::level::debug);
    spdlog::set_default_logger(logger);
    start_again();
  }
  void TearDown() override { spdlog::set_default_logger(logger_); }

  /// A fresh system and no rows.
  void start_again() {
    system = std::make_unique<FakeSystem>();
    rows.clear();
    messages.clear();
    log_.str("");
    options = {};
    options.device_type = "npu";
    options.name = name;
    options.cost = [](size_t) { return 1e-4; };
    options.timeout = 5;
    options.open_timeout = 120;
    options.write = [this](const outcome::ApiOutcome& outcome) {
      rows.push_back(outcome.api);
      messages.push_back(outcome.message);
      return true;
    };
  }

  /// Jobs 0..count-1, by one worker on each of `devices`.
  PoolResult run(size_t count, const std::vector<int>& devices) {
    options.count = count;
    for (int device : devices) options.places.push_back({device});
    system->waits_for_rows = devices.size() == 1;
    const PoolResult result = run_loop(options, *system);
    EXPECT_EQ(system->alive(), 0u) << "processes that nobody has ended";
    return result;
  }

  void script(const std::vector<Deed>& deeds) {
    system->act = [deeds](const Try& t) {
      Act act;
      for (const auto& deed : deeds)
        if (deed.job == t.job && (deed.number == 0 || deed.number == t.number) &&
            (deed.device < 0 || deed.device == t.device))
          act = deed.act;
      return act;
    };
  }

  static std::vector<std::string> names(size_t count) {
    std::vector<std::string> all;
    for (size_t i = 0; i < count; ++i) all.push_back(name(i));
    return all;
  }
  /// Empty but for those named.
  static std::vector<std::string> messages_of(size_t count, const std::map<uint32_t, std::string>& named) {
    std::vector<std::string> all(count);
    for (const auto& [job, message] : named) all[job] = message;
    return all;
  }
  std::string log() const { return log_.str(); }

  std::unique_ptr<FakeSystem> system;
  PoolOptions options;
  std::vector<std::string> rows, messages;

 private:
  std::shared_ptr<spdlog::logger> logger_;
  std::ostringstream log_;
};

}  // namespace msprobe::pool::test
