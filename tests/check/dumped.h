// What the tests of verdicts share: a dump of one call, written for the test, and the session that replays it.
#pragma once
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "check/called.h"
#include "check/execute.h"
#include "check/rebuilt.h"
#include "report/pt_writer.h"
#include "support/temp_folder.h"

namespace msprobe::check {

/// One API with real data unless `task` says "statistics". Arguments, keywords and results are JSON texts; those of
/// tensors come from tensor(), which writes their file.
class Dumped {
 public:
  explicit Dumped(std::string api, bool real_data = true) : api_(std::move(api)), real_data_(real_data) {
    std::filesystem::create_directories(folder_ / "dump_tensor_data");
    standards = config::load_standards(MSPROBE_CONFIG_DIR "/precision_standard.yaml");
    options.quantization_apis = standards.quantization_apis;
    device_ = device::open({.type = "cpu"}, 0);
  }
  Dumped(const Dumped&) = delete;
  Dumped& operator=(const Dumped&) = delete;

  std::string tensor(const at::Tensor& t, bool requires_grad = false) {
    const std::string file = std::to_string(files_++) + ".pt";
    const at::Tensor plain = t.contiguous();
    report::write_pt((folder_ / "dump_tensor_data" / file).string(), inputs::dtype_name(t.scalar_type()),
                     plain.sizes().vec(), plain.data_ptr(), plain.nbytes(), requires_grad);
    std::string shape;
    for (const int64_t n : t.sizes()) shape += (shape.empty() ? "" : ", ") + std::to_string(n);
    return R"({"type": "torch.Tensor", "dtype": ")" + inputs::dtype_name(t.scalar_type()) + R"(", "shape": [)" + shape +
           R"(], "Max": 1, "Min": -1, "Mean": 0, "Norm": 1, "requires_grad": )" + (requires_grad ? "true" : "false") +
           (real_data_ ? R"(, "data_name": ")" + file + "\"}" : "}");
  }
  static std::string integer(int64_t n) { return R"({"type": "int", "value": )" + std::to_string(n) + "}"; }

  std::vector<std::string> args, outputs, gradients;  ///< gradients: of the outputs; empty: no backward
  std::vector<std::pair<std::string, std::string>> kwargs;

  outcome::ApiOutcome check() {
    const dump::Index index = open();
    return check_api(session(index), 0);
  }
  /// For tests that make the later values themselves, of session().
  Rebuilt rebuilt() {
    index_ = std::make_unique<dump::Index>(open());
    session_ = std::make_unique<Session>(session(*index_));
    return rebuild(*session_, index_->read(0));
  }
  /// Of the last rebuilt().
  const Session& session() const { return *session_; }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  Options options;
  config::Standards standards;

 private:
  static std::string joined(const std::vector<std::string>& items) {
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "" : ", ") + item;
    return "[" + text + "]";
  }
  dump::Index open() {
    std::string keywords;
    for (const auto& [name, value] : kwargs) keywords += (keywords.empty() ? "\"" : ", \"") + name + "\": " + value;
    std::string data = "\"" + api_ + ".forward\": {\"input_args\": " + joined(args) + ", \"input_kwargs\": {" +
                       keywords + "}, \"output\": " + joined(outputs) + "}";
    if (!gradients.empty())
      data += ", \"" + api_ + ".backward\": {\"input\": " + joined(gradients) + ", \"output\": [null]}";
    const std::filesystem::path path = folder_ / "dump.json";
    std::ofstream(path) << R"({"task": ")" << (real_data_ ? "tensor" : "statistics")
                        << R"(", "level": "L1", "framework": "pytorch", "dump_data_dir": )"
                        << (real_data_ ? "\"x\"" : "null") << ", \"data\": {" << data << "}}\n";
    return dump::Index::open(path.string());
  }
  Session session(const dump::Index& index) { return {options, standards, index, goldens_, *device_}; }

  std::string api_;
  bool real_data_;
  support::TempFolder folder_;
  int files_ = 0;
  goldens::Registry goldens_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<dump::Index> index_;
  std::unique_ptr<Session> session_;
};

/// "pass|message" of a row.
inline std::string verdict(const outcome::Row& row) {
  return std::string(outcome::status_text(row.status)) + "|" + row.message;
}

}  // namespace msprobe::check
