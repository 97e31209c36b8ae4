#include "util/mapped_range.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace msprobe::util {

bool replace_lost_pages(const void* address);

namespace {

// What the handler reads and writes. Its thread never holds the lock already: under it nothing is touched that lies in
// a file.
std::atomic_flag busy = ATOMIC_FLAG_INIT;
MappedRange* ranges = nullptr;

enum class Loss { kNone, kGone, kChanged };
Loss loss = Loss::kNone;
char lost_name[4352];  // a path and then some

struct sigaction before {};  // of SIGBUS
std::atomic<bool> passed_on{false};

class Lock {
 public:
  Lock() {
    while (busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Lock() { busy.clear(std::memory_order_release); }
};

void note(Loss kind, const std::string& name) {
  if (loss != Loss::kNone) return;
  loss = kind;
  const size_t n = std::min(name.size(), sizeof lost_name - 1);
  std::memcpy(lost_name, name.data(), n);
  lost_name[n] = '\0';
}

// The signal comes again, to whom it would have come without us.
void pass_on(int number, bool raised) {
  struct sigaction next {};
  next.sa_handler = SIG_DFL;
  if (!passed_on.exchange(true)) next = before;  // one that hands it back to us gets it once
  ::sigaction(number, &next, nullptr);
  if (raised) ::raise(number);
}

void on_bus_error(int number, siginfo_t* info, void*) {
  const int error = errno;
  const bool fault = info->si_code > 0;  // else kill(2) or raise(3) sent it
  if (!fault || !replace_lost_pages(info->si_addr)) pass_on(number, !fault);
  errno = error;
}

// Again with each range: a library that was loaded meanwhile may have put its own handler there.
void install() {
  struct sigaction now {};
  if (::sigaction(SIGBUS, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_bus_error) return;
  struct sigaction ours {};
  ours.sa_sigaction = on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  before = now;
  passed_on = false;
  ::sigaction(SIGBUS, &ours, nullptr);
}

}  // namespace

bool replace_lost_pages(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  const Lock lock;
  for (MappedRange* range = ranges; range != nullptr; range = range->next_) {
    const auto begin = reinterpret_cast<uintptr_t>(range->data_), end = begin + range->size_;
    if (at < begin || at >= end) continue;
    // What a file has lost, it has lost to its end.
    const uintptr_t page = at - at % static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    void* const zeros = ::mmap(reinterpret_cast<void*>(page), end - page, range->protection_,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (zeros == MAP_FAILED) return false;
    range->lost_.store(true, std::memory_order_relaxed);
    note(Loss::kGone, range->name_);
    return true;
  }
  return false;
}

MappedRange::MappedRange(int fd, size_t size, Access access, std::string name)
    : size_(size),
      protection_(access == Access::kPrivateWrite ? PROT_READ | PROT_WRITE : PROT_READ),
      name_(std::move(name)) {
  // MAP_NORESERVE: hardly a page will be written to, so no swap needs to be set aside for the whole file.
  void* address = ::mmap(nullptr, size_, protection_, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
  if (address == MAP_FAILED) {
    throw Error(name_, "its " + std::to_string(size_) + " bytes cannot be mapped into memory: " + std::strerror(errno));
  }
  data_ = static_cast<char*>(address);
  const Lock lock;
  install();
  next_ = ranges;
  if (next_ != nullptr) next_->previous_ = this;
  ranges = this;
}

MappedRange::~MappedRange() {
  {
    const Lock lock;
    (previous_ != nullptr ? previous_->next_ : ranges) = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
  }
  ::munmap(data_, size_);
}

void note_changed_file(const std::string& name) {
  const Lock lock;
  note(Loss::kChanged, name);
}

std::optional<ChangedError> take_lost_file() {
  char name[sizeof lost_name];
  Loss kind;
  {
    const Lock lock;
    kind = std::exchange(loss, Loss::kNone);
    if (kind == Loss::kNone) return std::nullopt;
    std::memcpy(name, lost_name, sizeof name);
  }
  return kind == Loss::kGone ? lost_error(name) : ChangedError(name);
}

ChangedError lost_error(const std::string& name) {
  return ChangedError(name, "was cut short while it was being read, or its disk failed");
}

}  // namespace msprobe::util
