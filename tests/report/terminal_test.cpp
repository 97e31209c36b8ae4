#include "report/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>

#include <cmath>
#include <limits>

#include "report/progress.h"
#include "report/summary.h"
#include "report/worst_rows.h"
#include "util/utf8.h"

namespace msprobe::report {
namespace {

using outcome::ApiOutcome;
using outcome::Figure;
using outcome::Row;
using outcome::Status;

config::Standards standards() {
  config::Standards s{};
  s.cosine_threshold = 0.99;
  s.max_abs_threshold = 0.001;
  s.hundredth_threshold = 0.01;
  s.thousandth_threshold = 0.001;
  s.ten_thousandth_threshold = 0.0001;
  return s;
}

ApiOutcome outcome(const std::string& api, Status forward, Status backward = Status::kBlank, double seconds = 0) {
  ApiOutcome o;
  o.api = api;
  o.forward = forward;
  o.backward = backward;
  o.seconds = seconds;
  return o;
}

Row row(const std::string& name, Status status, const std::string& dtype,
        std::initializer_list<std::pair<Figure, double>> figures, const std::string& message = "") {
  Row r;
  r.name = name;
  r.status = status;
  r.device_dtype = dtype;
  r.message = message;
  for (const auto& [figure, value] : figures) r[figure] = value;
  return r;
}

/// A console that writes into strings, with a clock that the test moves.
class FakeConsole {
 public:
  FakeConsole() {
    err_ = open_memstream(&err_text_, &err_size_);
    out_ = open_memstream(&out_text_, &out_size_);
  }
  ~FakeConsole() {
    fclose(err_);
    fclose(out_);
    free(err_text_);
    free(out_text_);
  }
  Console console(bool live, bool colour = false) {
    Console c;
    c.progress = err_;
    c.summary = out_;
    c.live = live;
    c.progress_colour = c.summary_colour = colour;
    c.width = [this] { return width; };
    c.clock = [this] { return now; };
    c.log = [this](const std::string& line) { logged.push_back(line); };
    return c;
  }
  /// What was drawn since the last call.
  std::string drawn() {
    fflush(err_);
    const std::string all(err_text_, err_size_);
    const std::string news = all.substr(seen_);
    seen_ = all.size();
    return news;
  }
  std::string printed() {
    fflush(out_);
    return std::string(out_text_, out_size_);
  }
  double now = 100;
  size_t width = 120;
  std::vector<std::string> logged;

 private:
  FILE *err_, *out_;
  char *err_text_ = nullptr, *out_text_ = nullptr;
  size_t err_size_ = 0, out_size_ = 0, seen_ = 0;
};

// ---- progress

TEST(ProgressTest, OneLineIsDrawnAgainOnATerminal) {
  FakeConsole fake;
  const Options options;
  const config::Standards limits = standards();
  Terminal terminal(options, limits, 4, fake.console(true));
  terminal.done(outcome("Torch.mul.0", Status::kPass), 0.1);
  EXPECT_EQ(fake.drawn(), "\r 10 %  1/4  pass 1  warning 0  error 0  SKIP 0  Torch.mul.0\x1b[K");
  terminal.done(outcome("Torch.mul.1", Status::kError), 0.2);
  EXPECT_EQ(fake.drawn(), "");  // too soon
  fake.now += 10;
  terminal.done(outcome("Torch.mul.2", Status::kPass, Status::kWarning), 0.25);
  EXPECT_EQ(fake.drawn(), "\r 25 %  3/4  pass 1  warning 1  error 1  SKIP 0  0.3 API/s  ETA 30 s  Torch.mul.2\x1b[K");
  fake.now += 10;
  terminal.tick();
  EXPECT_EQ(fake.drawn(),
            "\r 25 %  3/4  pass 1  warning 1  error 1  SKIP 0  0.1 API/s  ETA 1 min 00 s  Torch.mul.2\x1b[K");
  terminal.done(outcome("Torch.mul.3", Status::kSkip), 1);  // the last is drawn at once
  EXPECT_EQ(fake.drawn(), "\r100 %  4/4  pass 1  warning 1  error 1  SKIP 1  0.2 API/s  Torch.mul.3\x1b[K");
  EXPECT_TRUE(fake.logged.empty());
}

TEST(ProgressTest, TheLineNeverWraps) {
  const Options options;
  const config::Standards limits = standards();
  for (const bool colour : {false, true})
    for (size_t width = 1; width < 130; ++width) {
      FakeConsole fake;
      fake.width = width;
      Terminal terminal(options, limits, 1000, fake.console(true, colour));
      fake.now += 5;
      terminal.done(outcome("Functional.scaled_dot_product_attention.127", Status::kError), 0.5);
      std::string line = fake.drawn();
      for (size_t at; (at = line.find('\x1b')) != std::string::npos;)
        line.erase(at, line.find_first_of("mK", at) - at + 1);
      EXPECT_LT(util::display_width(line), std::max<size_t>(width, 2)) << line;
    }
}

TEST(ProgressTest, TheLineIsWipedAtTheEnd) {
  FakeConsole fake;
  const Options options;
  const config::Standards limits = standards();
  {
    Terminal terminal(options, limits, 2, fake.console(true));
    terminal.done(outcome("a", Status::kPass), 0.5);
    fake.drawn();
  }
  EXPECT_EQ(fake.drawn(), "\r\x1b[K");
}

TEST(ProgressTest, CountsAreColouredWhenTheyAreNotZero) {
  FakeConsole fake;
  const Options options;
  const config::Standards limits = standards();
  Terminal terminal(options, limits, 2, fake.console(true, true));
  terminal.done(outcome("a", Status::kError), 0.5);
  EXPECT_EQ(fake.drawn(), "\r 50 %  1/2  pass 0  warning 0  \x1b[31merror 1\x1b[0m  SKIP 0  a\x1b[K");
}

TEST(ProgressTest, WithoutATerminalALineIsLoggedEveryFivePercent) {
  FakeConsole fake;
  const Options options;
  const config::Standards limits = standards();
  Terminal terminal(options, limits, 1000, fake.console(false));
  for (int i = 1; i <= 1000; ++i) {
    fake.now += 0.05;
    terminal.done(outcome("a", i % 10 == 0 ? Status::kSkip : Status::kPass), i / 1000.0);
  }
  ASSERT_EQ(fake.logged.size(), 20u);
  EXPECT_EQ(fake.logged[0], "checked 50 of 1000 APIs (5 %): pass 45  warning 0  error 0  SKIP 5  20.0 API/s  ETA 47 s");
  EXPECT_EQ(fake.logged[9],
            "checked 500 of 1000 APIs (50 %): pass 450  warning 0  error 0  SKIP 50  20.0 API/s  ETA 25 s");
  EXPECT_EQ(fake.logged[19], "checked 1000 of 1000 APIs (100 %): pass 900  warning 0  error 0  SKIP 100  20.0 API/s");
  EXPECT_EQ(fake.drawn(), "");
}

TEST(ProgressTest, WithoutATerminalAShortRunLogsItsEndAlone) {
  const Options options;
  const config::Standards limits = standards();
  // 1.9 s: the end. 5 s: two lines on the way at least 2 s apart, then the end.
  for (const auto& [seconds, lines] : {std::pair(1.9, 1u), std::pair(5.0, 3u)}) {
    FakeConsole fake;
    Terminal terminal(options, limits, 100, fake.console(false));
    for (int i = 1; i <= 100; ++i) {
      fake.now += seconds / 100;
      terminal.done(outcome("a", Status::kPass), i / 100.0);
    }
    ASSERT_EQ(fake.logged.size(), lines) << seconds;
    EXPECT_TRUE(fake.logged.back().starts_with("checked 100 of 100 APIs (100 %)"));
  }
}

TEST(ProgressTest, WithoutATerminalALineIsLoggedEveryMinute) {
  FakeConsole fake;
  const Options options;
  const config::Standards limits = standards();
  Terminal terminal(options, limits, 1000, fake.console(false));
  for (int second = 1; second <= 130; ++second) {
    fake.now += 1;
    if (second == 1) terminal.done(outcome("a", Status::kPass), 0.001);
    terminal.tick();
  }
  EXPECT_EQ(fake.logged.size(), 2u);
}

TEST(ProgressTest, QuietShowsNothing) {
  Options options;
  options.quiet = true;
  const config::Standards limits = standards();
  for (const bool live : {false, true}) {
    FakeConsole fake;
    Terminal terminal(options, limits, 1, fake.console(live));
    fake.now += 100;
    terminal.done(outcome("a", Status::kPass), 1);
    terminal.tick();
    EXPECT_EQ(fake.drawn(), "");
    EXPECT_TRUE(fake.logged.empty());
  }
}

TEST(DurationTest, TwoUnitsAtMost) {
  EXPECT_EQ(duration_text(0.2), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(3725), "1 h 02 min");
  EXPECT_EQ(duration_text(100000), "1 d 03 h");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "11574074074 d 01 h");
}

// ---- worst rows

struct Reason {
  Row row;
  const char* text;
  double excess;
};

TEST(FindReasonTest, NamesTheFigureThatDecidedBesideItsLimit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const config::Standards limits = standards();
  const Reason rows[] = {
      {row("", Status::kError, "torch.int64", {{Figure::kBinaryErrorRate, 0.25}}), "二进制一致错误率 0.25 > 0",
       kInfinity},
      {row("", Status::kError, "torch.float32", {{Figure::kCosine, 0.5}, {Figure::kThousandth, 0}}),
       "余弦相似度 0.5 <= 0.99", 50},
      {row("", Status::kError, "torch.float16",
           {{Figure::kCosine, 1}, {Figure::kHundredth, 0.9}, {Figure::kThousandth, 0.1}}),
       "双百指标 0.9 <= 0.99", 10},
      {row("", Status::kWarning, "torch.bfloat16",
           {{Figure::kCosine, 1}, {Figure::kHundredth, 1}, {Figure::kThousandth, 0.99}}),
       "双千指标 0.99 <= 0.999", 10},
      {row("", Status::kError, "torch.float32", {{Figure::kCosine, 1}, {Figure::kThousandth, 0.998}}),
       "双千指标 0.998 <= 0.999", 2},
      {row("", Status::kWarning, "torch.float64",
           {{Figure::kCosine, 1}, {Figure::kThousandth, 1}, {Figure::kTenThousandth, 0.9997}}),
       "双万指标 0.9997 <= 0.9999", 3},
      {row("", Status::kError, "torch.float32", {}, "shapes differ"), "shapes differ", kInfinity},
      {row("", Status::kError, "torch.float32", {}), "see its message", kInfinity},
  };
  for (const Reason& r : rows) {
    const Finding finding = find_reason(r.row, limits);
    EXPECT_EQ(finding.text, r.text);
    if (std::isinf(r.excess))
      EXPECT_EQ(finding.excess, r.excess) << r.text;
    else
      EXPECT_NEAR(finding.excess, r.excess, 1e-9 * r.excess) << r.text;
  }
}

TEST(WorstRowsTest, ErrorsThenExcessThenAbsoluteErrorThenOrder) {
  const config::Standards limits = standards();
  WorstRows worst(limits, 5);
  const auto error = [](const char* name, double cosine, double max_abs) {
    return row(name, Status::kError, "torch.float32", {{Figure::kCosine, cosine}, {Figure::kMaxAbs, max_abs}});
  };
  worst.add(row("warning", Status::kWarning, "torch.float32", {{Figure::kCosine, 1}, {Figure::kTenThousandth, 0}}));
  worst.add(error("mild", 0.98, 9));
  worst.add(error("first", 0.5, 1));
  worst.add(error("second", 0.5, 1));
  worst.add(row("pass", Status::kPass, "torch.float32", {{Figure::kCosine, 0}}));
  worst.add(row("skip", Status::kSkip, "", {}));
  worst.add(error("nan", 0.5, std::nan("")));
  worst.add(error("worst", -1, 0));
  worst.add(error("mildest", 0.985, 100));
  std::vector<std::string> names;
  for (const WorstRow& r : worst.rows()) names.push_back(r.name);
  EXPECT_EQ(names, (std::vector<std::string>{"worst", "nan", "first", "second", "mild"}));
}

// ---- summary

TEST(SummaryTest, TellsEverythingThatAPersonNeedsNext) {
  FakeConsole fake;
  const Options options;
  const config::Standards limits = standards();
  Terminal terminal(options, limits, 4, fake.console(false));
  ApiOutcome bad = outcome("Torch.mul.0", Status::kError, Status::kPass, 0.5);
  bad.rows = {row("Torch.mul.0.forward.output.0", Status::kError, "torch.float16",
                  {{Figure::kCosine, 1}, {Figure::kHundredth, 0.95}, {Figure::kMaxAbs, 12.5}})};
  ApiOutcome doubtful = outcome("Functional.conv2d.1", Status::kPass, Status::kWarning, 2.25);
  doubtful.rows = {row("Functional.conv2d.1.backward.output.1", Status::kWarning, "torch.float32",
                       {{Figure::kCosine, 1}, {Figure::kThousandth, 1}, {Figure::kTenThousandth, 0.5}})};
  ApiOutcome skipped = outcome("Torch.empty.0", Status::kSkip);
  skipped.message = "not a computation";
  terminal.done(outcome("Torch.add.0", Status::kPass, Status::kPass, 0.001), 0.25);
  terminal.done(bad, 0.5);
  terminal.done(doubtful, 0.75);
  terminal.done(skipped, 1);
  terminal.summary("out/r.csv", "out/d.csv", "msprobe acc_check -api_info dump.json",
                   "msprobe --rerun-failed out/r.csv");
  EXPECT_EQ(
      fake.printed(),
      "          pass  warning  error  SKIP  none\n"
      "forward      2        0      1     1     0\n"
      "backward     2        1      0     0     1\n"
      "\n"
      "Worst rows\n"
      "  error    Torch.mul.0.forward.output.0           torch.float16  双百指标 0.95 <= 0.99   最大绝对误差 12.5\n"
      "  warning  Functional.conv2d.1.backward.output.1  torch.float32  双万指标 0.5 <= 0.9999\n"
      "\n"
      "Slowest APIs\n"
      "  2.250 s  Functional.conv2d.1\n"
      "  0.500 s  Torch.mul.0\n"
      "  0.001 s  Torch.add.0\n"
      "\n"
      "To check one of these alone again\n"
      "  msprobe acc_check -api_info dump.json --only '^Torch\\.mul\\.0$'\n"
      "  msprobe acc_check -api_info dump.json --only '^Functional\\.conv2d\\.1$'\n"
      "\n"
      "Skipped most often because\n"
      "  1  not a computation\n"
      "\n"
      "Results  out/r.csv\n"
      "Details  out/d.csv\n"
      "To check all with error or warning again: msprobe --rerun-failed out/r.csv\n");
  EXPECT_EQ(terminal.count(Status::kPass, false), 2);
  EXPECT_EQ(terminal.count(Status::kWarning, true), 1);
  EXPECT_EQ(terminal.count(Status::kBlank, true), 1);
}

TEST(SummaryTest, PlacesStandBehindTheWorstRowsAndBeginningsBeforeThem) {
  FakeConsole fake;
  Options options;
  std::vector<std::string> asked;
  options.place = [&](std::string_view row) {
    asked.emplace_back(row);
    return row.starts_with("Torch.mul") ? "train.py:24 in forward" : "";
  };
  const config::Standards limits = standards();
  Terminal terminal(options, limits, 3, fake.console(false));
  ApiOutcome bad = outcome("Torch.mul.0", Status::kError, Status::kPass);
  bad.rows = {row("Torch.mul.0.forward.output.0", Status::kError, "torch.float16",
                  {{Figure::kCosine, 1}, {Figure::kHundredth, 0.95}, {Figure::kMaxAbs, 12.5}})};
  ApiOutcome other = outcome("Torch.mm.0", Status::kWarning);
  other.rows = {row("Torch.mm.0.forward.output.0", Status::kWarning, "torch.float32",
                    {{Figure::kCosine, 1}, {Figure::kThousandth, 1}, {Figure::kTenThousandth, 0.5}})};
  terminal.done(bad, 0.5);
  terminal.done(other, 0.75);
  terminal.done(outcome("Torch.add.0", Status::kPass), 1);
  EXPECT_TRUE(asked.empty());
  terminal.summary("r.csv", "d.csv", "msprobe", "msprobe --rerun-failed r.csv", "first inf: Torch.mul.0\n");
  EXPECT_THAT(fake.printed(),
              testing::HasSubstr(
                  "\nfirst inf: Torch.mul.0\n\nWorst rows\n"
                  "  error    Torch.mul.0.forward.output.0  torch.float16  双百指标 0.95 <= 0.99   最大绝对误差 12.5  "
                  "train.py:24 in forward\n"
                  "  warning  Torch.mm.0.forward.output.0   torch.float32  双万指标 0.5 <= 0.9999\n"));
  EXPECT_EQ(asked, (std::vector<std::string>{"Torch.mul.0.forward.output.0", "Torch.mm.0.forward.output.0"}));
}

TEST(SummaryTest, SuspectsStandFirstByTheirSeverity) {
  FakeConsole fake;
  const Options options;
  const config::Standards limits = standards();
  Terminal terminal(options, limits, 3, fake.console(false));
  const auto assessed = [](Row r, outcome::Assessment word, double severity, const std::string& clause) {
    r.assessed = {word, severity, clause, {}, {}, {}, {}};
    return r;
  };
  ApiOutcome explained = outcome("Torch.mul.0", Status::kError, Status::kPass);
  explained.rows = {assessed(row("Torch.mul.0.forward.output.0", Status::kError, "torch.bfloat16",
                                 {{Figure::kCosine, 1}, {Figure::kHundredth, 0.95}}),
                             outcome::Assessment::kRounding, 0, "rounding to torch.bfloat16 alone")};
  ApiOutcome passed = outcome("Torch.mm.0", Status::kPass, Status::kPass);
  passed.rows = {assessed(row("Torch.mm.0.forward.output.0", Status::kPass, "torch.float32", {{Figure::kMaxAbs, 1e-6}}),
                          outcome::Assessment::kSuspect, 41, "suspect: root mean square error 82 times"),
                 assessed(row("Torch.mm.0.backward.output.0", Status::kPass, "torch.float32", {}),
                          outcome::Assessment::kFine, 0, "")};
  ApiOutcome shape = outcome("Torch.cat.0", Status::kError);
  shape.rows = {assessed(row("Torch.cat.0.forward.output.0", Status::kError, "torch.float32", {}),
                         outcome::Assessment::kSuspect, std::numeric_limits<double>::infinity(),
                         "suspect: another shape")};
  for (const ApiOutcome& api : {explained, passed, shape}) terminal.done(api, 1);
  terminal.summary("r.csv", "d.csv", "msprobe acc_check", "msprobe --rerun-failed r.csv");
  EXPECT_EQ(
      fake.printed(),
      "          pass  warning  error  SKIP  none\n"
      "forward      1        0      2     0     0\n"
      "backward     2        0      0     0     1\n"
      "not passed 2: 1 rounding, 1 suspect; passed but suspect 1\n"
      "\n"
      "Worst rows\n"
      "  error, suspect   Torch.cat.0.forward.output.0  torch.float32   suspect: another shape\n"
      "  pass, suspect    Torch.mm.0.forward.output.0   torch.float32   suspect: root mean square error 82 times  "
      "最大绝对误差 1e-06\n"
      "  error, rounding  Torch.mul.0.forward.output.0  torch.bfloat16  双百指标 0.95 <= 0.99\n"
      "\n"
      "To check one of these alone again\n"
      "  msprobe acc_check --only '^Torch\\.mm\\.0$'\n"
      "  msprobe acc_check --only '^Torch\\.cat\\.0$'\n"
      "  msprobe acc_check --only '^Torch\\.mul\\.0$'\n"
      "\n"
      "Results  r.csv\n"
      "Details  d.csv\n"
      "To check all with error or warning, or suspect again: msprobe --rerun-failed r.csv\n");
}

TEST(SummaryTest, ARunInWhichEverythingWasSkippedSaysSoLoudly) {
  FakeConsole fake;
  const Options options;
  const config::Standards limits = standards();
  Terminal terminal(options, limits, 3, fake.console(false, true));
  for (int i = 0; i < 3; ++i) {
    ApiOutcome o = outcome("a", Status::kSkip, i == 0 ? Status::kSkip : Status::kBlank);
    o.message = i < 2 ? "in the black list" : "";
    terminal.done(o, 1);
  }
  terminal.summary("r.csv", "d.csv", "msprobe", "msprobe --rerun-failed r.csv");
  const std::string text = fake.printed();
  EXPECT_EQ(text.find("--rerun-failed"), std::string::npos);  // none failed
  EXPECT_NE(text.find("\n\x1b[1mNothing was checked: all 3 APIs were skipped.\x1b[0m\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  2  in the black list\n  1  no reason given\n"), std::string::npos) << text;
}

TEST(SummaryTest, QuietKeepsCountsPathsAndHowToCheckTheFailingAgain) {
  FakeConsole fake;
  Options options;
  options.quiet = true;
  const config::Standards limits = standards();
  Terminal terminal(options, limits, 1, fake.console(true));
  terminal.done(outcome("Torch.mul.0", Status::kError, Status::kBlank, 1), 1);
  terminal.summary("r.csv", "d.csv", "msprobe", "msprobe --rerun-failed r.csv");
  EXPECT_EQ(fake.printed(),
            "          pass  warning  error  SKIP  none\n"
            "forward      0        0      1     0     0\n"
            "backward     0        0      0     0     1\n"
            "\n"
            "Results  r.csv\n"
            "Details  d.csv\n"
            "To check all with error or warning again: msprobe --rerun-failed r.csv\n");
}

TEST(SummaryTest, TenOfEachAndHowManyMore) {
  FakeConsole fake;
  const Options options;
  const config::Standards limits = standards();
  Terminal terminal(options, limits, 60, fake.console(false));
  for (int i = 0; i < 30; ++i) {
    ApiOutcome o = outcome("Torch.mul." + std::to_string(i), Status::kError, Status::kBlank, i + 1);
    o.rows = {row(o.api + ".forward.output.0", Status::kError, "torch.float32", {{Figure::kCosine, 0.5 - i * 0.01}})};
    terminal.done(o, 1);
  }
  for (int i = 0; i < 5; ++i) terminal.done(outcome("Torch.add." + std::to_string(i), Status::kWarning), 1);
  terminal.summary("r.csv", "d.csv", "msprobe", "msprobe --rerun-failed r.csv");
  const std::string text = fake.printed();
  const auto lines_with = [&](const std::string& what) {
    size_t count = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(lines_with("余弦相似度"), 10u);
  EXPECT_EQ(lines_with("0 s  Torch.mul."), 10u);
  EXPECT_EQ(lines_with("--only '^Torch\\.mul\\."), 10u);
  EXPECT_EQ(lines_with("  ... and 25 more in the results, with their names for the one behind --only\n"), 1u);
  EXPECT_NE(text.find("  30.000 s  Torch.mul.29\n"), std::string::npos);
}

// An API that crashed has no figures, but another try may have.
TEST(SummaryTest, WhatWasCutShortCanBeCheckedAgain) {
  FakeConsole fake;
  const Options options;
  const config::Standards limits = standards();
  Terminal terminal(options, limits, 4, fake.console(false));
  const auto skip = [&](const std::string& api, const std::string& message) {
    ApiOutcome o = outcome(api, Status::kSkip, Status::kSkip);
    o.message = message;
    o.reason = outcome::reason_of(message);
    terminal.done(o, 1);
  };
  skip("Torch.mul.0", "crashed: SIGSEGV (segmentation fault)");
  skip("Torch.mul.1", "on the black list");
  skip("Torch.mul.2", "timed out after 5 s in the golden");
  terminal.done(outcome("Torch.mul.3", Status::kPass), 1);
  terminal.summary("r.csv", "d.csv", "msprobe", "msprobe --rerun-failed r.csv");
  const std::string text = fake.printed();
  EXPECT_NE(text.find("  msprobe --only '^Torch\\.mul\\.0$'\n  msprobe --only '^Torch\\.mul\\.2$'\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("--only '^Torch\\.mul\\.1$'"), std::string::npos);
  EXPECT_NE(text.find("To check all with error or warning, or cut short, again: msprobe --rerun-failed r.csv\n"),
            std::string::npos)
      << text;
}

TEST(SummaryTest, NothingLeftToCheckIsSaid) {
  FakeConsole fake;
  const Options options;
  const config::Standards limits = standards();
  Terminal terminal(options, limits, 0, fake.console(false));
  terminal.summary("r.csv", "d.csv", "msprobe", "msprobe --rerun-failed r.csv");
  EXPECT_NE(fake.printed().find("\nNo API was checked in this run.\n"), std::string::npos);
}

TEST(RepeatAloneTest, QuotesForTheShellAndForTheExpression) {
  EXPECT_EQ(repeat_alone("msprobe", "Torch.mul.0"), "msprobe --only '^Torch\\.mul\\.0$'");
  EXPECT_EQ(repeat_alone("msprobe", "a+b(c)"), "msprobe --only '^a\\+b\\(c\\)$'");
  EXPECT_EQ(repeat_alone("msprobe", "it's"), "msprobe --only '^it'\\''s$'");
}

}  // namespace
}  // namespace msprobe::report
