#include "pool/protocol.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "outcome/skipped.h"

namespace msprobe::pool {
namespace {

using outcome::ApiOutcome;
using outcome::Figure;
using outcome::Status;

ApiOutcome sample() {
  ApiOutcome outcome;
  outcome.api = "Torch.linalg.norm.3";
  outcome.forward = Status::kWarning;
  outcome.backward = Status::kBlank;
  outcome.message = "误差, \"x\"\n";
  outcome.seconds = 0.125;
  outcome.recorded_ulp = 3;
  outcome::Row row;
  row.name = "Torch.linalg.norm.3.forward.output.0";
  row.bench_dtype = "torch.float64";
  row.device_dtype = "torch.float16";
  row.shape = "(2, 3)";
  row[Figure::kCosine] = std::nan("");
  row[Figure::kMaxAbs] = -0.0;
  row[Figure::kUlpShare] = std::numeric_limits<double>::infinity();
  row.status = Status::kError;
  row.message = std::string("nul \0 inside", 12);
  row.assessed = {outcome::Assessment::kSuspect,
                  41.5,
                  "suspect: root mean square error 41 times",
                  outcome::Errors{1, 2, 3, 4, 5, 6},
                  std::nullopt,
                  outcome::Errors{0.5, 0.25, 0.125, 1e-300, 0, 1},
                  outcome::Evidence{}};
  outcome::Evidence& evidence = *row.assessed.evidence;
  evidence.shape = {2, 3};
  evidence.elements = 6;
  evidence.bad = 2;
  evidence.worst = {{{1, 2}, 1.5, std::nan(""), 0, -0.0, std::numeric_limits<double>::infinity()},
                    {{0, 0}, 1, 2, 3, 4, 5}};
  evidence.ulp_histogram[0] = 4;
  evidence.ulp_histogram[23] = 2;
  evidence.along = {{0, 0.5f}, {0.25f, 0, 1}};
  outcome.rows = {row, outcome::Row{}};
  return outcome;
}

void expect_same(const std::optional<outcome::Errors>& a, const std::optional<outcome::Errors>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(std::tie(a->rms, a->max_relative, a->mean_relative, a->max_abs, a->zeros, a->special),
            std::tie(b->rms, b->max_relative, b->mean_relative, b->max_abs, b->zeros, b->special));
}

void expect_same(const outcome::Assessed& a, const outcome::Assessed& b) {
  EXPECT_EQ(a.word, b.word);
  EXPECT_EQ(a.severity, b.severity);
  EXPECT_EQ(a.clause, b.clause);
  expect_same(a.device, b.device);
  expect_same(a.rounded, b.rounded);
  expect_same(a.second, b.second);
  ASSERT_EQ(a.evidence.has_value(), b.evidence.has_value());
  if (!a.evidence) return;
  const outcome::Evidence &x = *a.evidence, &y = *b.evidence;
  EXPECT_EQ(std::tie(x.shape, x.elements, x.bad, x.ulp_histogram, x.along),
            std::tie(y.shape, y.elements, y.bad, y.ulp_histogram, y.along));
  ASSERT_EQ(x.worst.size(), y.worst.size());
  for (size_t i = 0; i < x.worst.size(); ++i) {
    EXPECT_EQ(x.worst[i].index, y.worst[i].index);
    const auto numbers = [](const outcome::WorstElement& e) {
      return std::array{e.golden, e.device, e.golden_imag, e.device_imag, e.ulp};
    };
    const auto left = numbers(x.worst[i]), right = numbers(y.worst[i]);
    EXPECT_EQ(std::memcmp(left.data(), right.data(), sizeof left), 0);
  }
}

void expect_same(const ApiOutcome& a, const ApiOutcome& b) {
  EXPECT_EQ(a.api, b.api);
  EXPECT_EQ(a.forward, b.forward);
  EXPECT_EQ(a.backward, b.backward);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.recorded_ulp, b.recorded_ulp);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (size_t i = 0; i < a.rows.size(); ++i) {
    EXPECT_EQ(a.rows[i].name, b.rows[i].name);
    expect_same(a.rows[i].assessed, b.rows[i].assessed);
    EXPECT_EQ(a.rows[i].bench_dtype, b.rows[i].bench_dtype);
    EXPECT_EQ(a.rows[i].device_dtype, b.rows[i].device_dtype);
    EXPECT_EQ(a.rows[i].shape, b.rows[i].shape);
    EXPECT_EQ(a.rows[i].status, b.rows[i].status);
    EXPECT_EQ(a.rows[i].message, b.rows[i].message);
    for (int f = 0; f < outcome::kFigureCount; ++f) {
      ASSERT_EQ(a.rows[i].figures[f].has_value(), b.rows[i].figures[f].has_value()) << f;
      if (!a.rows[i].figures[f]) continue;
      // Bits: nan stays nan, -0 stays -0.
      EXPECT_EQ(std::memcmp(&*a.rows[i].figures[f], &*b.rows[i].figures[f], sizeof(double)), 0) << f;
    }
  }
}

TEST(ProtocolTest, AnOutcomeArrivesBitForBit) {
  FrameReader reader;
  const std::string bytes = encode_outcome(7, true, sample());
  reader.feed(bytes.data(), bytes.size());
  const auto frame = reader.next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->kind, FrameKind::kOutcome);
  const auto message = decode_outcome(frame->payload);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->job, 7u);
  EXPECT_TRUE(message->leaving);
  expect_same(message->outcome, sample());
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.broken());
}

TEST(ProtocolTest, FramesAreFoundHoweverTheStreamIsCut) {
  const std::string bytes = encode_text(FrameKind::kReady, "cpu\n") + encode_outcome(1, false, sample()) +
                            encode_outcome(2, false, outcome::skipped_outcome("Torch.mul.0", "crashed"));
  for (size_t step = 1; step < 40; ++step) {
    FrameReader reader;
    std::vector<uint32_t> jobs;
    std::string ready;
    for (size_t at = 0; at < bytes.size(); at += step) {
      reader.feed(bytes.data() + at, std::min(step, bytes.size() - at));
      while (auto frame = reader.next()) {
        if (frame->kind == FrameKind::kReady)
          ready = frame->payload;
        else
          jobs.push_back(decode_outcome(frame->payload)->job);
      }
    }
    EXPECT_EQ(ready, "cpu\n");
    EXPECT_EQ(jobs, (std::vector<uint32_t>{1, 2})) << step;
  }
}

TEST(ProtocolTest, GarbageIsSeenAtTheFirstHeader) {
  for (const std::string& bytes :
       {std::string("Hello, world"), std::string("mp\x01\x01\0\0\0\0", 8), std::string("mp\x02\x09\0\0\0\0", 8),
        std::string("mp\x02\x03\xff\xff\xff\xff", 8)}) {
    FrameReader reader;
    reader.feed(bytes.data(), bytes.size());
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.broken());
  }
}

TEST(ProtocolTest, EveryTruncatedPayloadIsRefused) {
  const std::string bytes = encode_outcome(7, false, sample()).substr(8);
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(decode_outcome(bytes.substr(0, n))) << n;
  EXPECT_FALSE(decode_outcome(bytes + "x"));
}

TEST(ProtocolTest, EveryChangedByteIsRefusedOrReadSafely) {
  const std::string bytes = encode_outcome(7, false, sample()).substr(8);
  size_t refused = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int change : {0x01, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ change);
      refused += !decode_outcome(changed);
    }
  EXPECT_GT(refused, 100u);  // lengths, marks, masks and verdicts; texts and numbers may be anything
}

TEST(ProtocolTest, ASkipIsOneRowBothWays) {
  const ApiOutcome outcome = outcome::skipped_outcome("Torch.mul.0", "timed out after 5 s");
  EXPECT_EQ(outcome.forward, Status::kSkip);
  EXPECT_EQ(outcome.backward, Status::kSkip);
  EXPECT_EQ(outcome.message, "timed out after 5 s");
  ASSERT_EQ(outcome.rows.size(), 1u);
  EXPECT_EQ(outcome.rows[0].name, "Torch.mul.0.forward.output.0");
  EXPECT_EQ(outcome.rows[0].status, Status::kSkip);
  EXPECT_EQ(outcome.rows[0].message, "timed out after 5 s");
}

}  // namespace
}  // namespace msprobe::pool
