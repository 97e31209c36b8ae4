#include "goldens/user/python_channel.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace msprobe::goldens {
namespace {

constexpr uint64_t kLongestAnswer = uint64_t{1} << 32;

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

// The length, eight bytes, and the descriptor that comes with them.
bool receive_length(int socket, uint64_t& length, int& descriptor) {
  for (size_t have = 0; have < sizeof length;) {
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
  return true;
}

}  // namespace

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

bool receive_message(int socket, std::string& text, int& descriptor) {
  descriptor = -1;
  uint64_t length = 0;
  if (!receive_length(socket, length, descriptor) || length > kLongestAnswer) return false;
  text.resize(length);
  for (size_t done = 0; done < length;) {
    const ssize_t n = recv(socket, text.data() + done, length - done, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

void limit_wait(int socket, int seconds) {
  const timeval limit{seconds, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

}  // namespace msprobe::goldens
