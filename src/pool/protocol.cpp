#include "pool/protocol.h"

#include <cstring>
#include <utility>

#include "pool/assessed_bytes.h"
#include "pool/bytes.h"

namespace msprobe::pool {
namespace {

using outcome::ApiOutcome;
using outcome::kFigureCount;
using outcome::Row;
using outcome::Status;

constexpr char kMagic[2] = {'m', 'p'};
constexpr uint8_t kVersion = 2;
constexpr size_t kHeader = 8;
static_assert(kFigureCount <= 32, "figures travel behind a mask of 32 bits");

std::string frame(FrameKind kind, std::string_view payload) {
  Writer out;
  out.append(std::string_view(kMagic, sizeof kMagic));
  out.put(kVersion);
  out.put(static_cast<uint8_t>(kind));
  out.put(static_cast<uint32_t>(payload.size()));
  out.append(payload);
  return out.take();
}

bool get_status(Reader& in, Status& status) {
  return in.get_enum(status, static_cast<size_t>(Status::kBlank) + 1);
}

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
  put_assessed(out, row.assessed);
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
  return get_status(in, row.status) && in.get_text(row.message) && get_assessed(in, row.assessed);
}

}  // namespace

std::string encode_text(FrameKind kind, std::string_view text) {
  return frame(kind, text.substr(0, kMaxPayload));
}

std::string encode_outcome(uint32_t job, bool leaving, const ApiOutcome& outcome) {
  Writer out;
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
  return frame(FrameKind::kOutcome, out.take());
}

std::optional<OutcomeMessage> decode_outcome(std::string_view payload) {
  Reader in(payload);
  OutcomeMessage message;
  ApiOutcome& outcome = message.outcome;
  uint8_t leaving = 0;
  uint32_t rows = 0;
  if (!in.get(message.job) || !in.get(leaving) || leaving > 1 || !in.get_text(outcome.api) ||
      !get_status(in, outcome.forward) || !get_status(in, outcome.backward) ||
      !in.get_enum(outcome.reason, outcome::kReasonCount) || !in.get_text(outcome.message) ||
      !in.get(outcome.seconds) || !in.get_optional(outcome.recorded_ulp) || !in.get(rows))
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
