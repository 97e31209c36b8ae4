#include "pool/protocol.h"

#include <cstring>
#include <type_traits>
#include <utility>

namespace msprobe::pool {
namespace {

using outcome::ApiOutcome;
using outcome::kFigureCount;
using outcome::Reason;
using outcome::Row;
using outcome::Status;

constexpr char kMagic[2] = {'m', 'p'};
constexpr uint8_t kVersion = 1;
constexpr size_t kHeader = 8;
static_assert(kFigureCount <= 32, "figures travel behind a mask of 32 bits");

class Writer {
 public:
  explicit Writer(FrameKind kind) {
    out_.append(kMagic, sizeof kMagic);
    out_ += static_cast<char>(kVersion);
    out_ += static_cast<char>(kind);
    put(uint32_t{0});
  }
  template <class T>
  void put(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out_.append(bytes, sizeof bytes);
  }
  void put_text(std::string_view text) {
    put(static_cast<uint32_t>(text.size()));
    out_ += text;
  }
  void put_optional(const std::optional<double>& value) {
    put(static_cast<uint8_t>(value.has_value()));
    put(value.value_or(0));
  }
  void append(std::string_view bytes) { out_ += bytes; }
  std::string frame() {
    const auto length = static_cast<uint32_t>(out_.size() - kHeader);
    std::memcpy(out_.data() + kHeader - sizeof length, &length, sizeof length);
    return std::move(out_);
  }

 private:
  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  template <class T>
  bool get(T& value) {
    if (text_.size() < sizeof value) return false;
    std::memcpy(&value, text_.data(), sizeof value);
    text_.remove_prefix(sizeof value);
    return true;
  }
  bool get_text(std::string& text) {
    uint32_t size = 0;
    if (!get(size) || text_.size() < size) return false;
    text = text_.substr(0, size);
    text_.remove_prefix(size);
    return true;
  }
  bool get_optional(std::optional<double>& value) {
    uint8_t there = 0;
    double number = 0;
    if (!get(there) || !get(number) || there > 1) return false;
    if (there == 1) value = number;
    return true;
  }
  bool get_status(Status& status) {
    uint8_t value = 0;
    if (!get(value) || value > static_cast<uint8_t>(Status::kBlank)) return false;
    status = static_cast<Status>(value);
    return true;
  }
  bool get_reason(Reason& reason) {
    uint8_t value = 0;
    if (!get(value) || value >= outcome::kReasonCount) return false;
    reason = static_cast<Reason>(value);
    return true;
  }
  size_t left() const { return text_.size(); }

 private:
  std::string_view text_;
};

void put_row(Writer& out, const Row& row) {
  out.put_text(row.name);
  out.put_text(row.bench_dtype);
  out.put_text(row.device_dtype);
  out.put_text(row.shape);
  uint32_t mask = 0;
  for (int i = 0; i < kFigureCount; ++i)
    if (row.figures[i]) mask |= uint32_t{1} << i;
  out.put(mask);
  for (const auto& figure : row.figures)
    if (figure) out.put(*figure);
  out.put(static_cast<uint8_t>(row.status));
  out.put_text(row.message);
}

bool get_row(Reader& in, Row& row) {
  uint32_t mask = 0;
  if (!in.get_text(row.name) || !in.get_text(row.bench_dtype) || !in.get_text(row.device_dtype) ||
      !in.get_text(row.shape) || !in.get(mask) || mask >> kFigureCount != 0)
    return false;
  for (int i = 0; i < kFigureCount; ++i) {
    if ((mask >> i & 1) == 0) continue;
    double figure = 0;
    if (!in.get(figure)) return false;
    row.figures[i] = figure;
  }
  return in.get_status(row.status) && in.get_text(row.message);
}

}  // namespace

std::string encode_text(FrameKind kind, std::string_view text) {
  Writer out(kind);
  out.append(text.substr(0, kMaxPayload));
  return out.frame();
}

std::string encode_outcome(uint32_t job, bool leaving, const ApiOutcome& outcome) {
  Writer out(FrameKind::kOutcome);
  out.put(job);
  out.put(static_cast<uint8_t>(leaving));
  out.put_text(outcome.api);
  out.put(static_cast<uint8_t>(outcome.forward));
  out.put(static_cast<uint8_t>(outcome.backward));
  out.put(static_cast<uint8_t>(outcome.reason));
  out.put_text(outcome.message);
  out.put(outcome.seconds);
  out.put_optional(outcome.recorded_ulp);
  out.put(static_cast<uint32_t>(outcome.rows.size()));
  for (const auto& row : outcome.rows) put_row(out, row);
  return out.frame();
}

std::optional<OutcomeMessage> decode_outcome(std::string_view payload) {
  Reader in(payload);
  OutcomeMessage message;
  ApiOutcome& outcome = message.outcome;
  uint8_t leaving = 0;
  uint32_t rows = 0;
  if (!in.get(message.job) || !in.get(leaving) || leaving > 1 || !in.get_text(outcome.api) ||
      !in.get_status(outcome.forward) || !in.get_status(outcome.backward) || !in.get_reason(outcome.reason) ||
      !in.get_text(outcome.message) || !in.get(outcome.seconds) || !in.get_optional(outcome.recorded_ulp) ||
      !in.get(rows))
    return std::nullopt;
  message.leaving = leaving == 1;
  for (uint32_t i = 0; i < rows; ++i) {  // grows by what is really there, whatever `rows` claims
    if (!get_row(in, outcome.rows.emplace_back())) return std::nullopt;
  }
  if (in.left() != 0) return std::nullopt;
  return message;
}

void FrameReader::feed(const char* data, size_t size) {
  if (begin_ == buffer_.size()) {
    buffer_.clear();
    begin_ = 0;
  } else if (begin_ > (size_t{1} << 20)) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  buffer_.append(data, size);
}

std::optional<Frame> FrameReader::next() {
  const std::string_view text = std::string_view(buffer_).substr(begin_);
  if (broken_ || text.size() < kHeader) return std::nullopt;
  uint32_t length = 0;
  std::memcpy(&length, text.data() + kHeader - sizeof length, sizeof length);
  const auto kind = static_cast<uint8_t>(text[3]);
  if (std::memcmp(text.data(), kMagic, sizeof kMagic) != 0 || static_cast<uint8_t>(text[2]) != kVersion ||
      kind < static_cast<uint8_t>(FrameKind::kReady) || kind > static_cast<uint8_t>(FrameKind::kOutcome) ||
      length > kMaxPayload) {
    broken_ = true;
    return std::nullopt;
  }
  if (text.size() - kHeader < length) return std::nullopt;
  begin_ += kHeader + length;
  return Frame{static_cast<FrameKind>(kind), text.substr(kHeader, length)};
}

}  // namespace msprobe::pool
