#include "options/compat.h"

#include <gtest/gtest.h>

#include "util/error.h"

namespace msprobe::options {
namespace {

using Words = std::vector<std::string>;

struct Spelling {
  const char* rule;
  Command command;
  Words typed;
  Words canonical;
};

void PrintTo(const Spelling& spelling, std::ostream* out) {
  *out << spelling.rule;
}

class CanonicalArgumentsTest : public testing::TestWithParam<Spelling> {};

TEST_P(CanonicalArgumentsTest, Rewrites) {
  EXPECT_EQ(canonical_arguments(GetParam().command, GetParam().typed), GetParam().canonical);
}

constexpr Command kAcc = Command::kAccCheck;
constexpr Command kMulti = Command::kMultiAccCheck;
constexpr Command kCompare = Command::kPrecisionCompare;

INSTANTIATE_TEST_SUITE_P(
    All, CanonicalArgumentsTest,
    testing::Values(
        Spelling{"single dash long name", kAcc, {"-api_info", "d.json"}, {"--api_info_file", "d.json"}},
        Spelling{"double dash long name", kAcc, {"--api_info_file", "d.json"}, {"--api_info_file", "d.json"}},
        Spelling{"value joined by =", kAcc, {"-csv_path=r.csv"}, {"--result_csv_path", "r.csv"}},
        Spelling{"value with = in it", kAcc, {"--only=a=b"}, {"--only", "a=b"}},
        Spelling{"one letter", kAcc, {"-o", "out"}, {"--out_path", "out"}},
        Spelling{"one letter, value joined", kAcc, {"-o/path"}, {"--out_path", "/path"}},
        Spelling{"one letter, number joined", kAcc, {"-d0"}, {"--device", "0"}},
        Spelling{"several values",
                 kMulti,
                 {"-d", "0", "1", "2", "-n", "32"},
                 {"--device", "0", "--device", "1", "--device", "2", "--num_splits", "32"}},
        Spelling{"number joined to -n", kMulti, {"-n32"}, {"--num_splits", "32"}},
        Spelling{"flag alone", kAcc, {"-save_error_data"}, {"--save_error_data"}},
        Spelling{"flag by two dashes", kAcc, {"--save_error_data"}, {"--save_error_data"}},
        Spelling{"flags in one word", kAcc, {"-fj"}, {"--filter_api", "--jit_compile"}},
        Spelling{"flags and a value in one word", kAcc, {"-jd1"}, {"--jit_compile", "--device", "1"}},
        Spelling{"-vv counts", kAcc, {"-vv"}, {"--verbose", "--verbose"}},
        Spelling{"-config", kAcc, {"-config", "c.json"}, {"--config_path", "c.json"}},
        Spelling{"beginning of a two dash name", kAcc, {"--api", "d.json"}, {"--api_info_file", "d.json"}},
        Spelling{"beginning of a one dash name", kAcc, {"-csv", "r.csv"}, {"--result_csv_path", "r.csv"}},
        Spelling{"beginning with =", kAcc, {"--api=d.json"}, {"--api_info_file", "d.json"}},
        Spelling{"beginning of -save_error_data", kAcc, {"-save"}, {"--save_error_data"}},
        Spelling{
            "--dev is MindStudio's --device, though there is --device_type", kAcc, {"--dev", "1"}, {"--device", "1"}},
        Spelling{"--o is MindStudio's --out_path, though there is --only", kAcc, {"--o", "x"}, {"--out_path", "x"}},
        Spelling{"beginning of one of our own", kAcc, {"--time", "5"}, {"--timeout", "5"}},
        Spelling{"long name after one dash", kAcc, {"-out_path", "x"}, {"--out_path", "x"}},
        Spelling{"- and _ are the same in a long name",
                 kAcc,
                 {"--out-path", "x", "--fail_on", "error"},
                 {"--out_path", "x", "--fail-on", "error"}},
        Spelling{"the last one counts", kAcc, {"-o", "a", "-f", "-o", "b"}, {"--filter_api", "--out_path", "b"}},
        Spelling{"-npu and -gpu",
                 kCompare,
                 {"-npu", "n.csv", "-gpu", "g.csv"},
                 {"--npu_csv_path", "n.csv", "--gpu_csv_path", "g.csv"}},
        Spelling{"-np is -npu where there is no -n", kCompare, {"-np", "n.csv"}, {"--npu_csv_path", "n.csv"}},
        Spelling{"without a name",
                 Command::kMerge,
                 {"a", "-o", "out", "b,c"},
                 {"--parts", "a", "--parts", "b,c", "--out_path", "out"}},
        Spelling{"a dump without its name", kAcc, {"d.json", "-f"}, {"--api_info_file", "d.json", "--filter_api"}},
        Spelling{"behind options", kMulti, {"-n", "4", "d.json"}, {"--num_splits", "4", "--api_info_file", "d.json"}},
        Spelling{"named twice, the same", kAcc, {"d.json", "-api_info", "d.json"}, {"--api_info_file", "d.json"}},
        Spelling{"two results",
                 Command::kDiff,
                 {"a", "b", "--fail-on", "worse"},
                 {"--results", "a", "--results", "b", "--fail-on", "worse"}},
        Spelling{"a negative number is a value", kAcc, {"-d", "-1"}, {"--device", "-1"}}));

struct Refusal {
  const char* rule;
  Command command;
  Words typed;
  const char* message;
};

void PrintTo(const Refusal& refusal, std::ostream* out) {
  *out << refusal.rule;
}

class CanonicalArgumentsErrorTest : public testing::TestWithParam<Refusal> {};

TEST_P(CanonicalArgumentsErrorTest, SaysWhatIsWrong) {
  try {
    canonical_arguments(GetParam().command, GetParam().typed);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CanonicalArgumentsErrorTest,
    testing::Values(
        Refusal{"unknown, near", kAcc, {"--out-pth", "x"}, "unknown option --out-pth, did you mean --out_path?"},
        Refusal{"unknown, near a one dash name",
                kAcc,
                {"-api_inof", "x"},
                "unknown option -api_inof, did you mean -api_info?"},
        Refusal{"unknown, nothing near", kAcc, {"--zzzzzz"}, "unknown option --zzzzzz"},
        Refusal{
            "another subcommand's", kAcc, {"-npu", "x"}, "unknown option -npu; -npu belongs to api_precision_compare"},
        Refusal{"ambiguous, one dash", kAcc, {"-c", "x"}, "ambiguous option: -c could match -config, -csv_path"},
        Refusal{"ambiguous among our own",
                kAcc,
                {"--t", "5"},
                "ambiguous option: --t could match --torch_npu, --threads, --timeout"},
        Refusal{"value missing at the end", kAcc, {"-api_info"}, "-api_info needs a value FILE"},
        Refusal{"value missing before an option", kAcc, {"-o", "-f"}, "-o needs a value DIR"},
        Refusal{"empty text",
                kAcc,
                {"-csv_path", ""},
                "-csv_path needs CSV, found an empty text (an unset shell variable?); give a value, or leave it out"},
        Refusal{"empty text behind =",
                kAcc,
                {"--out_path="},
                "--out_path needs DIR, found an empty text (an unset shell variable?); give a value, or leave it out"},
        Refusal{"empty text among several",
                kAcc,
                {"-d", "0", ""},
                "-d needs ID..., found an empty text (an unset shell variable?); give a value, or leave it out"},
        Refusal{"value for a flag", kAcc, {"--filter_api=yes"}, "--filter_api takes no value, found \"yes\""},
        Refusal{"letters behind a flag", kAcc, {"-fx"}, "unknown option -x in -fx; -f takes no value"},
        Refusal{"argument without an option",
                kCompare,
                {"npu.csv"},
                "unexpected argument \"npu.csv\"; msprobe api_precision_compare -h shows the options"},
        Refusal{"second value of an option that takes one",
                kCompare,
                {"-o", "a", "b"},
                "unexpected argument \"b\"; msprobe api_precision_compare -h shows the options"},
        Refusal{"two dumps", kAcc, {"a.json", "b.json"}, "two dumps are named, a.json and b.json; give one of them"},
        Refusal{"a dump by name and another without",
                kAcc,
                {"-api_info", "a.json", "b.json"},
                "two dumps are named, a.json and b.json; give one of them"},
        Refusal{"and the other way round",
                kMulti,
                {"a.json", "-api_info", "b.json"},
                "two dumps are named, a.json and b.json; give one of them"},
        Refusal{"an empty text for a dump",
                kAcc,
                {""},
                "acc_check needs FILE, found an empty text (an unset shell variable?); give a value, or leave it out"},
        Refusal{"--", kAcc, {"--"}, "unexpected argument \"--\"; msprobe acc_check -h shows the options"}));

TEST(SplitCommandTest, NothingShowsHelp) {
  EXPECT_EQ(split_command({}).action, Front::Action::kHelp);
}

TEST(SplitCommandTest, HelpAndVersion) {
  for (const char* word : {"-h", "--help", "help"})
    EXPECT_EQ(split_command({word}).action, Front::Action::kHelp) << word;
  for (const char* word : {"-V", "--version"}) EXPECT_EQ(split_command({word}).action, Front::Action::kVersion) << word;
}

TEST(SplitCommandTest, FrameworkBeforeTheSubcommand) {
  const std::vector<Words> forms = {{"-f", "pytorch"},          {"-fpytorch"},           {"-f=pytorch"},
                                    {"--framework", "pytorch"}, {"--framework=pytorch"}, {}};
  for (Words words : forms) {
    words.insert(words.end(), {"multi_acc_check", "-f", "-api_info", "d.json"});
    const Front front = split_command(words);
    EXPECT_EQ(front.action, Front::Action::kCommand);
    EXPECT_EQ(front.command, Command::kMultiAccCheck);
    EXPECT_EQ(front.arguments, (Words{"-f", "-api_info", "d.json"}));
  }
}

TEST(SplitCommandTest, Refuses) {
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"-f", "mindspore", "acc_check"}, "-f mindspore: only pytorch can be checked"},
      {{"acc_chekc"}, "unknown subcommand \"acc_chekc\", did you mean acc_check?"},
      {{"zzz"},
       "unknown subcommand \"zzz\"; there are acc_check, multi_acc_check, api_precision_compare, merge, diff, apis, "
       "overview"},
      {{"compare"},
       "compare is a command of the Python package mindstudio-probe, not of this program; to judge an NPU's acc_check "
       "by "
       "a GPU's: msprobe api_precision_compare; two runs of one dump: msprobe diff"},
      {{"-f", "pytorch", "run_ut", "-api_info", "d.json"},
       "run_ut is a command of the Python package mindstudio-probe, not of this program; it is called acc_check here: "
       "msprobe acc_check -api_info ./dump.json"},
      {{"graph_visualize"},
       "graph_visualize is a command of the Python package mindstudio-probe, not of this program; run it with the "
       "msprobe "
       "that pip install mindstudio-probe brings"},
      {{"-api_info", "d.json"},
       "unknown option -api_info before the subcommand; name one first: acc_check, multi_acc_check, "
       "api_precision_compare, merge, diff, apis, overview"},
  };
  for (const auto& [words, message] : cases) {
    try {
      split_command(words);
      ADD_FAILURE() << message;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
}

}  // namespace
}  // namespace msprobe::options
