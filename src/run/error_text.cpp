#include "run/error_text.h"

#include <c10/util/Exception.h>

#include <new>

namespace msprobe::run {
namespace {

// LibTorch appends where it was thrown and a C++ backtrace; a cell of a table wants the sentence only.
std::string one_line(std::string text) {
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
  return out;
}

bool speaks_of_memory(const std::string& text) {
  for (const char* words : {"out of memory", "can't allocate memory", "not enough memory", "CUDA_ERROR_OUT_OF_MEMORY",
                            "std::bad_alloc", "Cannot allocate memory"})
    if (text.find(words) != std::string::npos) return true;
  return false;
}

// Says it once, whatever words the library used.
std::string told_memory(const std::string& text) {
  return text.find("out of memory") != std::string::npos ? text : "out of memory: " + text;
}

}  // namespace

ErrorText describe_error(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return {"out of memory", true};
  } catch (const c10::Error& e) {
    std::string text = one_line(e.what_without_backtrace());
    if (speaks_of_memory(text)) return {told_memory(text), true};
    return {text, false};
  } catch (const std::exception& e) {
    std::string text = one_line(e.what());
    if (speaks_of_memory(text)) return {told_memory(text), true};
    return {text.empty() ? "an exception without a text" : text, false};
  } catch (...) {
    return {"an exception that is no std::exception", false};
  }
}

}  // namespace msprobe::run
