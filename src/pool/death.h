// How a worker ended, in words for a Message cell.
#pragma once
#include <cstdint>
#include <string>

namespace msprobe::pool {

/// A worker's own exit statuses; an API that ends the process with one of them reads the same.
constexpr int kExitLostChannel = 117;  ///< its socket is gone: something closed its descriptors
constexpr int kExitNoMemory = 118;     ///< not even the answer could be built

/// "crashed: SIGSEGV (segmentation fault)", "crashed: exited with status 3", "out of memory: killed by the system".
/// `status` as from waitpid; `memory_ran_out`: the system killed for want of memory while the worker ran.
std::string death_text(int status, bool memory_ran_out);

/// False when others ended it (SIGKILL, SIGTERM, Ctrl-C, ...) or memory ran out: that tells nothing of the API at hand.
bool died_by_itself(int status);

/// Of a death_text whose API was tried again, for the Message of the try that did not crash:
/// "crashed in a first try: SIGABRT (aborted); a second one, in another process, did not".
std::string first_crash_text(const std::string& death);

/// How often this machine's kernel has killed a process for want of memory; 0 where it does not tell.
uint64_t memory_kills();

/// "5", "0.5", "600": seconds for a message.
std::string seconds_text(double seconds);

}  // namespace msprobe::pool
