// Messages between this program and config/golden_server.py, over a socket: a text, and with it a descriptor of memory
// that holds tensors.
#pragma once
#include <string>

namespace msprobe::goldens {

/// Sends eight bytes of length, with which `descriptor` goes (-1: none), then the text. False: the other side is gone.
bool send_message(int socket, const std::string& text, int descriptor);

/// Receives one. False at the end of the other side, or when limit_wait's time is up (errno EAGAIN); `descriptor`, -1
/// where none came, is the caller's to close in either case.
bool receive_message(int socket, std::string& text, int& descriptor);

/// How long receive_message waits; 0: without end.
void limit_wait(int socket, int seconds);

}  // namespace msprobe::goldens
