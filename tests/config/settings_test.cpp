#include "config/settings.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "config/document.h"
#include "support/temp_folder.h"
#include "util/error.h"
#include "util/utf8.h"

namespace msprobe::config {
namespace {

using Names = std::vector<std::string>;

class SettingsTest : public testing::Test {
 protected:
  SettingsTest() {
    unsetenv("MSPROBE_CONFIG");
    setenv("MSPROBE_CONFIG_DIR", MSPROBE_CONFIG_DIR, 1);
  }
  ~SettingsTest() override {
    unsetenv("MSPROBE_CONFIG");
    unsetenv("MSPROBE_CONFIG_DIR");
  }
  std::string write(const std::string& name, const std::string& text) const { return folder_.write(name, text); }
  /// The message of reading `text` as `name`, the folder taken out of it; "" when it was taken.
  std::string complaint(const std::string& name, const std::string& text) {
    try {
      load_settings(write(name, text));
      return "";
    } catch (const Error& error) {
      std::string message = error.what();
      const std::string folder = folder_.string() + "/";
      for (size_t at; (at = message.find(folder)) != std::string::npos;) message.erase(at, folder.size());
      return message;
    }
  }
  const support::TempFolder folder_;
};

// ---- what is taken

TEST_F(SettingsTest, EveryKeyOfYaml) {
  const Settings s = load_settings(write("c.yaml",
                                         "quantization_api_list: [npu_dynamic_quant]\n"
                                         "white_list: [conv2d, \"Functional.linear\"]\n"
                                         "black_list:\n  - relu\n"
                                         "error_data_path: '/data/errors'\n"
                                         "precision: 6\n"
                                         "precision_profile: mindstudio\n"
                                         "save_data: error\n"
                                         "seed: 18446744073709551615\n"
                                         "default_range: [-0.5, 2e3]\n"
                                         "hf32_inputs: on\n"
                                         "timeout: 1.5\n"
                                         "threads: 8\n"
                                         "precision_standard: mine.yaml\n"
                                         "fused_operators: /etc/fused.yaml\n"));
  EXPECT_EQ(s.quantization_api_list, Names{"npu_dynamic_quant"});
  EXPECT_EQ(s.white_list, (Names{"conv2d", "Functional.linear"}));
  EXPECT_EQ(s.black_list, Names{"relu"});
  EXPECT_EQ(s.error_data_path, "/data/errors");
  EXPECT_EQ(s.precision, 6);
  EXPECT_EQ(s.profile, Profile::kMindstudio);
  EXPECT_EQ(s.save_data, SaveData::kError);
  EXPECT_EQ(s.seed, 18446744073709551615u);
  EXPECT_EQ(s.default_range, (std::array<double, 2>{-0.5, 2000}));
  EXPECT_EQ(s.hf32_inputs, Hf32::kOn);
  EXPECT_EQ(s.timeout, 1.5);
  EXPECT_EQ(s.threads, 8);
  EXPECT_EQ(s.precision_standard, folder_ / "mine.yaml");  // beside the file that names it
  EXPECT_EQ(s.fused_operators, "/etc/fused.yaml");
  EXPECT_EQ(s.origin.at("precision"), (folder_ / "c.yaml").string() + ":6");
}

TEST_F(SettingsTest, TheSameKeysInJson) {
  const Settings s =
      load_settings(write("c.json",
                          "\xEF\xBB\xBF{\r\n  \"white_list\": [\"conv2d\"],\r\n  \"precision\": 0,\r\n"
                          "  \"hf32_inputs\": false,\r\n  \"timeout\": 0,\r\n  \"default_range\": [-2, 2.5],\r\n"
                          "  \"save_data\": \"all\",\r\n  \"seed\": 7\r\n}\r\n"));
  EXPECT_EQ(s.white_list, Names{"conv2d"});
  EXPECT_EQ(s.precision, 0);
  EXPECT_EQ(s.hf32_inputs, Hf32::kOff);
  EXPECT_EQ(s.timeout, 0);
  EXPECT_EQ(s.default_range, (std::array<double, 2>{-2, 2.5}));
  EXPECT_EQ(s.save_data, SaveData::kAll);
  EXPECT_EQ(s.seed, 7u);
  EXPECT_EQ(s.origin.at("precision"), (folder_ / "c.json").string() + ":3");
}

TEST_F(SettingsTest, TheInstalledFileHoldsTheDocumentedDefaults) {
  const Settings s = load_settings(""), plain;
  EXPECT_EQ(s.white_list, Names{});
  EXPECT_EQ(s.black_list, Names{});
  EXPECT_EQ(s.error_data_path, "./");
  EXPECT_EQ(s.precision, 14);
  EXPECT_EQ(s.profile, Profile::kDocumented);
  EXPECT_EQ(s.save_data, SaveData::kNone);
  EXPECT_EQ(s.seed, 1234u);
  EXPECT_EQ(s.default_range, (std::array<double, 2>{-1, 1}));
  EXPECT_EQ(s.hf32_inputs, Hf32::kAuto);
  EXPECT_EQ(s.timeout, 600);
  EXPECT_EQ(s.threads, 0);
  EXPECT_EQ(s.precision_standard, "");
  EXPECT_EQ(s.quantization_api_list,
            (Names{"npu_rms_norm_dynamic_quant", "npu_dynamic_quant", "npu_quant_lightning_indexer"}));
  EXPECT_EQ(plain.precision, s.precision);
  EXPECT_EQ(plain.timeout, s.timeout);
}

TEST_F(SettingsTest, AConfigFileReplacesTheInstalledOneWhole) {
  setenv("MSPROBE_CONFIG", write("env.yaml", "precision: 3\nwhite_list: [conv1d]\n").c_str(), 1);
  const Settings from_environment = load_settings("");
  EXPECT_EQ(from_environment.precision, 3);
  EXPECT_EQ(from_environment.quantization_api_list, Names{});
  const Settings explicitly = load_settings(write("c.json", R"({"black_list": ["relu"]})"));
  EXPECT_EQ(explicitly.precision, 14);
  EXPECT_EQ(explicitly.white_list, Names{});
  EXPECT_EQ(explicitly.black_list, Names{"relu"});
}

TEST_F(SettingsTest, MindStudiosConfigJsonIsTakenAsItIs) {
  const Settings s = load_settings(write("config.json", R"({
    "task": "statistics", "dump_path": "./dump_path", "rank": [], "step": [], "level": "L1", "extra_info": true,
    "async_dump": false, "precision": "high",
    "statistics": {"scope": [], "list": [], "data_mode": ["all"], "summary_mode": "statistics"},
    "tensor": {"scope": [], "list": [], "data_mode": ["all"]},
    "acc_check": {"white_list": ["conv2d"], "black_list": ["relu"], "error_data_path": "/data"}
})"));
  EXPECT_EQ(s.white_list, Names{"conv2d"});
  EXPECT_EQ(s.black_list, Names{"relu"});
  EXPECT_EQ(s.error_data_path, "/data");
  EXPECT_EQ(s.precision, 14);
}

TEST_F(SettingsTest, EarlierMindStudioFilesAreTakenToo) {
  EXPECT_EQ(load_settings(write("a.json", R"({"task": "run_ut", "run_ut": {"white_list": ["mul"], "is_online": false,
            "nfs_path": "", "host": "", "port": -1, "rank_list": [0], "tls_path": "./"}})"))
                .white_list,
            Names{"mul"});
  EXPECT_EQ(
      load_settings(write("a.yaml",
                          "white_list: []\nblack_list: []\nerror_data_path: './'\nprecision: 14\n"
                          "is_online: False\nnfs_path: \"\"\nhost: \"\"\nport: -1\nrank_list: [0]\ntls_path: \"./\"\n"))
          .precision,
      14);
}

TEST_F(SettingsTest, EmptyFilesAndEmptyValuesMeanTheDefaults) {
  EXPECT_EQ(load_settings(write("a.yaml", "")).precision, 14);
  EXPECT_EQ(load_settings(write("a.yaml", "# nothing\n")).precision, 14);
  EXPECT_EQ(load_settings(write("a.yaml", "white_list:\nprecision: ~\n")).precision, 14);
  EXPECT_EQ(load_settings(write("a.json", "{}")).precision, 14);
  EXPECT_EQ(load_settings(write("a.json", R"({"white_list": null})")).white_list, Names{});
}

TEST_F(SettingsTest, AnchorsOfYamlWork) {
  const Settings s = load_settings(
      write("a.yaml", "white_list: &names [conv1d, conv2d]\nblack_list: *names\nseed: &n 5\nthreads: *n\n"));
  EXPECT_EQ(s.black_list, (Names{"conv1d", "conv2d"}));
  EXPECT_EQ(s.threads, 5);
}

TEST_F(SettingsTest, MessagesAreOneLineOfUtf8WhateverTheFileHolds) {
  for (const char* text : {"\"a\\\u00e9\": 1\n", "\"a\\\n\": 1\n", "\"a\\x\nb\": 1\n", "\"no\\nkey\": 1\n",
                           "white_list: [\"a\\nb\"]\n", "precision: \"1\\n2\"\n", "{\"a\nb\": 1}"}) {
    SCOPED_TRACE(text);
    try {
      load_settings(write("a.yaml", text));
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      EXPECT_TRUE(util::is_utf8(error.what())) << error.what();
    }
  }
}

TEST_F(SettingsTest, OtherNamesThanYamlAndJsonGoByTheirText) {
  EXPECT_EQ(load_settings(write("conf", " \n{\"precision\": 2}")).precision, 2);
  EXPECT_EQ(load_settings(write("conf", "precision: 4\n")).precision, 4);
}

// ---- what is refused, and how that is said

struct Refused {
  const char *file, *text, *message;
};

TEST_F(SettingsTest, ComplaintsNameFileLineAndKey) {
  const Refused rows[] = {
      {"c.yaml", "precision: 14\nwhite_lst: [conv2d]\n", "c.yaml:2: unknown key white_lst, did you mean white_list?"},
      {"c.yaml", "Black-List: []\n", "c.yaml:1: unknown key Black-List, did you mean black_list?"},
      {"c.yaml", "zebra: 1\n",
       "c.yaml:1: unknown key zebra; the keys are quantization_api_list, white_list, black_list, error_data_path, "
       "precision, "
       "precision_profile, save_data, assess, seed, default_range, hf32_inputs, timeout, threads, precision_standard, "
       "fused_operators"},
      {"c.json", "{\n\n  \"percision\": 1\n}", "c.json:3: unknown key percision, did you mean precision?"},
      {"c.json", "{\n  \"acc_check\": {\n    \"whitelist\": []}}",
       "c.json:3: unknown key whitelist, did you mean white_list?"},
      {"c.yaml", "\nprecision: 21\n", "c.yaml:2: precision: found the number 21, expected a whole number from 0 to 20"},
      {"c.yaml", "precision: -1\n", "c.yaml:1: precision: found the number -1, expected a whole number from 0 to 20"},
      {"c.yaml", "precision: 14.0\n",
       "c.yaml:1: precision: found the number 14.0, expected a whole number from 0 to 20"},
      {"c.yaml", "precision: \"14\"\n",
       "c.yaml:1: precision: found the text \"14\", expected a whole number from 0 to 20"},
      {"c.yaml", "precision: true\n",
       "c.yaml:1: precision: found true (yes or no), expected a whole number from 0 to 20"},
      {"c.yaml", "precision: [1]\n", "c.yaml:1: precision: found a list of 1, expected a whole number from 0 to 20"},
      {"c.json", "{\"seed\": 1,\n \"precision\": 14.5\n}",
       "c.json:2: precision: found the number 14.5, expected a whole number from 0 to 20"},
      {"c.json", "{\"precision\": 14,\n\"white_list\": [\"a\",\n\"b\",\n3\n]}",
       "c.json:4: white_list: found the number 3, expected text; if that is meant as text, write \"3\""},
      {"c.json", "{\"precision\": 99999999999999999999}",
       "c.json:1: precision: found the number 99999999999999999999, expected a whole number from 0 to 20"},
      {"c.yaml", "white_list: conv2d\n",
       "c.yaml:1: white_list: found the text \"conv2d\", expected a list of names; write [\"conv2d\"]"},
      {"c.yaml", "white_list: {a: b}\n",
       "c.yaml:1: white_list: found a group of keys, expected a list of names; write [\"name\", \"name\"]"},
      {"c.yaml", "white_list:\n - conv2d\n - 3\n",
       "c.yaml:3: white_list: found the number 3, expected text; if that is meant as text, write \"3\""},
      {"c.yaml", "white_list: [\"conv 2d\"]\n",
       "c.yaml:1: white_list: found the text \"conv 2d\", expected the name of an API; write it as conv2d or "
       "Functional.conv2d"},
      {"c.yaml", "error_data_path: 2024\n",
       "c.yaml:1: error_data_path: found the number 2024, expected text; if that is meant as text, write \"2024\""},
      {"c.yaml", "error_data_path: ''\n",
       "c.yaml:1: error_data_path: is empty, expected a folder; write \"./\" for the current one"},
      {"c.yaml", "precision_profile: mindstduio\n",
       "c.yaml:1: precision_profile: found the text \"mindstduio\", expected documented or mindstudio, did you mean "
       "mindstudio?"},
      {"c.yaml", "save_data: yes\n", "c.yaml:1: save_data: found yes (yes or no), expected none, error or all"},
      {"c.yaml", "hf32_inputs: 1\n", "c.yaml:1: hf32_inputs: found the number 1, expected auto, on or off"},
      {"c.yaml", "seed: -1\n",
       "c.yaml:1: seed: found the number -1, expected a whole number from 0 to 18446744073709551615"},
      {"c.yaml", "default_range: [1, -1]\n",
       "c.yaml:1: default_range: goes from 1 down to -1, expected the lower end first"},
      {"c.yaml", "default_range: [1]\n",
       "c.yaml:1: default_range: found a list of 1, expected two numbers; write [-1, 1]"},
      {"c.yaml", "default_range: [0, .inf]\n",
       "c.yaml:1: default_range: found the number .inf, expected a finite number"},
      {"c.yaml", "timeout: -5\n",
       "c.yaml:1: timeout: found the number -5, expected seconds, 0 or more; 0 means no limit"},
      {"c.yaml", "timeout: soon\n", "c.yaml:1: timeout: found the text \"soon\", expected a finite number"},
      {"c.yaml", "threads: 1e3\n", "c.yaml:1: threads: found the number 1e3, expected a whole number from 0 to 65536"},
      {"c.yaml", "seed: 1\nseed: 2\n", "c.yaml:2: seed is given twice, first in line 1"},
      {"c.json", "{\"seed\": 1,\n\"seed\": 2}", "c.json:2: seed is given twice, first in line 1"},
      {"c.json", "{\"seed\": 1,\n\"acc_check\": {\"seed\": 2}}",
       "c.json:2: seed: is given twice, first at c.json:1; keep one of them"},
      {"c.yaml", "white_list=[conv1d]\n",
       "c.yaml:1: found the text \"white_list=[conv1d]\", expected keys with values; write for example `white_list: "
       "[\"conv2d\"]`"},
      {"c.json", "[1, 2]",
       "c.json:1: found a list of 2, expected keys with values; write for example `white_list: [\"conv2d\"]`"},
      {"c.json", "{\"acc_check\": 3}",
       "c.json:1: acc_check: found the number 3, expected keys with values; write for example `white_list: "
       "[\"conv2d\"]`"},
      {"c.yaml", "precision: 1\n---\nprecision: 2\n",
       "c.yaml: holds more than one document; remove what follows `---`"},
      {"c.yaml", "precision: \"\xFF\"\n", "c.yaml: is not UTF-8; save it as UTF-8"},
      {"c.yaml", "white_list: [a, b\nprecision: 3\n",
       "c.yaml:2:10: not valid YAML: end of sequence flow not found; check indentation, brackets and quotes around "
       "that place"},
      {"c.json", "{\n  \"precision\": 14,\n}",
       "c.json:3:1: not valid JSON: unexpected '}'; expected string literal; check commas, brackets and quotes around "
       "that place"},
      {"c.json", "{\"precision\": NaN}",
       "c.json:1:15: not valid JSON: invalid literal; last read: '\"precision\": N'; check commas, brackets and quotes "
       "around that place"},
      {"c.yaml", "precision: &a [*a]\n", "c.yaml:1: an alias stands inside what it names"},
      {"c.yaml", "? [a]\n: 3\n", "c.yaml:1: a list or a group of keys stands where a key is expected"},
  };
  for (const Refused& row : rows) EXPECT_EQ(complaint(row.file, row.text), row.message) << row.text;
}

TEST_F(SettingsTest, FilesThatCannotBeReadAreNamed) {
  const std::string none = folder_ / "none.yaml";
  try {
    load_settings(none);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), none + ": cannot be opened: No such file or directory; check the path");
  }
  setenv("MSPROBE_CONFIG", none.c_str(), 1);
  try {
    load_settings("");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              none + " (named by MSPROBE_CONFIG): cannot be opened: No such file or directory; check the path");
  }
}

TEST_F(SettingsTest, LargeFilesAreRefusedBeforeTheyAreParsed) {
  EXPECT_EQ(complaint("c.yaml", std::string(2 << 20, '#')),
            "c.yaml: holds 2.1 MB, at most 262.1 kB are expected here; check that this is the right file");
}

TEST_F(SettingsTest, BillionLaughsStaySmall) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 1; j < 10; ++j) text += ", " + before;
    text += "]\n";
  }
  EXPECT_EQ(complaint("c.yaml", text), "c.yaml:5: holds more than 100000 values");
}

TEST_F(SettingsTest, DeepNestingIsRefused) {
  EXPECT_EQ(complaint("c.json", std::string(200000, '[')), "c.json:1: nested deeper than 100");
  EXPECT_EQ(complaint("c.yaml", "a: " + std::string(120, '[') + std::string(120, ']')),
            "c.yaml:1: nested deeper than 100");
  EXPECT_NE(complaint("c.yaml", "a: " + std::string(200000, '[')), "");
  EXPECT_NE(complaint("c.yaml", "a: " + std::string(200000, '{')), "");
}

/// A truncated file is taken or refused with its name; it never crashes, and never yields a value that the whole file
/// does not hold.
TEST_F(SettingsTest, EveryTruncationIsTakenOrRefusedByName) {
  const std::string yaml =
      "white_list: [conv2d, \"Functional.linear\"]\nblack_list:\n  - relu\nprecision: 6\nseed: &n 5\ndefault_range: "
      "[-1, 1]\n";
  const std::string json =
      R"({"task": "x", "acc_check": {"white_list": ["conv2d"], "precision": 6, "default_range": [-1.5, 2]}})";
  for (size_t n = 0; n <= yaml.size(); ++n) {
    const std::string message = complaint("t.yaml", yaml.substr(0, n));
    EXPECT_TRUE(message.empty() || message.starts_with("t.yaml")) << n << ": " << message;
  }
  for (size_t n = 1; n < json.size(); ++n)
    EXPECT_TRUE(complaint("t.json", json.substr(0, n)).starts_with("t.json:1")) << n;
  EXPECT_EQ(complaint("t.json", json), "");
}

// ---- installed files

TEST_F(SettingsTest, InstalledFilesAreFoundByEnvironment) {
  EXPECT_EQ(installed_config("config.yaml"), std::string(MSPROBE_CONFIG_DIR) + "/config.yaml");
  setenv("MSPROBE_CONFIG_DIR", folder_.path().c_str(), 1);
  const std::string mine = write("config.yaml", "precision: 1\n");
  EXPECT_EQ(installed_config("config.yaml"), mine);
  EXPECT_EQ(load_settings("").precision, 1);
}

TEST_F(SettingsTest, AMissingInstalledFileSaysWhereItWasSought) {
  setenv("MSPROBE_CONFIG_DIR", folder_.path().c_str(), 1);
  try {
    installed_config("no_such.yaml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "no_such.yaml");
    EXPECT_TRUE(error.message().starts_with("not found in " + folder_.string() + ", ")) << error.message();
    EXPECT_EQ(error.remedy(), "install msprobe completely, or name the folder that holds it in MSPROBE_CONFIG_DIR");
  }
  setenv("MSPROBE_CONFIG_DIR", "/no/such/folder", 1);
  EXPECT_THROW(installed_config("config.yaml"), Error);
}

// ---- --show-config

TEST_F(SettingsTest, ShowGivesEveryKeyWithItsOrigin) {
  const std::string path = write("c.yaml", "white_list: [conv2d, mul]\ntimeout: 2.5\nerror_data_path: 'a\"b'\n");
  Settings settings = load_settings(path);
  settings.precision = 3;
  settings.origin["precision"] = "command line";
  settings.api_info = "dump.json";
  settings.origin["api_info"] = "command line";
  EXPECT_EQ(show(settings),
            "quantization_api_list:  # default\n"
            "white_list: [\"conv2d\", \"mul\"]  # " +
                path +
                ":1\n"
                "black_list: []  # default\n"
                "error_data_path: \"a\\\"b\"  # " +
                path +
                ":3\n"
                "precision: 3  # command line\n"
                "precision_profile: documented  # default\n"
                "save_data: none  # default\n"
                "assess: auto  # default\n"
                "seed: 1234  # default\n"
                "default_range: [-1, 1]  # default\n"
                "hf32_inputs: auto  # default\n"
                "timeout: 2.5  # " +
                path +
                ":2\n"
                "threads: 0  # default\n"
                "precision_standard:  # default\n"
                "fused_operators:  # default\n"
                "# --api_info dump.json  # command line\n"
                "# --out_path ./  # default\n"
                "# --result_csv_path  # default\n"
                "# --device_type  # default\n"
                "# --device 0  # default\n"
                "# --torch_npu  # default\n"
                "# --jit_compile no  # default\n"
                "# --filter_api no  # default\n"
                "# --only  # default\n"
                "# --except  # default\n"
                "# --num_splits 1  # default\n"
                "# --fail-on  # default\n"
                "# --max-errors 0  # default\n"
                "# --rerun-failed  # default\n"
                "# --shard 0/1  # default\n");
}

TEST_F(SettingsTest, WhatIsShownCanBeReadBack) {
  Settings settings;
  settings.white_list = {"Functional.conv2d"};
  settings.error_data_path = "/a \"b\"\\c #d";
  settings.seed = 42;
  settings.profile = Profile::kMindstudio;
  settings.hf32_inputs = Hf32::kOff;
  settings.default_range = {-0.1, 1e-7};
  const Settings again = load_settings(write("shown.yaml", show(settings)));
  EXPECT_EQ(again.white_list, settings.white_list);
  EXPECT_EQ(again.error_data_path, settings.error_data_path);
  EXPECT_EQ(again.seed, 42u);
  EXPECT_EQ(again.profile, Profile::kMindstudio);
  EXPECT_EQ(again.hf32_inputs, Hf32::kOff);
  EXPECT_EQ(again.default_range, settings.default_range);
}

}  // namespace
}  // namespace msprobe::config
