// The table of settings against the fields of Settings and against the documentation.
#include "config/declarations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <tuple>

namespace msprobe::config {
namespace {

using testing::ElementsAre;

void change(std::string& value) {
  value += "x";
}
void change(bool& value) {
  value = !value;
}
void change(int& value) {
  ++value;
}
void change(int64_t& value) {
  ++value;
}
void change(uint64_t& value) {
  ++value;
}
void change(double& value) {
  value += 0.5;
}
void change(std::array<double, 2>& value) {
  value[1] += 0.5;
}
void change(std::vector<int>& value) {
  value.push_back(7);
}
void change(ApiList& value) {
  value = {"x"};
}
void change(Profile& value) {
  value = Profile::kMindstudio;
}
void change(SaveData& value) {
  value = SaveData::kAll;
}
void change(Assess& value) {
  value = Assess::kOff;
}
void change(Hf32& value) {
  value = Hf32::kOn;
}

/// Settings in each of which one field is another. A field that is added to Settings must be added here, or this does
/// not compile.
std::vector<Settings> each_changed() {
  std::vector<Settings> all;
  bool more = true;
  for (size_t which = 0; more; ++which) {
    Settings s;
    auto& [white_list, black_list, error_data_path, precision, profile, save_data, assess, seed, default_range,
           hf32_inputs, timeout, threads, precision_standard, fused_operators, quantization_api_list, device_type,
           devices, torch_npu, jit_compile, api_info, out_path, result_csv_path, filter_api, only, except, list,
           num_splits, verbosity, fail_on, max_errors, rerun_failed, shard, shards, origin] = s;
    auto fields =
        std::tie(white_list, black_list, error_data_path, precision, profile, save_data, assess, seed, default_range,
                 hf32_inputs, timeout, threads, precision_standard, fused_operators, quantization_api_list, device_type,
                 devices, torch_npu, jit_compile, api_info, out_path, result_csv_path, filter_api, only, except, list,
                 num_splits, verbosity, fail_on, max_errors, rerun_failed, shard, shards);
    more = std::apply(
        [&](auto&... field) {
          size_t i = 0;
          return ((i++ == which ? (change(field), true) : false) || ...);
        },
        fields);
    if (more) all.push_back(s);
  }
  return all;
}

TEST(DeclarationsTest, EveryFieldOfSettingsIsDeclaredOnce) {
  const Settings initial;
  const std::vector<Settings> all = each_changed();
  ASSERT_EQ(all.size(), 33u);
  std::map<std::string_view, int> changes;
  for (size_t i = 0; i < all.size(); ++i) {
    std::vector<std::string_view> seen;
    for (const Declaration& setting : declarations())
      if (setting.show(all[i]) != setting.show(initial)) seen.push_back(setting.key);
    EXPECT_EQ(seen.size(), 1u) << "field " << i << " of Settings: " << testing::PrintToString(seen);
    for (std::string_view key : seen) ++changes[key];
  }
  for (const Declaration& setting : declarations())
    EXPECT_EQ(changes[setting.key], setting.key == "shard" ? 2 : 1) << setting.key;
}

TEST(DeclarationsTest, WhoeverIsHarmlessSaysWhy) {
  std::set<std::string> keys, record_keys;
  for (const Declaration& setting : declarations()) {
    EXPECT_TRUE(keys.insert(std::string(setting.key)).second) << setting.key;
    EXPECT_TRUE(record_keys.insert(setting.record_key()).second) << setting.key;
    EXPECT_EQ(setting.rows == Rows::kDepend, setting.harmless_because.empty()) << setting.key;
    EXPECT_TRUE(setting.read != nullptr || !setting.option.empty()) << setting.key << " cannot be given";
    EXPECT_TRUE(setting.rows != Rows::kDepend || setting.parts == Parts::kAlike) << setting.key;
  }
  EXPECT_EQ(find_declaration("max-errors")->record_key(), "max_errors");
  EXPECT_EQ(find_recorded("max_errors"), find_declaration("max-errors"));
  EXPECT_EQ(find_recorded("out_path"), nullptr);
  EXPECT_EQ(find_declaration("nothing"), nullptr);
}

TEST(DeclarationsTest, RowsDependUnlessADeclarationSaysOtherwise) {
  EXPECT_EQ(Declaration{}.rows, Rows::kDepend);
  EXPECT_EQ(Declaration{}.parts, Parts::kAlike);
}

// ---- docs/configuration.md and its Chinese twin

struct Documented {
  std::string initial, rows;
};

/// The first table of the page, by key.
std::map<std::string, Documented> documented(const std::string& page) {
  std::ifstream in(MSPROBE_SOURCE_DIR "/" + page);
  std::map<std::string, Documented> found;
  const std::regex row("\\| (`[a-z_0-9]+`(?:(?:, |、)`[a-z_0-9]+`)*) \\| .* \\| (.*) \\| .* \\| (.*) \\|"),
      name("`([a-z_0-9]+)`");
  for (std::string line; std::getline(in, line);) {
    std::smatch cells;
    if (line.starts_with("|") && !found.empty() && !std::regex_match(line, cells, row)) break;
    if (line.empty() && !found.empty()) break;
    if (!std::regex_match(line, cells, row)) continue;
    const std::string names = cells[1];
    for (std::sregex_iterator at(names.begin(), names.end(), name), end; at != end; ++at)
      found[(*at)[1]] = {cells[2], cells[3]};
  }
  return found;
}

/// A default as the table writes it: `./`, 14, `[-1, 1]`.
std::string plain(std::string text) {
  std::erase(text, '`');
  std::erase(text, '"');
  return text;
}

TEST(DeclarationsTest, TheDocumentationHasEveryKeyWithItsDefaultAndWhatHappensToRows) {
  struct Page {
    const char *name, *refused, *told;
  };
  for (const Page& page :
       {Page{"docs/configuration.md", "refused", "told"}, Page{"docs/configuration.zh.md", "拒绝", "告知"}}) {
    auto table = documented(page.name);
    for (const Declaration& setting : declarations()) {
      if (setting.read == nullptr) continue;
      const auto found = table.find(std::string(setting.key));
      ASSERT_NE(found, table.end()) << page.name << " lacks " << setting.key;
      const auto& [initial, rows] = found->second;
      const std::string shown = setting.show(Settings());
      // "the installed one", "none": in words
      EXPECT_TRUE(shown.empty() ? !initial.empty() : plain(initial) == plain(shown))
          << page.name << " " << setting.key << ": " << initial << ", it is " << shown;
      EXPECT_NE(rows.find(setting.rows == Rows::kDepend ? page.refused : page.told), std::string::npos)
          << page.name << " " << setting.key << ": " << rows;
      table.erase(found);
    }
    for (const auto& [key, cells] : table) ADD_FAILURE() << page.name << " has " << key << ", which no one declares";
  }
}

}  // namespace
}  // namespace msprobe::config
