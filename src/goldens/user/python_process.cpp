#include "goldens/user/python_process.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <fcntl.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "config/settings.h"
#include "goldens/user/tensor_block.h"
#include "util/search_path.h"

namespace msprobe::goldens {
namespace {

using inputs::Value;
using nlohmann::json;

constexpr int kProtocol = 1;  // of golden_server.py
constexpr int kChannel = 3;   // descriptor of the socket over there
constexpr uint64_t kLongestAnswer = uint64_t{1} << 32;
constexpr int kStartSeconds = 50;  // less than a worker has for its start
constexpr const char* kNeedsPython = "goldens in Python need a Python with torch";

// Only what may be called between fork and exec of a process that has threads.
[[noreturn]] void become_python(int channel, int output, pid_t parent, char* const* arguments,
                                char* const* environment) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  const int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(output >= 0 ? output : null, STDOUT_FILENO);
  if (output >= 0) dup2(output, STDERR_FILENO);
  if (channel == kChannel)
    fcntl(channel, F_SETFD, 0);
  else
    dup2(channel, kChannel);
#ifdef SYS_close_range
  syscall(SYS_close_range, kChannel + 1, ~0U, 0);
#endif
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) signal(s, SIG_DFL);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

bool send_all(int socket, const void* data, size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = send(socket, at, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

// Eight bytes of length, with which the descriptor goes, then the text.
bool send_message(int socket, const std::string& text, int descriptor) {
  const uint64_t length = text.size();
  iovec part{const_cast<uint64_t*>(&length), sizeof length};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(c), &descriptor, sizeof descriptor);
  }
  ssize_t n;
  do {
    n = sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return false;
  return send_all(socket, reinterpret_cast<const char*>(&length) + n, sizeof length - static_cast<size_t>(n)) &&
         send_all(socket, text.data(), text.size());
}

// False at the end of the other side.
bool receive_message(int socket, std::string& text, int& descriptor) {
  descriptor = -1;
  uint64_t length = 0;
  size_t have = 0;
  while (have < sizeof length) {
    iovec part{reinterpret_cast<char*>(&length) + have, sizeof length - have};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c))
      if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        std::memcpy(&descriptor, CMSG_DATA(c), sizeof(int));
    have += static_cast<size_t>(n);
  }
  if (length > kLongestAnswer) return false;
  text.resize(length);
  for (size_t done = 0; done < length;) {
    const ssize_t n = recv(socket, text.data() + done, length - done, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

// 0: without end.
void limit_wait(int socket, int seconds) {
  const timeval limit{seconds, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

// The end of what it printed.
std::string last_words(int output) {
  constexpr off_t kMost = 2000;
  struct stat info {};
  if (output < 0 || fstat(output, &info) != 0) return "";
  std::string text(static_cast<size_t>(std::min<off_t>(info.st_size, kMost)), '\0');
  const ssize_t n = pread(output, text.data(), text.size(), std::max<off_t>(0, info.st_size - kMost));
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string last_line(int output) {
  const std::string text = last_words(output);
  return text.substr(text.rfind('\n') + 1);
}

// Whether it ends by itself: what closed its socket may still be on its way out.
bool ended_by_itself(pid_t pid, int& status) {
  constexpr int kPolls = 100;
  constexpr useconds_t kPause = 10'000;
  for (int i = 0; i < kPolls; ++i) {
    const pid_t got = waitpid(pid, &status, WNOHANG);
    if (got == pid) return true;
    if (got < 0 && errno != EINTR) return false;
    usleep(kPause);
  }
  return false;
}

}  // namespace

std::string find_python() {
  if (const char* named = std::getenv("MSPROBE_PYTHON"); named != nullptr && *named != '\0') {
    // A bare name is looked for where a shell would, not in the current folder.
    const std::string python = std::strchr(named, '/') != nullptr ? named : util::program_in_path(named);
    if (util::is_program(python)) return python;
    throw std::runtime_error(std::string(kNeedsPython) + ": MSPROBE_PYTHON names " + named + ", which is no program");
  }
  if (const std::string python = util::program_in_path("python3"); !python.empty()) return python;
  throw std::runtime_error(std::string(kNeedsPython) +
                           ", and no python3 is on PATH; install one, or name it in MSPROBE_PYTHON");
}

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

std::string PythonProcess::how_it_ended() {
  int status = 0;
  std::string how = "ended";
  const std::string words = last_line(output_);
  if (pid_ > 0) {
    if (!ended_by_itself(pid_, status)) {
      how = "closed its connection";  // and is ended by stop()
    } else {
      pid_ = -1;
      if (WIFSIGNALED(status))
        how = std::string("was ended by a signal: ") + strsignal(WTERMSIG(status));
      else if (WEXITSTATUS(status) == 127)
        how = "could not be started";
      else
        how = "ended with status " + std::to_string(WEXITSTATUS(status));
    }
  }
  stop();
  return how + (words.empty() ? "" : "; its last words: " + words);
}

void PythonProcess::died() {
  throw std::runtime_error("the process of the Python goldens " + how_it_ended());
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

void PythonProcess::start() {
  leave_to_parent();
  if (pid_ > 0) return;
  if (!missing_.empty()) throw NoPython(missing_);
  std::string python, script;
  try {
    python = find_python();
    script = config::installed_config("golden_server.py");
  } catch (const std::exception& e) {
    missing_ = e.what();
    throw NoPython(missing_);
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error(std::string("no socket for a Python golden: ") + std::strerror(errno));
  output_ = memfd_create("msprobe-python", MFD_CLOEXEC);
  if (output_ >= 0) fcntl(output_, F_SETFL, O_APPEND);
  // -u: last words are not lost in a buffer; -B: no __pycache__ in users' folders.
  const std::vector<std::string> command{python, "-u", "-B", script}, environment = util::python_environment();
  const std::vector<char*> arguments = util::pointers_to(command), variables = util::pointers_to(environment);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become_python(ends[1], output_, parent, arguments.data(), variables.data());
  const int error = errno;
  close(ends[1]);
  socket_ = ends[0];
  ++generation_;
  if (pid_ < 0) {
    stop();
    throw std::runtime_error(std::string("no process for a Python golden: ") + std::strerror(error));
  }
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
    missing_ = std::string(kNeedsPython) + ", and " + python + " is no Python: it " + how_it_ended() +
               "; name another one in MSPROBE_PYTHON";
    throw NoPython(missing_);
  }
  limit_wait(socket_, 0);
  const json hello = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!hello.is_object() || hello.value("protocol", 0) != kProtocol) {
    stop();
    throw std::runtime_error(script + " speaks another protocol than this program: install msprobe completely");
  }
  if (hello.contains("error")) {
    stop();
    missing_ = std::string(kNeedsPython) + ", and " + python + " has none: " + hello["error"].get<std::string>() +
               "; install torch for it, or name another one in MSPROBE_PYTHON";
    throw NoPython(missing_);
  }
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
