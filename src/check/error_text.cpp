#include "check/error_text.h"

#include <c10/util/Exception.h>

#include <new>

#include "check/skip.h"
#include "util/error.h"
#include "util/message.h"
#include "util/one_line.h"
#include "util/out_of_memory.h"

namespace msprobe::check {
namespace {

using outcome::Reason;

// torch_npu appends "[ERROR] 2025-01-01-12:00:00 (PID:7, Device:0, RankID:-1) ERR01004 OPS invalid pointer". Time and
// process differ from run to run, and equal runs must write equal files.
void drop_time_and_process(std::string& text) {
  constexpr std::string_view kMark = "[ERROR] ";
  for (size_t at = 0; (at = text.find(kMark, at)) != std::string::npos; at += kMark.size()) {
    const size_t start = at + kMark.size(), pid = text.find(" (PID:", start), end = text.find(") ", start);
    if (start >= text.size() || text[start] < '0' || text[start] > '9') continue;
    if (pid == std::string::npos || end == std::string::npos || pid > start + 24) continue;
    text.erase(start, end + 2 - start);
  }
}

// LibTorch appends where it was thrown and a C++ backtrace; a cell of a table wants the sentence only.
std::string one_line(std::string text) {
  drop_time_and_process(text);
  for (const char* mark : {"\nException raised from", "\nC++ CapturedTraceback", "\nframe #0"})
    if (size_t at = text.find(mark); at != std::string::npos) text.resize(at);
  std::string out;
  bool space = false;
  for (char c : text) {
    if (c == '\n' || c == '\r' || c == '\t' || c == ' ') {
      space = !out.empty();
      continue;
    }
    if (space) out += ' ';
    space = false;
    out += c;
  }
  constexpr size_t kLongest = 600;
  if (out.size() > kLongest) {
    size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;  // keep UTF-8 whole
    out.resize(end);
    out += "...";
  }
  return util::one_line(out);
}

bool speaks_of_memory(const std::string& text) {
  for (const char* words : {"out of memory", "can't allocate memory", "not enough memory", "CUDA_ERROR_OUT_OF_MEMORY",
                            "std::bad_alloc", "Cannot allocate memory"})
    if (text.find(words) != std::string::npos) return true;
  return false;
}

// Memory of the card, as its allocator reports it: unlike the host's, it is whole again once the API is over.
bool speaks_of_device_memory(const std::string& text) {
  for (const char* words : {"NPU out of memory", "CUDA out of memory", "HIP out of memory", "CUDA_ERROR_OUT_OF_MEMORY",
                            "CUDA error: out of memory"})
    if (text.find(words) != std::string::npos) return true;
  return false;
}

ErrorText told_device_memory(const std::string& text) {
  constexpr Reason kReason = Reason::kOutOfDeviceMemory;
  return {text.starts_with(opening(kReason)) ? text : message_of(kReason, text), kReason};
}

// Says it once, and first, whatever words the library used.
ErrorText told_memory(const std::string& text) {
  if (speaks_of_device_memory(text)) return told_device_memory(text);
  constexpr Reason kReason = Reason::kOutOfMemory;
  return {text.starts_with(opening(kReason)) ? text : message_of(kReason, text), kReason};
}

// Of a library, or of an Error that quotes one: their words are all that there is.
ErrorText told(const std::string& text) {
  if (speaks_of_memory(text)) return told_memory(text);
  return {text.empty() ? "an exception without a text" : text};
}

}  // namespace

ErrorText describe_error(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const Skip& e) {
    return {one_line(e.what()), e.reason};
  } catch (const std::bad_alloc&) {
    return {std::string(opening(Reason::kOutOfMemory)), Reason::kOutOfMemory};
  } catch (const OutOfMemoryError& e) {
    return {message_of(Reason::kOutOfMemory, one_line(util::message_of(e.plain()))), Reason::kOutOfMemory};
  } catch (const Error& e) {  // its text may hold a NUL of the dump, behind which what() says nothing
    return told(one_line(util::message_of(e)));
  } catch (const c10::OutOfMemoryError& e) {  // what allocators of accelerators throw, and only they
    return told_device_memory(one_line(e.what_without_backtrace()));
  } catch (const c10::Error& e) {
    return told(one_line(e.what_without_backtrace()));
  } catch (const std::exception& e) {
    return told(one_line(e.what()));
  } catch (...) {
    return {"an exception that is no std::exception"};
  }
}

}  // namespace msprobe::check
