// A run of APIs that exist only here: the real worker pool and the real result files, with checks that cost next to
// nothing, or crash, hang, or fill memory. Free of LibTorch, so that it can be started and killed hundreds of times.
//
//   fake_run OUT_DIR|RESULT_CSV [key=value ...]
//     count=200      APIs                        workers=1      processes
//     micros=1000    what an API takes           timeout=600    seconds
//     misbehave=LIST names of acts, one of which every tenth API performs in turn (none: no API misbehaves)
//     once=1         an API that has begun before, as `log` tells, does not misbehave again
//     every=10       which API misbehaves: each whose number modulo `every` is 3
//     log=FILE       gets a line for each API begun: its number
//     shuffle=1      durations differ from API to API, so that they finish out of order
//     pids=FILE      gets a line for each worker: its process id
// Exit codes as msprobe's.
#include <fcntl.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include "outcome/skipped.h"
#include "pool/pool.h"
#include "report/result_files.h"
#include "util/error.h"

extern "C" [[gnu::weak]] void arm_fault_shim();  // there when the shim is loaded

namespace {

using namespace msprobe;
using Clock = std::chrono::steady_clock;

std::map<std::string, std::string> options = {
    {"count", "200"}, {"workers", "1"}, {"micros", "1000"}, {"timeout", "600"}, {"misbehave", ""},
    {"every", "10"},  {"log", ""},      {"shuffle", "0"},   {"pids", ""},       {"once", "0"}};

long number(const char* key) {
  return std::strtol(options.at(key).c_str(), nullptr, 10);
}

void append_line(const std::string& path, long value) {
  if (path.empty()) return;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  const std::string line = std::to_string(value) + "\n";
  if (fd < 0 || ::write(fd, line.data(), line.size()) < 0) std::abort();
  ::close(fd);
}

void spin(double micros) {
  const auto end = Clock::now() + std::chrono::duration<double, std::micro>(micros);
  while (Clock::now() < end) {
  }
}

// `end` is never reached; the compiler cannot know.
[[gnu::noinline]] int overflow_stack(int depth, int end) {
  volatile char space[4096];
  space[depth % 4096] = 1;
  return depth == end ? 0 : overflow_stack(depth + 1, end) + space[0];
}

// The acts of a bad API. Returning means that it went well after all.
void act(const std::string& name) {
  for (int number : {SIGSEGV, SIGFPE, SIGABRT, SIGBUS}) signal(number, SIG_DFL);  // a sanitizer would exit instead
  volatile int zero = 0;
  if (name == "segv") {
    volatile int* nowhere = nullptr;
    *nowhere = 1;
  } else if (name == "abort") {
    std::abort();
  } else if (name == "fpe") {
    volatile int result = 7 / zero;
    (void)result;
  } else if (name == "stack") {
    overflow_stack(0, zero - 1);
  } else if (name == "terminate") {
    std::terminate();
  } else if (name == "exit0") {
    std::exit(0);
  } else if (name == "exit3") {
    ::_exit(3);
  } else if (name == "closeall") {
    for (int fd = 0; fd < 4096; ++fd) ::close(fd);
  } else if (name == "stdout") {
    for (int i = 0; i < 1000; ++i) std::cout << "mp\x01\x03 garbage on the standard output\n" << std::flush;
    std::cerr << "and on the standard error\n";
  } else if (name == "heap") {
    char* volatile block = static_cast<char*>(std::malloc(64));
    for (int k = -16; k < 80; ++k) *static_cast<volatile char*>(block + k) = 0x5A;  // sizes of this chunk and the next
    std::free(block);
  } else if (name == "hang") {
    for (;;) spin(1000);
  } else if (name == "sleep") {
    signal(SIGTERM, SIG_IGN);
    for (;;) ::pause();
  } else if (name == "huge") {
    std::string all(size_t{1} << 50, 'x');
  } else if (name == "fill") {  // under a limit of its own, not this machine's
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = size_t{1} << 30;
    ::setrlimit(RLIMIT_AS, &limit);
    std::vector<std::unique_ptr<std::string>> all;
    for (;;) all.push_back(std::make_unique<std::string>(size_t{16} << 20, 'x'));
  } else if (name == "throw") {
    throw std::runtime_error("size mismatch");
  } else {
    std::fprintf(stderr, "no act %s\n", name.c_str());
    std::abort();
  }
}

std::vector<std::string> acts() {
  std::vector<std::string> names;
  std::istringstream list(options["misbehave"]);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  return names;
}

std::string name_of(size_t i) {
  static const char* const kinds[] = {"Torch.mul", "Tensor.__add__", "Functional.linear", "NPU.npu_swiglu",
                                      "Torch.sum"};
  return std::string(kinds[i % 5]) + "." + std::to_string(i / 5);
}

outcome::ApiOutcome outcome_of(size_t i) {
  outcome::ApiOutcome outcome;
  outcome.api = name_of(i);
  outcome.forward = i % 11 == 5 ? outcome::Status::kError : outcome::Status::kPass;
  outcome.backward = i % 3 == 0 ? outcome::Status::kPass : outcome::Status::kBlank;
  outcome.message = i % 7 == 0 ? "recorded: identical, \"bit for bit\" 位" : "";
  auto add = [&](const char* direction, int output, outcome::Status status) {
    outcome::Row row;
    row.name = outcome.api + direction + std::to_string(output);
    row.bench_dtype = "torch.float64";
    row.device_dtype = "torch.float16";
    row.shape = "(" + std::to_string(i) + ", 16)";
    for (int f = 0; f < outcome::kFigureCount; ++f) row.figures[f] = 1.0 / (1 + f + static_cast<double>(i));
    row.status = status;
    outcome.rows.push_back(row);
  };
  for (size_t k = 0; k <= i % 3; ++k) add(".forward.output.", static_cast<int>(k), outcome.forward);
  if (i % 3 == 0) add(".backward.output.", 0, outcome::Status::kPass);
  return outcome;
}

bool begun_before(size_t i) {
  std::ifstream log(options["log"]);
  int times = 0;
  for (size_t begun; log >> begun;) times += begun == i;
  return times > 1;
}

constexpr double kRebuilding = 0.25;  // share of an API's time, about that of a real one

void spend(size_t i, double share) {
  double micros = share * static_cast<double>(number("micros"));
  if (number("shuffle") != 0) micros *= static_cast<double>(1 + (i * 7919) % 10);
  if (number("micros") >= 1000)
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(micros));
  else
    spin(micros);
}

outcome::ApiOutcome check(size_t i, const std::vector<std::string>& bad) {
  append_line(options["log"], static_cast<long>(i));
  spend(i, 1 - kRebuilding);
  const auto every = static_cast<size_t>(number("every"));
  if (!bad.empty() && i % every == 3 % every && !(number("once") != 0 && begun_before(i)))
    act(bad[i / every % bad.size()]);
  return outcome_of(i);
}

pool::PoolOptions pool_options(size_t count, size_t first, const std::vector<std::string>& bad) {
  pool::PoolOptions pool;
  for (long w = 0; w < number("workers"); ++w) pool.places.push_back({0});
  pool.count = count - first;
  pool.open = [=](const pool::Place&) {
    append_line(options["pids"], ::getpid());
    pool::Checker checker;
    checker.rebuild = [=](size_t job) { spend(first + job, kRebuilding); };
    checker.check = [=](size_t job) { return check(first + job, bad); };
    return checker;
  };
  pool.name = [=](size_t job) { return name_of(first + job); };
  pool.cost = [=](size_t job) { return static_cast<double>(number("micros") * (1 + (job * 7919) % 10)) * 1e-6; };
  pool.timeout = std::strtod(options["timeout"].c_str(), nullptr);
  return pool;
}

int check_all(const std::string& target) {
  const auto count = static_cast<size_t>(number("count"));
  const bool resume = target.size() > 4 && target.compare(target.size() - 4, 4, ".csv") == 0;
  auto files =
      resume ? report::ResultFiles::resume(target, 14) : report::ResultFiles::create(target, "20260102030405", 14);
  const size_t first = files.done().size();
  for (size_t i = 0; i < first; ++i)
    if (files.done()[i] != name_of(i)) throw Error(target, "row of " + files.done()[i] + ", expected " + name_of(i));

  auto pool = pool_options(count, first, acts());
  pool.in_child = [&] { files.close_in_child(); };
  pool.write = [&](const outcome::ApiOutcome& outcome) { return files.append(outcome), true; };
  auto result = pool::run_pool(pool);
  try {
    if (result.end == pool::RunEnd::kFinished) files.sync();
  } catch (const Error& e) {
    result = {pool::RunEnd::kCouldNotFinish, e.what(), 0, 0};
  }
  if (!result.error.empty()) std::cerr << "fake_run: " << result.error << std::endl;
  if (result.end == pool::RunEnd::kInterrupted) std::cerr << "fake_run: interrupted" << std::endl;
  return result.end == pool::RunEnd::kFinished ? 0 : result.end == pool::RunEnd::kCouldNotFinish ? 3 : 130;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw Error("", "usage: fake_run OUT_DIR|RESULT_CSV [key=value ...]");
    spdlog::set_level(spdlog::level::off);
    for (int i = 2; i < argc; ++i) {
      const std::string option = argv[i];
      const size_t equals = option.find('=');
      if (equals == std::string::npos || options.count(option.substr(0, equals)) == 0)
        throw Error(option, "unknown option");
      options[option.substr(0, equals)] = option.substr(equals + 1);
    }
    if (arm_fault_shim != nullptr) arm_fault_shim();
    return check_all(argv[1]);
  } catch (const Error& e) {
    std::cerr << "fake_run: " << e.what() << std::endl;
    return 2;
  } catch (const std::bad_alloc&) {
    std::fputs("fake_run: out of memory\n", stderr);
    return 3;
  }
}
