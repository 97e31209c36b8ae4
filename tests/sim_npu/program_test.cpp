// The program on the simulated NPU: what it says without faults is what it says on the CPU; with faults, what and
// where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/version.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include "report/csv_reader.h"
#include "support/program.h"

namespace {

namespace fs = std::filesystem;
using msprobe::support::content;
using msprobe::support::only_file;
using msprobe::support::Outcome;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kData = MSPROBE_TEST_DATA;
const std::string kDemo = kData + "/demo/step0/rank0/dump.json";
const std::string kFused = kData + "/fused/step0/rank0/dump.json";
const std::string kModels = kData + "/sim_npu/models/step0/rank0/dump.json";
const std::string kCalls = kData + "/sim_npu/calls/step0/rank0/dump.json";
const std::string kReplay = kData + "/ops/replay/dump.json";

struct Verdict {
  std::string forward, backward, message;
};

/// What a run wrote. Rows as they stand in the files, by their first cell.
struct Written {
  std::string result_bytes, details_bytes, log;
  std::map<std::string, std::string> result, details;
  std::map<std::string, Verdict> verdicts;
};

std::map<std::string, std::string> rows_of(const std::string& bytes) {
  std::map<std::string, std::string> rows;
  std::istringstream lines(bytes);
  for (std::string line; std::getline(lines, line);) rows[line.substr(0, line.find(','))] = line;
  return rows;
}

std::string api_of(const std::string& row) {
  const size_t direction = std::min(row.find(".forward."), row.find(".backward."));
  return row.substr(0, direction);
}

class SimulatedNpuTest : public msprobe::support::ProgramFixture {
 protected:
  SimulatedNpuTest() { folder_.write("config.json", R"({"hf32_inputs": "off"})"); }

  std::string on_npu(const std::string& dump) const {
    return "acc_check -api_info '" + dump + "' --device_type npu --torch_npu '" MSPROBE_SIM_NPU "' --threads 1 ";
  }

  /// `faults`: the YAML of the fault file, without its log.
  Written run(const std::string& command, const std::string& faults = "") {
    const std::string out = "run" + std::to_string(runs_++);
    std::string environment;
    if (!faults.empty()) {
      const std::string file =
          folder_.write(out + ".yaml", "log: " + (folder_ / (out + ".log")).string() + "\n" + faults);
      environment = "MSPROBE_SIM_NPU_FAULTS='" + file + "'";
    }
    const Outcome outcome = msprobe(command + " -config config.json -o " + out, environment);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    Written r;
    const fs::path result = only_file(out, "accuracy_checking_result_");
    r.result_bytes = content(result);
    r.details_bytes = content(only_file(out, "accuracy_checking_details_"));
    r.log = content(folder_ / (out + ".log"));
    r.result = rows_of(r.result_bytes);
    r.details = rows_of(r.details_bytes);
    for (const auto& row : msprobe::report::read_table(result.string(), {"Message"}).rows)
      r.verdicts[std::string(row[0])] = {std::string(row[1]), std::string(row[2]), std::string(row[3])};
    return r;
  }

  /// The dump on the healthy NPU, run once for all tests.
  const Written& healthy(const std::string& dump) {
    static std::map<std::string, Written> runs;
    auto it = runs.find(dump);
    if (it == runs.end()) it = runs.emplace(dump, run(on_npu(dump))).first;
    return it->second;
  }

  /// Every API but `but` has the rows of the healthy run.
  void expect_healthy(const Written& r, const std::string& dump, const std::vector<std::string>& but) {
    const Written& base = healthy(dump);
    const auto struck = [&](const std::string& api) { return std::find(but.begin(), but.end(), api) != but.end(); };
    for (const auto& [api, row] : base.result) {
      if (struck(api)) continue;
      EXPECT_EQ(r.result.count(api) ? r.result.at(api) : "missing", row);
    }
    for (const auto& [name, row] : base.details) {
      if (struck(api_of(name))) continue;
      EXPECT_EQ(r.details.count(name) ? r.details.at(name) : "missing", row);
    }
    EXPECT_EQ(r.result.size(), base.result.size());
  }

  int runs_ = 0;
};

// ---- without faults

class SameAsTheCpuTest : public SimulatedNpuTest, public testing::WithParamInterface<std::string> {};

// LibTorch takes recurrent cells and dropout apart on the CPU and not on PrivateUse1 (and, before 2.5, attention the
// other way round): the same values, rounded in another order.
bool rounds_elsewhere(const std::string& row) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 5
  static const std::regex names("\\.(dropout|(lstm|gru|rnn_tanh)(_cell)?(\\.input)?)\\.");
#else
  static const std::regex names(
      "\\.(dropout|(lstm|gru|rnn_tanh)(_cell)?(\\.input)?|scaled_dot_product_attention|multi_head_attention_forward)"
      "\\.");
#endif
  return std::regex_search(row, names);
}

TEST_P(SameAsTheCpuTest, VerdictsRowsAndFigures) {
  const Written cpu = run("acc_check -api_info '" + GetParam() + "' --device_type cpu --threads 1");
  const Written& npu = healthy(GetParam());
  ASSERT_EQ(npu.verdicts.size(), cpu.verdicts.size());
  size_t compared = 0;
  for (const auto& [api, verdict] : cpu.verdicts) {
    const Verdict& other = npu.verdicts.at(api);
    EXPECT_EQ(other.forward + "/" + other.backward, verdict.forward + "/" + verdict.backward)
        << api << ": " << other.message;
    // The CPU says of NPU APIs that the NPU's own kernel was not checked.
    if (rounds_elsewhere(api + ".") || api.rfind("NPU.", 0) == 0) continue;
    EXPECT_EQ(npu.result.at(api), cpu.result.at(api));
  }
  ASSERT_EQ(npu.details.size(), cpu.details.size());
  for (const auto& [name, row] : cpu.details) {
    if (rounds_elsewhere(name)) continue;
    EXPECT_EQ(npu.details.at(name), row);
    ++compared;
  }
  EXPECT_GT(compared, cpu.details.size() / 2);
}

std::string name_of_dump(const testing::TestParamInfo<std::string>& info) {
  static const std::vector<std::string> names = {"Demo", "Fused", "Models", "Calls", "Replay"};
  return names[info.index];
}
INSTANTIATE_TEST_SUITE_P(Dumps, SameAsTheCpuTest, testing::Values(kDemo, kFused, kModels, kCalls, kReplay),
                         name_of_dump);

TEST_F(SimulatedNpuTest, TwoWorkersOnTwoCardsWriteTheBytesOfOne) {
  const Written two = run("multi_acc_check -api_info '" + kModels +
                          "' --device_type npu --torch_npu '" MSPROBE_SIM_NPU "' -n 2 -d 0 1 --threads 2");
  EXPECT_EQ(two.result_bytes, healthy(kModels).result_bytes);
  EXPECT_EQ(two.details_bytes, healthy(kModels).details_bytes);
}

TEST_F(SimulatedNpuTest, ACardThatIsNotThereIsSaid) {
  const Outcome outcome = msprobe(on_npu(kDemo) + "-d 2 -o none");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("-d 2: there are 2 npu"));
}

TEST_F(SimulatedNpuTest, VersionTakesTheLibraryThatIsNamed) {
  for (const char* spelling : {"--version --torch_npu '" MSPROBE_SIM_NPU "'", "-V --torch-npu='" MSPROBE_SIM_NPU "'"}) {
    const Outcome outcome = msprobe(spelling);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("\nnpu   2 (" MSPROBE_SIM_NPU));
  }
  EXPECT_THAT(msprobe("--version --torch_npu /nowhere").out, HasSubstr("\nnpu   0 (--torch_npu /nowhere"));
  const Outcome other = msprobe("--version --list");
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(msprobe("--version --torch_npu").code, 2);
}

TEST_F(SimulatedNpuTest, TheLogNamesTheLibrary) {
  ASSERT_EQ(msprobe(on_npu(kDemo) + "--only tanh -v -o out").code, 0);
  EXPECT_THAT(content(folder_ / "stderr.txt") + content(folder_ / "stdout.txt"),
              HasSubstr("device: npu:0 (" MSPROBE_SIM_NPU));
}

TEST_F(SimulatedNpuTest, AGoldenOfAnOperatorThatTorchNpuLacksIsNotSaidToBeUnknown) {
  folder_.write(
      "calls.json",
      R"({"task":"statistics","level":"L1","framework":"pytorch","dump_data_dir":null,"data":{)"
      R"("NPU.npu_my_own.0.forward":{"input_args":[{"type":"torch.Tensor","dtype":"torch.float32","shape":[2,3],)"
      R"("Max":1,"Min":-1,"Mean":0,"Norm":1,"requires_grad":false}],"input_kwargs":{},"output":[]}}})");
  folder_.write("own.yaml",
                "operators:\n  npu_my_own:\n    source: |\n      def npu_my_own(x: Tensor) -> "
                "Tensor:\n          return x * 2\n");
  folder_.write("config.json", R"({"fused_operators": "own.yaml"})");
  const Written r = run(on_npu("calls.json"));
  const std::string& message = r.verdicts.at("NPU.npu_my_own.0").message;
  EXPECT_EQ(r.verdicts.at("NPU.npu_my_own.0").forward, "SKIP");
  EXPECT_THAT(message, StartsWith("torch_npu has no operator npu_my_own; its golden ("));
  EXPECT_THAT(message, HasSubstr("own.yaml"));
  EXPECT_THAT(message, EndsWith(") has nothing to stand against; --device_type cpu runs it on both sides"));
  const Outcome list = msprobe(on_npu("calls.json") + "-config config.json --list");
  EXPECT_THAT(list.out, HasSubstr(message.substr(0, message.find(';'))));
  const Written cpu = run("acc_check -api_info calls.json --device_type cpu --threads 1");
  EXPECT_EQ(cpu.verdicts.at("NPU.npu_my_own.0").forward, "pass");
}

// ---- one fault, one API

struct FaultCase {
  const char* name;
  const char* fault;
  const char *forward, *backward;
  const char* message;  // part of the Message of the API or of one of its rows
  const char* arguments = "";
};

void PrintTo(const FaultCase& c, std::ostream* out) {
  *out << c.fault;
}

class FaultTest : public SimulatedNpuTest, public testing::WithParamInterface<FaultCase> {};

TEST_P(FaultTest, IsFoundOnItsApiAndOnlyThere) {
  const FaultCase& c = GetParam();
  const Written r = run(on_npu(kDemo) + c.arguments, "faults:\n  - {" + std::string(c.fault) + "}\n");
  EXPECT_THAT(r.log, StartsWith("npu:0 aten::tanh"));
  const Verdict& verdict = r.verdicts.at("Torch.tanh.0");
  EXPECT_EQ(verdict.forward, c.forward) << verdict.message;
  EXPECT_EQ(verdict.backward, c.backward) << verdict.message;
  std::string words = verdict.message;
  for (const auto& [name, row] : r.details)
    if (api_of(name) == "Torch.tanh.0") words += "\n" + row;
  EXPECT_THAT(words, HasSubstr(c.message));
  expect_healthy(r, kDemo, {"Torch.tanh.0"});
}

const FaultCase kFaults[] = {
    {"RelativeError", "operator: tanh, kind: relative_error, size: 0.1", "error", "pass", "双百指标"},
    {"BitFlip", "operator: tanh, kind: bit_flip", "error", "error", "余弦相似度"},
    {"Nan", "operator: tanh, kind: nan", "error", "error", "1 of 4096 elements inf or nan on one side only"},
    {"NanInThreePlaces", "operator: tanh, kind: nan, elements: 3", "error", "error", "3 of 4096 elements inf or nan"},
    {"WrongShape", "operator: tanh, kind: wrong_shape", "error", "SKIP",
     "shape (1, 16, 128), the golden's is (2, 16, 128)"},
    {"Error", "operator: tanh, kind: error, message: the kernel failed", "SKIP", "SKIP", "the kernel failed"},
    {"LateError", "operator: tanh, kind: late_error, message: it failed late", "SKIP", "SKIP", "it failed late"},
    {"Abort", "operator: tanh, kind: abort", "SKIP", "SKIP", "crashed: SIGABRT (aborted)"},
    {"Segfault", "operator: tanh, kind: segfault", "SKIP", "SKIP", "crashed: SIGSEGV"},
    {"Hang", "operator: tanh, kind: hang", "SKIP", "SKIP", "timed out after 2 s", "--timeout 2"},
    {"OutOfMemory", "operator: tanh, kind: out_of_memory", "SKIP", "SKIP", "out of device memory: NPU out of memory"},
    {"BackwardRelativeError", "operator: tanh_backward, kind: relative_error, size: 10", "pass", "error", "双百指标"},
    {"BackwardBitFlip", "operator: tanh_backward, kind: bit_flip", "pass", "error", "0.99"},
    {"BackwardNan", "operator: tanh*, phase: backward, kind: nan", "pass", "error", "inf or nan on one side only"},
    {"BackwardWrongShape", "operator: tanh_backward, kind: wrong_shape", "pass", "SKIP",
     "got [1, 16, 128] but expected shape compatible with [2, 16, 128]"},
    {"BackwardError", "operator: tanh_backward, kind: error, message: it failed", "pass", "SKIP",
     "backward raised: it failed"},
    {"BackwardLateError", "operator: tanh_backward, kind: late_error, message: it failed late", "pass", "SKIP",
     "backward raised: it failed late"},
    {"BackwardAbort", "operator: tanh_backward, kind: abort", "SKIP", "SKIP", "crashed: SIGABRT (aborted) in backward"},
    {"BackwardOutOfMemory", "operator: tanh_backward, kind: out_of_memory", "pass", "SKIP",
     "backward raised: out of device memory"},
};
INSTANTIATE_TEST_SUITE_P(Kinds, FaultTest, testing::ValuesIn(kFaults),
                         [](const auto& info) { return info.param.name; });

// ---- which call, which card, how often

std::string tensor(const std::string& shape) {
  return R"({"type":"torch.Tensor","dtype":"torch.float32","shape":)" + shape +
         R"(,"Max":1,"Min":-1,"Mean":0,"Norm":1,"requires_grad":false})";
}

std::string record(const std::string& api, const std::string& inputs, const std::string& outputs) {
  return "\"" + api + R"(.forward":{"input_args":[)" + inputs + R"(],"input_kwargs":{},"output":[)" + outputs + "]}";
}

std::string dump_of(const std::string& records) {
  return R"({"task":"statistics","level":"L1","framework":"pytorch","dump_data_dir":null,"data":{)" + records + "}}";
}

/// `count` calls of torch.tanh alike.
std::string tanh_calls(int count) {
  std::string records;
  for (int i = 0; i < count; ++i)
    records += (i ? "," : "") + record("Torch.tanh." + std::to_string(i), tensor("[8,8]"), tensor("[8,8]"));
  return dump_of(records);
}

std::string failing(const Written& r) {
  std::string names;
  for (const auto& [api, verdict] : r.verdicts)
    if (verdict.forward != "pass") names += api + " ";
  return names;
}

TEST_F(SimulatedNpuTest, OnlyTheSecondCallIsWrong) {
  folder_.write("calls.json", tanh_calls(3));
  const Written r = run(on_npu("calls.json"), "faults:\n  - {operator: tanh, kind: nan, call: 2}\n");
  EXPECT_EQ(failing(r), "Torch.tanh.1 ");
  EXPECT_EQ(r.log, "npu:0 aten::tanh call 2 nan\n");
}

TEST_F(SimulatedNpuTest, ChanceDependsOnSeedAndCallAlone) {
  folder_.write("calls.json", tanh_calls(40));
  const auto with_seed = [&](int seed) {
    return run(on_npu("calls.json"),
               "seed: " + std::to_string(seed) + "\nfaults:\n  - {operator: tanh, kind: nan, chance: 0.5}\n");
  };
  const Written first = with_seed(7);
  EXPECT_EQ(failing(with_seed(7)), failing(first));
  EXPECT_NE(failing(with_seed(8)), failing(first));
  const auto struck = std::count(first.log.begin(), first.log.end(), '\n');
  EXPECT_GT(struck, 10);
  EXPECT_LT(struck, 30);
}

// A fresh process counts calls anew: the second try finds a healthy operator.
TEST_F(SimulatedNpuTest, ACrashThatDoesNotRepeatKeepsTheFiguresAndIsTold) {
  folder_.write("calls.json", tanh_calls(3));
  const Written good = run(on_npu("calls.json"));
  const Written r = run(on_npu("calls.json"), "faults:\n  - {operator: tanh, kind: abort, call: 2}\n");
  EXPECT_EQ(failing(r), "");
  EXPECT_EQ(r.details_bytes, good.details_bytes);
  EXPECT_EQ(r.verdicts.at("Torch.tanh.0").message, good.verdicts.at("Torch.tanh.0").message);
  EXPECT_THAT(r.verdicts.at("Torch.tanh.1").message,
              EndsWith("crashed in a first try: SIGABRT (aborted); a second one, in another process, did not"));
}

TEST_F(SimulatedNpuTest, OneCardIsFaulty) {
  const std::string faults = "faults:\n  - {operator: tanh, kind: nan, device: 1}\n";
  EXPECT_EQ(run(on_npu(kDemo) + "--only tanh -d 0", faults).verdicts.at("Torch.tanh.0").forward, "pass");
  const Written second = run(on_npu(kDemo) + "--only tanh -d 1", faults);
  EXPECT_EQ(second.verdicts.at("Torch.tanh.0").forward, "error");
  EXPECT_THAT(second.log, StartsWith("npu:1 aten::tanh call 1 nan\n"));
}

TEST_F(SimulatedNpuTest, EveryApiCrashingStillEnds) {
  constexpr int kCalls = 40;
  folder_.write("calls.json", tanh_calls(kCalls));
  const Written r = run(on_npu("calls.json"), "faults:\n  - {operator: tanh, kind: segfault}\n");
  ASSERT_EQ(r.verdicts.size(), static_cast<size_t>(kCalls));
  for (const auto& [api, verdict] : r.verdicts) {
    EXPECT_EQ(verdict.forward, "SKIP") << api;
    EXPECT_EQ(verdict.message, "crashed: SIGSEGV (segmentation fault)") << api;
  }
}

TEST_F(SimulatedNpuTest, CardsShareTheCalls) {
  constexpr int kCalls = 60;
  folder_.write("calls.json", tanh_calls(kCalls));
  const Written r =
      run("multi_acc_check -n 4 -d 0 1 -api_info calls.json --device_type npu --torch_npu '" MSPROBE_SIM_NPU
          "' --threads 1",
          "delay: 0.01\nfaults:\n  - {operator: tanh, kind: nan}\n");
  ASSERT_EQ(r.verdicts.size(), static_cast<size_t>(kCalls));
  int of_card[2] = {0, 0};
  std::istringstream lines(r.log);
  for (std::string line; std::getline(lines, line);)
    for (int card : {0, 1}) of_card[card] += line.starts_with("npu:" + std::to_string(card) + " aten::tanh");
  EXPECT_EQ(of_card[0] + of_card[1], kCalls) << r.log;
  EXPECT_GE(of_card[0], kCalls / 4);
  EXPECT_GE(of_card[1], kCalls / 4);
}

// Its APIs are checked on the other one, and the rows are those of good cards.
TEST_F(SimulatedNpuTest, ACardThatCrashesEverythingCostsNoRow) {
  constexpr int kCalls = 60;
  folder_.write("calls.json", tanh_calls(kCalls));
  const Written good = run(on_npu("calls.json"));
  const Written r =
      run(on_npu("calls.json") + "-d 0 1", "delay: 0.01\nfaults:\n  - {operator: tanh, kind: segfault, device: 1}\n");
  EXPECT_EQ(failing(r), "");
  EXPECT_EQ(r.details_bytes, good.details_bytes);
  int told = 0;
  for (const auto& [api, verdict] : r.verdicts)
    told += verdict.message.find("crashed in a first try") != std::string::npos;
  EXPECT_GE(told, 1);
  EXPECT_LE(told, 12);
}

// The worker stays: a fresh one would count calls anew and be struck again.
TEST_F(SimulatedNpuTest, MemoryIsGivenBackBeforeTheNextApi) {
  folder_.write("calls.json", tanh_calls(3));
  const Written r = run(on_npu("calls.json"), "faults:\n  - {operator: tanh, kind: out_of_memory, call: 1}\n");
  EXPECT_THAT(r.verdicts.at("Torch.tanh.0").message, StartsWith("out of device memory"));
  EXPECT_EQ(failing(r), "Torch.tanh.0 ");
  EXPECT_EQ(r.log, "npu:0 aten::tanh call 1 out_of_memory\n");
}

TEST_F(SimulatedNpuTest, AFaultFileWithAnErrorIsNamedByLine) {
  const Written r = run(on_npu(kDemo) + "--only tanh", "faults:\n  - {operator: tanh, kindd: nan}\n");
  EXPECT_THAT(r.verdicts.at("Torch.tanh.0").message, HasSubstr(".yaml:3: unknown key \"kindd\" of a fault"));
}

TEST_F(SimulatedNpuTest, ASlowDeviceChangesNoRow) {
  const Written r = run(on_npu(kDemo), "delay: 0.003\n");
  EXPECT_EQ(r.result_bytes, healthy(kDemo).result_bytes);
  EXPECT_EQ(r.details_bytes, healthy(kDemo).details_bytes);
}

// ---- the fused operators

std::string operator_of(const std::string& api) {  // "NPU.npu_swiglu.0" -> "npu_swiglu"
  const size_t first = api.find('.') + 1;
  return api.substr(first, api.rfind('.') - first);
}

// Every operator of one half is faulty, those of the other are not: found where they are, and nowhere else.
class FusedFaultTest : public SimulatedNpuTest, public testing::WithParamInterface<int> {};

TEST_P(FusedFaultTest, EveryOperatorsFaultIsFound) {
  std::vector<std::string> operators;
  for (const auto& [api, verdict] : healthy(kFused).verdicts)
    if (operators.empty() || operators.back() != operator_of(api)) operators.push_back(operator_of(api));
  std::sort(operators.begin(), operators.end());
  operators.erase(std::unique(operators.begin(), operators.end()), operators.end());
  EXPECT_EQ(operators.size(), 23u);  // and three in the test after the next
  std::string faults = "faults:\n";
  std::vector<std::string> faulty;
  for (size_t i = static_cast<size_t>(GetParam()); i < operators.size(); i += 2) {
    faulty.push_back(operators[i]);
    faults += "  - {operator: " + operators[i] + ", phase: forward, kind: relative_error, size: 0.5}\n";
  }
  const Written r = run(on_npu(kFused), faults);
  std::vector<std::string> struck;
  for (const auto& [api, verdict] : r.verdicts) {
    if (std::find(faulty.begin(), faulty.end(), operator_of(api)) == faulty.end()) continue;
    struck.push_back(api);
    EXPECT_EQ(verdict.forward, "error") << api << ": " << verdict.message;
  }
  EXPECT_GE(struck.size(), faulty.size());
  expect_healthy(r, kFused, struck);
}
INSTANTIATE_TEST_SUITE_P(Halves, FusedFaultTest, testing::Values(0, 1));

TEST_F(SimulatedNpuTest, FaultsOfFusedBackwardFormsAreFoundInTheBackwardPassAlone) {
  const Written r =
      run(on_npu(kFused), "faults:\n  - {operator: \"npu::*\", phase: backward, kind: relative_error, size: 0.5}\n");
  const Written& base = healthy(kFused);
  std::vector<std::string> struck;
  for (const auto& [api, verdict] : base.verdicts) {
    if (verdict.backward == " " || verdict.backward == "SKIP") continue;
    struck.push_back(api);
    EXPECT_EQ(r.verdicts.at(api).backward, "error") << api;
    EXPECT_EQ(r.verdicts.at(api).forward, verdict.forward) << api;
  }
  for (const char* form : {"npu_confusion_transpose_backward", "npu_fast_gelu_backward", "npu_fusion_attention_grad",
                           "npu_linear_backward", "npu_mish_backward", "npu_rms_norm_backward",
                           "npu_rotary_mul_backward", "npu_scaled_masked_softmax_backward", "npu_swiglu_backward"})
    EXPECT_THAT(r.log, HasSubstr(std::string("npu::") + form + " call"));
  EXPECT_GE(struck.size(), 20u);
  expect_healthy(r, kFused, struck);
}

TEST_F(SimulatedNpuTest, BackwardFormsThatTheDumpLacks) {
  const std::string four = tensor("[2,3,4,8]"), row = tensor("[1,1,4,8]");
  const std::string mask = R"([{"type":"bool","value":true},{"type":"bool","value":true}])";
  folder_.write("forms.json",
                dump_of(record("NPU.matmul_backward.0",
                               tensor("[4,6]") + "," + tensor("[4,5]") + "," + tensor("[5,6]") + "," + mask,
                               tensor("[4,5]") + "," + tensor("[5,6]")) +
                        "," + record("NPU.npu_mish_backward.0", four + "," + four, four) + "," +
                        record("NPU.npu_rotary_mul_backward.0", four + "," + four + "," + row + "," + row,
                               four + "," + row + "," + row)));
  for (const auto& [api, verdict] : run(on_npu("forms.json")).verdicts)
    EXPECT_EQ(verdict.forward, "pass") << api << ": " << verdict.message;
  const Written r =
      run(on_npu("forms.json"), "faults:\n  - {operator: \"*_backward\", kind: relative_error, size: 0.5}\n");
  EXPECT_EQ(r.verdicts.size(), 3u);
  for (const auto& [api, verdict] : r.verdicts) EXPECT_EQ(verdict.forward, "error") << api << ": " << verdict.message;
}

}  // namespace
