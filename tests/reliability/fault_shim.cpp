// Fails the n-th call of one function in the process that it is loaded into (not in forked children). By environment:
//   FAULT_CALL   open, write, fsync, ftruncate, mmap, malloc, fork, socketpair, flock
//   FAULT_AT     1 = the first call
//   FAULT_ERROR  errno by number; 0 with write: only half is written
//   FAULT_FOR    how many calls in a row fail (default 1; a full disk stays full)
//   FAULT_COUNT  file that gets "reached" when the n-th call was made
// open counts only files opened for writing. Nothing is counted before the program calls arm_fault_shim().
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

extern "C" void* __libc_malloc(size_t size);

namespace {

struct Plan {
  char call[16] = "";
  long at = 0, last = 0;
  int error = 0;
  pid_t process = 0;
  int reached = -1;
  bool ready = false;
};
Plan plan;
long seen = 0;

[[gnu::constructor]] void read_plan() {
  const char* call = getenv("FAULT_CALL");
  const char* at = getenv("FAULT_AT");
  const char* error = getenv("FAULT_ERROR");
  if (call == nullptr || at == nullptr || error == nullptr) return;
  strncpy(plan.call, call, sizeof plan.call - 1);
  plan.at = atol(at);
  const char* times = getenv("FAULT_FOR");
  plan.last = plan.at + (times != nullptr ? atol(times) : 1) - 1;
  plan.error = atoi(error);
  plan.process = getpid();
  if (const char* path = getenv("FAULT_COUNT")) {
    using Open = int (*)(const char*, int, ...);
    plan.reached = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "open"))(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  }
}

template <class Function>
Function* real(Function* /*type*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// True when this call is to fail; errno is then set.
bool fails(const char* call) {
  if (!plan.ready || strcmp(call, plan.call) != 0 || getpid() != plan.process) return false;
  ++seen;
  if (seen < plan.at || seen > plan.last) return false;
  if (plan.reached >= 0 && seen == plan.at) {
    auto* write_file = real(&::write, "write");
    if (write_file(plan.reached, "reached", 7) != 7) abort();
  }
  errno = plan.error;
  return true;
}

}  // namespace

extern "C" {

void arm_fault_shim() {
  plan.ready = plan.at > 0;
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if ((flags & O_ACCMODE) != O_RDONLY && fails("open")) return -1;
  static auto* next = real(&::open, "open");
  return next(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if ((flags & O_ACCMODE) != O_RDONLY && fails("open")) return -1;
  static auto* next = real(&::openat, "openat");
  return next(folder, path, flags, mode);
}

ssize_t write(int fd, const void* data, size_t size) {
  static auto* next = real(&::write, "write");
  if (fd > 2 && fails("write")) return plan.error == 0 ? next(fd, data, size / 2 + 1) : -1;
  return next(fd, data, size);
}

int fdatasync(int fd) {
  static auto* next = real(&::fdatasync, "fdatasync");
  return fails("fsync") ? -1 : next(fd);
}

int ftruncate(int fd, off_t size) noexcept {
  static auto* next = real(&::ftruncate, "ftruncate");
  return fails("ftruncate") ? -1 : next(fd, size);
}

int flock(int fd, int operation) noexcept {
  using Flock = int(int, int);
  static auto* next = reinterpret_cast<Flock*>(dlsym(RTLD_NEXT, "flock"));
  return fails("flock") ? -1 : next(fd, operation);
}

void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  static auto* next = real(&::mmap, "mmap");
  return fails("mmap") ? MAP_FAILED : next(address, size, protection, flags, fd, offset);
}

pid_t fork() noexcept {
  static auto* next = real(&::fork, "fork");
  return fails("fork") ? -1 : next();
}

int socketpair(int domain, int type, int protocol, int ends[2]) noexcept {
  static auto* next = real(&::socketpair, "socketpair");
  return fails("socketpair") ? -1 : next(domain, type, protocol, ends);
}

void* malloc(size_t size) noexcept {
  return fails("malloc") ? nullptr : __libc_malloc(size);
}

}  // extern "C"
