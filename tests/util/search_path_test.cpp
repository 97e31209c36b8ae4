#include "util/search_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/temp_folder.h"
#include "support/variable.h"

namespace msprobe::util {
namespace {

namespace fs = std::filesystem;
using support::Variable;
using testing::Contains;
using testing::Not;
using testing::StartsWith;

class SearchPathTest : public testing::Test {
 protected:
  SearchPathTest() : before_(fs::current_path()) {
    for (const char* name : {"tool", "sub/tool", "bin/tool"}) {
      folder_.write(name, "#!/bin/sh\n");
      fs::permissions(folder_ / name, fs::perms::owner_all);
    }
    folder_.write("bin/data", "no program");
    fs::current_path(folder_);
  }
  ~SearchPathTest() override { fs::current_path(before_); }
  const support::TempFolder folder_;
  fs::path before_;
};

TEST_F(SearchPathTest, ProgramsOfTheCurrentFolderAreNotFound) {
  const std::string bin = folder_ / "bin";
  for (const std::string& path : {std::string(":.:sub:./sub"), std::string(), std::string("."), std::string("::")})
    EXPECT_EQ((Variable("PATH", path.c_str()), program_in_path("tool")), "") << path;
  const Variable path("PATH", (".:sub::" + bin + ":").c_str());
  EXPECT_EQ(program_in_path("tool"), bin + "/tool");
  EXPECT_EQ(program_in_path("data"), "");
  EXPECT_EQ(program_in_path("absent"), "");
}

TEST_F(SearchPathTest, WithoutPathTheSystemsFoldersAreLookedThrough) {
  const Variable path("PATH", nullptr);
  EXPECT_THAT(program_in_path("sh"), testing::AnyOf("/usr/bin/sh", "/bin/sh"));
}

TEST_F(SearchPathTest, PythonPathLosesItsEmptyEntriesAlone) {
  EXPECT_EQ((Variable("PYTHONPATH", nullptr), python_path()), "");
  EXPECT_EQ((Variable("PYTHONPATH", "::"), python_path()), "");
  EXPECT_EQ((Variable("PYTHONPATH", ":/a::stub:"), python_path()), "/a:stub");
}

TEST_F(SearchPathTest, TheEnvironmentOfAPythonNamesNoCurrentFolder) {
  const Variable path("PATH", ".:/usr/bin::"), python("PYTHONPATH", ":"), other("SEARCH_PATH_TEST", "a=b");
  const Variable safe("PYTHONSAFEPATH", nullptr);
  const std::vector<std::string> all = python_environment({"PYTHONSAFEPATH=1"});
  EXPECT_THAT(all, Contains("PATH=/usr/bin").Times(1));
  EXPECT_THAT(all, Contains(StartsWith("PATH=")).Times(1));
  EXPECT_THAT(all, Not(Contains(StartsWith("PYTHONPATH="))));
  EXPECT_THAT(all, Contains("SEARCH_PATH_TEST=a=b"));
  EXPECT_THAT(all, Contains("PYTHONSAFEPATH=1"));
}

}  // namespace
}  // namespace msprobe::util
