#include "options/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "options/help.h"
#include "support/shell.h"
#include "support/temp_folder.h"
#include "util/error.h"

namespace msprobe::options {
namespace {

using testing::HasSubstr;

TEST(GenerateTest, ManualNamesEverySubcommandAndOption) {
  const std::string page = manual_page();
  for (const CommandInfo& command : commands()) {
    EXPECT_THAT(page, HasSubstr("\n.SH " + std::string(command.name) + "\n"));
  }
  EXPECT_THAT(page, HasSubstr("\n.B \\-csv_path, \\-\\-result_csv_path CSV\nresume: accuracy_checking_result_*.csv\n"));
  EXPECT_THAT(page, HasSubstr("\n.B \\-\\-timeout SECONDS\nan API may take, 0 for ever [600]\n"));
  EXPECT_THAT(page, HasSubstr("\n.B 130\n"));
}

TEST(GenerateTest, NoLineOfTheManualIsTakenForARequest) {
  std::string line;
  for (char c : manual_page()) {
    if (c != '\n') {
      line += c;
      continue;
    }
    if (!line.empty() && (line[0] == '.' || line[0] == '\'')) {
      const std::string request = line.substr(1, line.find(' ') == std::string::npos ? 2 : line.find(' ') - 1);
      EXPECT_THAT((std::array{"TH", "SH", "B", "RI", "br", "PP", "nf", "fi", "TP"}), testing::Contains(request))
          << line;
    }
    line.clear();
  }
}

/// What bash offers behind `words`, the last of which is being typed.
std::string completions(const std::string& words, int count) {
  const support::TempFolder folder;
  const std::string script = folder.write("complete.bash", bash_completion() + "COMP_WORDS=(" + words +
                                                               ")\nCOMP_CWORD=" + std::to_string(count - 1) +
                                                               "\n_msprobe\necho \"${COMPREPLY[*]}\"\n");
  return support::printed_by("bash --norc '" + script + "'");
}

TEST(BashCompletionTest, OffersSubcommandsThenTheirOptions) {
  EXPECT_EQ(completions("msprobe ''", 2),
            "acc_check multi_acc_check api_precision_compare merge diff apis overview --help --version\n");
  EXPECT_EQ(completions("msprobe mul", 2), "multi_acc_check\n");
  EXPECT_EQ(completions("msprobe acc_check --t", 3), "--torch_npu --threads --timeout\n");
  EXPECT_EQ(completions("msprobe acc_check -api_info d.json -csv", 5), "-csv_path\n");
  EXPECT_EQ(completions("msprobe acc_check --num", 3), "\n");
  EXPECT_EQ(completions("msprobe multi_acc_check --num", 3), "--num_splits\n");
}

TEST(BashCompletionTest, OffersTheChoicesOfAnOption) {
  EXPECT_EQ(completions("msprobe acc_check --device_type n", 4), "npu\n");
  EXPECT_EQ(completions("msprobe acc_check --fail-on ''", 4), "error warning skip suspect\n");
  EXPECT_EQ(completions("msprobe diff --fail-on ''", 4), "worse\n");
}

TEST(BashCompletionTest, LeavesFilesToTheShell) {
  EXPECT_EQ(completions("msprobe acc_check -api_info d", 4), "\n");
}

TEST(GenerateTest, UnknownKindNamesTheKnown) {
  try {
    generate("complete-bahs");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "\"complete-bahs\" is not one of man, complete-bash, did you mean complete-bash?");
  }
}

}  // namespace
}  // namespace msprobe::options
