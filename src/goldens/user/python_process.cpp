#include "goldens/user/python_process.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "config/settings.h"
#include "goldens/user/python_channel.h"
#include "goldens/user/python_host.h"
#include "goldens/user/tensor_block.h"

namespace msprobe::goldens {
namespace {

using inputs::Value;
using nlohmann::json;

constexpr int kProtocol = 1;       // of golden_server.py
constexpr int kStartSeconds = 50;  // less than a worker has for its start

}  // namespace

PythonProcess::~PythonProcess() {
  stop();
}

bool PythonProcess::serves() const {
  return pid_ > 0 && owner_ == getpid();
}

// What a fork copied is not ours to end.
void PythonProcess::leave_to_parent() {
  if (owner_ == getpid()) return;
  owner_ = getpid();
  pid_ = -1;
  stop();
}

void PythonProcess::stop() {
  leave_to_parent();
  if (socket_ >= 0) close(socket_);
  if (output_ >= 0) close(output_);
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  socket_ = output_ = -1;
  pid_ = -1;
  missing_.clear();
}

std::string PythonProcess::end() {
  std::string how = how_it_ended(pid_, output_);
  stop();  // of what lives on without its connection
  return how;
}

void PythonProcess::died() {
  throw std::runtime_error("the process of the Python goldens " + end());
}

// What goldens print is for the log alone, and is not kept.
void PythonProcess::take_output() {
  struct stat info {};
  if (output_ < 0 || fstat(output_, &info) != 0 || info.st_size == 0) return;
  if (spdlog::should_log(spdlog::level::debug)) spdlog::debug("a golden printed: {}", last_words(output_));
  if (ftruncate(output_, 0) != 0) spdlog::debug("what goldens print cannot be taken away: {}", std::strerror(errno));
}

void PythonProcess::start_ahead() {
  try {
    start();
  } catch (const std::exception& e) {
    spdlog::debug("{}", e.what());
  }
}

void PythonProcess::is_missing(const std::string& why) {
  stop();
  missing_ = why;
  throw NoPython(missing_);
}

void PythonProcess::start() {
  leave_to_parent();
  if (pid_ > 0) return;
  if (!missing_.empty()) throw NoPython(missing_);
  std::string python, script;
  try {
    python = find_python();
    script = config::installed_config("golden_server.py");
  } catch (const std::exception& e) {
    is_missing(e.what());
  }
  const Child child = start_python(python, script);
  pid_ = child.pid;
  socket_ = child.socket;
  output_ = child.output;
  ++generation_;
  greet(python, script);
}

// Waits for its first message, which tells whether it has torch.
void PythonProcess::greet(const std::string& python, const std::string& script) {
  std::string text;
  int descriptor = -1;
  limit_wait(socket_, kStartSeconds);
  errno = 0;
  if (!receive_message(socket_, text, descriptor)) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      stop();
      throw std::runtime_error(std::string(kNeedsPython) + ", and " + python + " did not import it within " +
                               std::to_string(kStartSeconds) + " s");
    }
    is_missing(std::string(kNeedsPython) + ", and " + python + " is no Python: it " + end() +
               "; name another one in MSPROBE_PYTHON");
  }
  limit_wait(socket_, 0);
  const json hello = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!hello.is_object() || hello.value("protocol", 0) != kProtocol) {
    stop();
    throw std::runtime_error(script + " speaks another protocol than this program: install msprobe completely");
  }
  if (hello.contains("error"))
    is_missing(std::string(kNeedsPython) + ", and " + python + " has none: " + hello["error"].get<std::string>() +
               "; install torch for it, or name another one in MSPROBE_PYTHON");
  spdlog::debug("goldens in Python run by {} {} with torch {}", python, hello.value("python", "?"),
                hello.value("torch", "?"));
}

Value PythonProcess::request(const std::string& head, TensorBlock& block) {
  int descriptor = block.write();
  const bool sent = send_message(socket_, head, descriptor);
  if (descriptor >= 0) close(descriptor);
  std::string text;
  descriptor = -1;
  if (!sent || !receive_message(socket_, text, descriptor)) {
    if (descriptor >= 0) close(descriptor);
    died();
  }
  take_output();
  const json answer = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (answer.is_object() && answer.contains("value")) return decode_answer(answer["value"], descriptor);
  if (descriptor >= 0) close(descriptor);
  if (answer.is_object() && answer.contains("error")) throw std::runtime_error(answer["error"].get<std::string>());
  died();
}

Value PythonProcess::forward(const Call& call, const inputs::Arguments& arguments, uint64_t& kept) {
  start();
  TensorBlock block;
  json args = json::array(), kwargs = json::array();
  for (const Value& v : arguments.args) args.push_back(block.encode(v));
  for (const auto& [name, v] : arguments.kwargs) kwargs.push_back(json::array({name, block.encode(v)}));
  kept = generation_ << 32 | next_;
  json head = {{"do", "forward"},
               {"file", call.file},
               {"function", call.function},
               {"args", std::move(args)},
               {"kwargs", std::move(kwargs)},
               {"seed", at::detail::getDefaultCPUGenerator().current_seed()},
               {"threads", at::get_num_threads()},
               {"keep", call.keep ? json(next_) : json()},
               {"backward", call.backward.empty() ? json() : json(call.backward)}};
  if (call.keep) ++next_;
  return request(head.dump(-1, ' ', false, json::error_handler_t::replace), block);
}

Value PythonProcess::backward(uint64_t kept, const std::vector<at::Tensor>& gradients) {
  if (!serves() || kept >> 32 != generation_)
    throw std::runtime_error("the process of the Python goldens was started anew, which lost the forward call");
  TensorBlock block;
  json list = json::array();
  for (const auto& g : gradients) list.push_back(block.encode(Value(g)));
  return request(json{{"do", "backward"}, {"keep", kept & 0xffffffff}, {"gradients", std::move(list)}}.dump(), block);
}

void PythonProcess::drop(uint64_t kept) {
  if (!serves() || kept >> 32 != generation_) return;
  try {
    TensorBlock block;
    request(json{{"do", "drop"}, {"keep", kept & 0xffffffff}}.dump(), block);
  } catch (const std::exception&) {  // it is gone, and with it the call
  }
}

}  // namespace msprobe::goldens
