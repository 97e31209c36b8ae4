// Users' goldens in whole runs of the program.
#include <gmock/gmock.h>

#include "goldens/support.h"
#include "inputs/value.h"
#include "report/csv_reader.h"
#include "report/pt_writer.h"
#include "support/program.h"

namespace msprobe::goldens {
namespace {

namespace fs = std::filesystem;
using support::content;
using support::Outcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Entries of a statistics dump.
std::string tensor(const std::string& dtype, const std::string& shape,
                   const std::string& range = "\"Max\": 1.0, \"Min\": -1.0") {
  return "{\"type\": \"torch.Tensor\", \"dtype\": \"torch." + dtype + "\", \"shape\": [" + shape + "], " + range +
         ", \"requires_grad\": false}";
}
std::string number(int n) {
  return "{\"type\": \"int\", \"value\": " + std::to_string(n) + "}";
}
std::string api(const std::string& name, const std::string& args, const std::string& kwargs,
                const std::string& output) {
  return "\"" + name + ".forward\": {\"input_args\": [" + args + "], \"input_kwargs\": {" + kwargs +
         "}, \"output\": [" + output + "]}";
}

class UsersProgramTest : public ::testing::Test {
 protected:
  Outcome msprobe(const std::string& arguments, const std::string& environment = "") {
    return support::run_program(folder_ / "", arguments, environment);
  }

  void write(const std::vector<std::string>& apis, const std::string& yaml, const std::string& task = "statistics",
             const std::string& data_folder = "null") {
    std::string data;
    for (const auto& a : apis) data += (data.empty() ? "" : ",\n") + a;
    folder_.write("dump.json", "{\"task\": \"" + task +
                                   "\", \"level\": \"L1\", \"framework\": \"pytorch\", \"dump_data_dir\": " +
                                   data_folder + ", \"data\": {" + data + "}}\n");
    folder_.write("fused.yaml", yaml);
    folder_.write("config.yaml", "fused_operators: fused.yaml\n");
  }

  // "API forward|message" of each line of the result file.
  std::vector<std::string> check(const std::string& options = "", const std::string& environment = "") {
    fs::remove_all(folder_ / "out");
    const Outcome run = msprobe(
        "acc_check -api_info dump.json -config config.yaml -o out --device_type cpu -q " + options, environment);
    EXPECT_EQ(run.code, 0) << run.err;
    std::vector<std::string> lines;
    if (!fs::exists(folder_ / "out")) return lines;
    for (const auto& entry : fs::directory_iterator(folder_ / "out")) {
      if (!entry.path().filename().string().starts_with("accuracy_checking_result")) continue;
      const report::Table table =
          report::read_table(entry.path().string(), {"API name", "Forward Test Success", "Message"});
      for (const auto& row : table.rows)
        lines.push_back(std::string(row[table.column("API name")]) + " " +
                        std::string(row[table.column("Forward Test Success")]) + "|" +
                        std::string(row[table.column("Message")]));
    }
    return lines;
  }

  // As messages name it: config.yaml was named relative to the folder, and so is what it names.
  static std::string here(const std::string& file) { return file; }

  Folder folder_;
};

constexpr const char* kNoNpu =
    "no NPU here: the reference ran on both sides, the NPU's own kernel was not checked; golden: ";

// Rows beyond the groups hold what the dtype tells: golden and device never agree there.
constexpr const char* kGroupedMatmul =
    "operators:\n"
    "  npu_grouped_matmul:\n"
    "    source: |\n"
    "      def npu_grouped_matmul(x: List[Tensor], weight: List[Tensor], group_list: Tensor, group_type: int = 0,\n"
    "                             group_list_type: int = 0) -> List[Tensor]:\n"
    "          rows = x[0]\n"
    "          out = torch.full([rows.size(0), weight[0].size(2)], float(rows.element_size()) * 1000.0, "
    "dtype=rows.dtype)\n"
    "          begin = 0\n"
    "          for g in range(group_list.size(0)):\n"
    "              n = int(group_list[g].item())\n"
    "              end = n\n"
    "              if group_list_type == 1:\n"
    "                  end = begin + n\n"
    "              out[begin:end] = rows[begin:end] @ weight[0][g]\n"
    "              begin = end\n"
    "          return [out]\n";

// Two groups of an 8-row x, with real data: what the numbers of group_list say decides.
struct Groups {
  int64_t first, second;
  std::string more;  // keywords
};

class GroupedMatmulTest : public UsersProgramTest {
 protected:
  std::string save(const std::string& name, const at::Tensor& t) {
    fs::create_directories(folder_ / "dump_tensor_data");
    report::write_pt(folder_ / ("dump_tensor_data/" + name + ".pt"), inputs::dtype_name(t.scalar_type()),
                     t.sizes().vec(), t.data_ptr(), t.nbytes(), false);
    std::string shape;
    for (int64_t n : t.sizes()) shape += (shape.empty() ? "" : ", ") + std::to_string(n);
    return tensor(inputs::dtype_name(t.scalar_type()).substr(6), shape,
                  "\"Max\": 1.0, \"Min\": -1.0, \"data_name\": \"" + name + ".pt\"");
  }

  void write_calls(const std::vector<Groups>& calls, const std::string& yaml) {
    const std::string x = save("x", wave({8, 4}, 0.1).to(at::kFloat)),
                      weight = save("weight", wave({2, 4, 3}, 0.7).to(at::kFloat));
    std::vector<std::string> apis;
    for (size_t i = 0; i < calls.size(); ++i)
      apis.push_back(
          api("NPU.npu_grouped_matmul." + std::to_string(i), "[" + x + "], [" + weight + "]",
              "\"group_list\": " +
                  save("groups" + std::to_string(i), at::tensor({calls[i].first, calls[i].second}, at::kLong)) +
                  calls[i].more,
              "[" + tensor("float32", "8, 3") + "]"));
    write(apis, yaml, "tensor", "\"" + (folder_ / "dump_tensor_data") + "\"");
  }
  const std::vector<Groups> calls_ = {{3, 3, ", \"group_list_type\": " + number(1)},
                                      {2, 5, ", \"group_type\": " + number(0)},
                                      {4, 4, ", \"group_list_type\": " + number(1)},
                                      {3, 3, ", \"group_list_type\": " + number(1) + ", \"group_type\": " + number(2)}};
};

TEST_F(GroupedMatmulTest, RowsBeyondTheGroupsAreNotJudgedAndMessageSaysHowMany) {
  write_calls(calls_, kGroupedMatmul);
  const std::string golden = kNoNpu + ("TorchScript " + here("fused.yaml:4"));
  const auto lines = check();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "NPU.npu_grouped_matmul.0 pass|" + golden +
                          "; output 0: 2 of 8 rows lie beyond group_list and are not judged");
  EXPECT_EQ(lines[1], "NPU.npu_grouped_matmul.1 pass|" + golden +
                          "; output 0: 3 of 8 rows lie beyond group_list and are not judged");
  EXPECT_EQ(lines[2], "NPU.npu_grouped_matmul.2 pass|" + golden);  // every row is written
  // Groups of another dimension.
  EXPECT_EQ(lines[3], "NPU.npu_grouped_matmul.3 error|" + golden +
                          "; forward.output.0: 双千指标 0.75 <= 0.999; as the CPU in float32 arithmetic");
}

TEST_F(GroupedMatmulTest, ARuleThatIsTakenBackHoldsNoMore) {
  write_calls(calls_, std::string(kGroupedMatmul) + "output_valid_rows: {npu_grouped_matmul: }\n");
  for (const std::string& line : check()) {
    EXPECT_THAT(line, testing::Not(HasSubstr("not judged")));
    EXPECT_THAT(line, HasSubstr(line.find("matmul.2") == std::string::npos ? " error|" : " pass|"));
  }
}

TEST_F(UsersProgramTest, ARuleCanNameAnyApi) {
  write({api("NPU.npu_padded.0", tensor("float32", "6, 2") + ", " + tensor("int32", "3", "\"Max\": 4, \"Min\": 4"), "",
             tensor("float32", "6, 2"))},
        "operators:\n"
        "  npu_padded:\n"
        "    source: |\n"
        "      def npu_padded(x: Tensor, ends: Tensor) -> Tensor:\n"
        "          y = x.clone()\n"
        "          y[int(ends[-1].item()):] = float(x.element_size())\n"
        "          return y\n"
        "output_valid_rows:\n"
        "  npu_padded: {argument: ends, position: 1, list_type: ends}\n");
  EXPECT_THAT(check(), ElementsAre("NPU.npu_padded.0 pass|" + (kNoNpu + ("TorchScript " + here("fused.yaml:4"))) +
                                   "; output 0: 2 of 6 rows lie beyond ends and are not judged"));
}

TEST_F(UsersProgramTest, AGoldenThatFailsCostsItsApiAlone) {
  const std::string x = tensor("float32", "2, 3");
  write({api("NPU.npu_shape.0", x, "", x), api("NPU.npu_count.0", x, "", x), api("NPU.npu_fails.0", x, "", x),
         api("NPU.npu_wrong.0", x, "", x), api("NPU.npu_lib.0", x, "", x), api("NPU.npu_fine.0", x, "", x)},
        "operators:\n"
        "  npu_shape: {source: \"def npu_shape(x: Tensor): return x[0]\"}\n"
        "  npu_count: {source: \"def npu_count(x: Tensor): return x, x\"}\n"
        "  npu_fails: {source: \"def npu_fails(x: Tensor): return x @ x\"}\n"
        "  npu_wrong: {source: \"def npu_wrong(x: Tensor): return torch.no_such(x)\"}\n"
        "  npu_lib: {source: " MSPROBE_PLUGINS
        "/plugin_stale_abi.so}\n"
        "  npu_fine: {source: \"def npu_fine(x: Tensor): return x * 2\"}\n");
  const std::string yaml = here("fused.yaml");
  const auto lines = check();
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0], "NPU.npu_shape.0 SKIP|output 0: the golden (TorchScript " + yaml +
                          ":2) gives shape (3,), recorded shape (2, 3)");
  EXPECT_EQ(lines[1], "NPU.npu_count.0 SKIP|the golden (TorchScript " + yaml + ":3) gives 2 outputs, recorded 1");
  EXPECT_THAT(lines[2],
              testing::StartsWith("NPU.npu_fails.0 SKIP|" + yaml + ":4: mat1 and mat2 shapes cannot be multiplied"));
  EXPECT_THAT(lines[3], testing::StartsWith("NPU.npu_wrong.0 SKIP|" + yaml + ":5: Unknown builtin op: aten::no_such."));
  EXPECT_THAT(lines[4], testing::StartsWith("NPU.npu_lib.0 SKIP|" MSPROBE_PLUGINS
                                            "/plugin_stale_abi.so was built for version 77"));
  EXPECT_THAT(lines[5], testing::StartsWith("NPU.npu_fine.0 pass|"));
}

TEST_F(UsersProgramTest, AGoldenOfAnotherDtypeThatCannotJudgeIsRefused) {
  const std::string x = tensor("float32", "2, 3");
  write({api("NPU.npu_whole.0", x, "", x), api("NPU.npu_less.0", x, "", x)},
        "operators:\n"
        "  npu_whole: {source: \"def npu_whole(x: Tensor): return x.to(torch.int64)\"}\n"
        "  npu_less: {source: \"def npu_less(x: Tensor): return x.to(torch.float16)\"}\n");
  const std::string yaml = here("fused.yaml");
  EXPECT_THAT(check(),
              ElementsAre("NPU.npu_whole.0 SKIP|output 0: the golden (TorchScript " + yaml +
                              ":2) gives torch.int64, recorded torch.float32: another kind of number",
                          "NPU.npu_less.0 SKIP|output 0: the golden (TorchScript " + yaml +
                              ":3) gives torch.float16, recorded torch.float32: less precision than what it is to "
                              "judge"));
}

TEST_F(UsersProgramTest, ANameThatOnlyResemblesOneOfTheDumpIsTold) {
  const std::string x = tensor("float32", "2, 3");
  write({api("NPU.npu_grouped.0", x, "", x), api("NPU.npu_fine.0", x, "", x)},
        "operators:\n"
        "  npu_groupde: {source: \"def npu_groupde(x: Tensor): return x * 2\"}\n"
        "  npu_quite_another: {source: \"def npu_quite_another(x: Tensor): return x * 2\"}\n"
        "  npu_fines: {source: \"def npu_fines(x: Tensor): return x * 2\"}\n"
        "  npu_fine: {source: \"def npu_fine(x: Tensor): return x * 2\"}\n");
  const Outcome run = msprobe("acc_check -api_info dump.json -config config.yaml -o out --device_type cpu -q");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("fused_operators: npu_groupde is not in this dump, did you mean npu_grouped?"));
  EXPECT_THAT(run.err, Not(HasSubstr("npu_quite_another")));  // for other dumps
  EXPECT_THAT(run.err, Not(HasSubstr("npu_fines")));          // npu_fine has a golden of its own
}

TEST_F(UsersProgramTest, GoingOnWithAGoldenThatWasChangedIsRefused) {
  folder_.write("golden.py", "def npu_mine(x: Tensor) -> Tensor:\n    return x * 2\n");
  const std::string x = tensor("float32", "2, 3");
  write({api("NPU.npu_mine.0", x, "", x)}, "operators: {npu_mine: {source: golden.py}}\n");
  ASSERT_EQ(check().size(), 1u);
  const std::string again =
      "acc_check -api_info dump.json -config config.yaml -o out --device_type cpu -q -csv_path "
      "out/accuracy_*result*.csv";
  EXPECT_EQ(msprobe(again).code, 0);
  folder_.write("golden.py", "def npu_mine(x: Tensor) -> Tensor:\n    return x * 3\n");
  const Outcome changed = msprobe(again);
  EXPECT_EQ(changed.code, 2);
  EXPECT_THAT(changed.err, HasSubstr("fused_operators"));
}

TEST_F(UsersProgramTest, AGoldenThatHangsIsEndedWithItsPython) {
  if (std::system("python3 -c pass 2>/dev/null") != 0) GTEST_SKIP() << "no python3 here";
  // A torch that is there at once: the time limit is to meet the golden, not the import.
  folder_.write("stub/torch.py",
                "import contextlib\n"
                "__version__ = 'stub'\n"
                "class Tensor: pass\n"
                "class dtype: pass\n"
                "def manual_seed(seed): pass\n"
                "def set_num_threads(n): pass\n"
                "def set_grad_enabled(on): return contextlib.nullcontext()\n");
  folder_.write(
      "golden.py",
      "import os, time\n"
      "def npu_hangs(n):\n"
      "    open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'pid'), 'w').write(str(os.getpid()))\n"
      "    time.sleep(1000)\n"
      "def npu_fine(n):\n"
      "    return n * 2\n");
  write({api("NPU.npu_hangs.0", number(1), "", number(2)), api("NPU.npu_fine.0", number(3), "", number(6))},
        "operators: {npu_hangs: {source: golden.py}, npu_fine: {source: golden.py}}\n");
  EXPECT_THAT(check("--timeout 4", "PYTHONPATH=stub MSPROBE_PYTHON=\"$(command -v python3)\""),
              ElementsAre("NPU.npu_hangs.0 SKIP|timed out after 4 s in the golden",
                          "NPU.npu_fine.0 pass|" + (kNoNpu + ("Python " + here("golden.py:5")))));
  const std::string pid = content(folder_ / "pid");
  ASSERT_NE(pid, "");
  std::ifstream stat("/proc/" + pid + "/stat");  // gone, or waiting for its parent's parent to notice
  std::string id, name, state = "X";
  stat >> id >> name >> state;
  EXPECT_TRUE(state == "X" || state == "Z") << pid << " is " << state;
}

TEST_F(UsersProgramTest, APythonGoldenImportsNothingOfTheCurrentFolder) {
  if (std::system("python3 -c pass 2>/dev/null") != 0) GTEST_SKIP() << "no python3 here";
  const std::string trap = "open('" + (folder_ / "mark") + "', 'a').write(__name__ + '\\n')\n";
  for (const char* module : {"sitecustomize", "json", "struct", "socket", "mmap", "torch", "traceback"})
    folder_.write(std::string(module) + ".py", trap);
  folder_.write("stub/torch.py",
                "import contextlib\n"
                "__version__ = 'stub'\n"
                "class Tensor: pass\n"
                "class dtype: pass\n"
                "def manual_seed(seed): pass\n"
                "def set_num_threads(n): pass\n"
                "def set_grad_enabled(on): return contextlib.nullcontext()\n");
  folder_.write("goldens/helper.py", "def twice(n):\n    return n * 2\n");
  folder_.write("goldens/golden.py", "import helper\ndef npu_twice(n):\n    return helper.twice(n)\n");
  folder_.write("python3", "#!/bin/sh\ntouch '" + (folder_ / "mark") + "'\n");
  fs::permissions(folder_ / "python3", fs::perms::owner_all);
  write({api("NPU.npu_twice.0", number(3), "", number(6))}, "operators: {npu_twice: {source: goldens/golden.py}}\n");
  // An empty entry of PYTHONPATH, and one of PATH, is the current folder.
  const std::string python = "MSPROBE_PYTHON=\"$(command -v python3)\"";
  for (const std::string& environment : {"PYTHONPATH=stub: " + python, "PYTHONPATH=:stub " + python,
                                         std::string("PYTHONPATH=stub: MSPROBE_PYTHON= PATH=\".::$PATH\""),
                                         std::string("PYTHONPATH=stub: MSPROBE_PYTHON=python3")}) {
    EXPECT_THAT(check("", environment),
                ElementsAre("NPU.npu_twice.0 pass|" + (kNoNpu + ("Python " + here("goldens/golden.py:2")))))
        << environment;
    EXPECT_EQ(content(folder_ / "mark"), "") << environment;
    EXPECT_FALSE(fs::exists(folder_ / "mark")) << environment;
  }
}

TEST_F(UsersProgramTest, WithoutPythonTheReasonIsSaid) {
  folder_.write("golden.py", "def npu_plain(x):\n    return x\n");
  write({api("NPU.npu_plain.0", tensor("float32", "2"), "", tensor("float32", "2"))},
        "operators: {npu_plain: {source: golden.py}}\n");
  EXPECT_THAT(check("", "MSPROBE_PYTHON=/nowhere/python"),
              ElementsAre("NPU.npu_plain.0 SKIP|goldens in Python need a Python with torch: MSPROBE_PYTHON names "
                          "/nowhere/python, which is no program"));
}

TEST_F(UsersProgramTest, AGoldenOfAnotherTypeStandsBesideTheRealOperator) {
  const std::string x = tensor("float32", "64");
  write({api("Functional.gelu.0", x, "", x), api("Functional.relu.0", x, "", x)},
        "operators:\n"
        "  Functional.gelu: {source: \"def gelu(input: Tensor, approximate: str = 'none'): return input * 0.5 * (1 + "
        "torch.erf(input / math.sqrt(2.0)))\"}\n"
        "  Functional.relu: {source: \"def relu(input: Tensor): return input\"}\n");  // wrong on purpose
  // The operator is no witness for itself.
  EXPECT_THAT(check(), ElementsAre("Functional.gelu.0 pass|golden: TorchScript " + here("fused.yaml:2"),
                                   testing::AllOf(testing::StartsWith("Functional.relu.0 error|golden: TorchScript " +
                                                                      here("fused.yaml:3") + "; forward.output.0: "),
                                                  testing::HasSubstr("; suspect: "))));
}

TEST_F(UsersProgramTest, ListAndApisShowWhereEachGoldenComesFrom) {
  const std::string x = tensor("float32", "2, 4");
  folder_.write("golden.py", "def npu_plain(x):\n    return x\n");
  write({api("NPU.npu_mish.0", x, "", x), api("NPU.npu_plain.0", x, "", x), api("NPU.npu_swiglu.0", x, "", x),
         api("NPU.npu_lib.0", x, "", x), api("Functional.gelu.0", x, "", x)},
        "operators:\n"
        "  npu_plain: {source: golden.py}\n"
        "  npu_swiglu: {source: \"def npu_swiglu(x: Tensor): return x\"}\n"
        "  npu_lib: {source: " MSPROBE_PLUGINS
        "/plugin_goldens.so, forward: lib_swiglu}\n"
        "  Functional.gelu: {source: golden.py, forward: npu_plain}\n");
  const Outcome list = msprobe("acc_check -api_info dump.json -config config.yaml --list");
  EXPECT_EQ(list.code, 0) << list.err;
  for (const std::string& line :
       {std::string("reference of npu_mish (built in)"), "reference of npu_plain (Python " + here("golden.py:1)"),
        "reference of npu_swiglu (TorchScript " + here("fused.yaml:3)"),
        std::string("reference of npu_lib (library " MSPROBE_PLUGINS "/plugin_goldens.so)"),
        "aten::gelu, golden: Python " + here("golden.py:1")})
    EXPECT_THAT(list.out, HasSubstr(line));
  const Outcome apis = msprobe("apis -config config.yaml --only 'npu_plain|npu_swiglu$|npu_mish$|Functional.gelu$'");
  EXPECT_EQ(apis.code, 0) << apis.err;
  for (const std::string& line :
       {std::string("fused golden (built in)"), "fused golden (Python " + here("golden.py:1)"),
        "fused golden (TorchScript " + here("fused.yaml:3)"),
        "by schema (aten::gelu), golden: Python " + here("golden.py:1")})
    EXPECT_THAT(apis.out, HasSubstr(line));
}

TEST_F(UsersProgramTest, ABrokenFileEndsTheRunBeforeItBegins) {
  write({api("NPU.npu_mish.0", tensor("float32", "2"), "", tensor("float32", "2"))},
        "operators:\n  npu_mish: {source: missing.py}\n");
  const Outcome run = msprobe("acc_check -api_info dump.json -config config.yaml -o out --device_type cpu");
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.err, "msprobe: error: " + here("fused.yaml") + ":2: source: there is no file " + here("missing.py") +
                         "; paths are relative to the yaml file; text of one line begins with \"def \"\n");
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

}  // namespace
}  // namespace msprobe::goldens
