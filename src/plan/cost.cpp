#include "plan/cost.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "dump/api_name.h"
#include "util/error.h"
#include "util/one_line.h"

namespace msprobe::plan {
namespace {

constexpr double kCall = 100e-6;       // reading, building, calling, writing the rows of a small API
constexpr double kElement = 15e-9;     // drawing a number, its float64 copy, comparing it
constexpr double kOperation = 0.3e-9;  // a multiplication and addition in float64 on the CPU
constexpr double kBackward = 3;        // forward and backward against forward alone
constexpr double kMostElements = 1e15;
constexpr double kBeyondMemory = 0x1p38;  // elements: terabytes in float64. Such an API is a SKIP at once
constexpr size_t kMostText = 64 << 10;
constexpr size_t kSample = 512;

using Shape = std::vector<double>;

struct Shapes {
  std::vector<Shape> inputs, outputs;
};

double elements(const Shape& shape) {
  double n = 1;
  for (double d : shape) n = std::min(n * d, kMostElements);
  return n;
}

// From the end: 1 = last. 1 where the shape is too short.
double dim(const Shape& shape, size_t from_end) {
  return shape.size() < from_end ? 1 : shape[shape.size() - from_end];
}

Shape read_shape(std::string_view text) {
  Shape shape;
  double number = 0;
  bool digits = false;
  for (char c : text) {
    if (c >= '0' && c <= '9') {
      number = std::min(number * 10 + (c - '0'), kMostElements);
      digits = true;
      continue;
    }
    if (digits) shape.push_back(number);
    number = 0;
    digits = false;
    if (c == ']') break;
    if (c != ',' && c != '[' && c != ' ' && c != '\n' && c != '\r' && c != '\t' && c != ':') break;
  }
  return shape;
}

Shapes read_shapes(std::string_view text) {
  constexpr std::string_view kKey = "\"shape\"";
  const size_t output = text.rfind("\"output\"");
  Shapes shapes;
  for (size_t at = 0; (at = text.find(kKey, at)) != std::string_view::npos;) {
    at += kKey.size();
    (at > output ? shapes.outputs : shapes.inputs).push_back(read_shape(text.substr(at)));
  }
  return shapes;
}

const Shape* first_with(const std::vector<Shape>& shapes, size_t dims, size_t skip = 0) {
  for (const auto& shape : shapes)
    if (shape.size() >= dims && skip-- == 0) return &shape;
  return nullptr;
}

double out_elements(const Shapes& shapes) {
  double n = 0;
  for (const auto& shape : shapes.outputs) n += elements(shape);
  return n;
}

double product_work(const Shapes& shapes) {
  const Shape* a = first_with(shapes.inputs, 2);
  return a == nullptr ? 0 : out_elements(shapes) * dim(*a, 1);
}

double convolution_work(const Shapes& shapes) {
  const Shape* weight = first_with(shapes.inputs, 3, 1);
  if (weight == nullptr) return 0;
  return out_elements(shapes) * elements(*weight) / std::max(1.0, weight->front());
}

double attention_work(const Shapes& shapes) {
  const Shape *query = first_with(shapes.inputs, 3), *key = first_with(shapes.inputs, 3, 1);
  // Layouts differ (BNSD, BSND, SBH): the longest of the middle dimensions is the sequence.
  if (query == nullptr || key == nullptr) return 0;
  double sequence = 1;
  for (size_t i = 2; i <= key->size(); ++i) sequence = std::max(sequence, dim(*key, i));
  return 2 * elements(*query) * sequence;
}

double decomposition_work(const Shapes& shapes) {
  const Shape* a = first_with(shapes.inputs, 2);
  return a == nullptr ? 0 : 10 * elements(*a) * std::min(dim(*a, 1), dim(*a, 2));
}

struct Family {
  std::string_view name;  ///< in config/signatures.yaml
  double (*work)(const Shapes&);
};

constexpr Family kFamilies[] = {
    {"convolution", convolution_work},
    {"attention", attention_work},
    {"product", product_work},
    {"decomposition", decomposition_work},
};

const Family* find_family(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const Family& f) { return f.name == name; });
  return found == std::end(kFamilies) ? nullptr : found;
}

double operations(const dump::ApiName& api, const Shapes& shapes) {
  const std::string* const cost =
      config::installed_api_facts().find(config::ApiNames(api).with_plain_forms(), &config::ApiFacts::cost);
  const Family* const family = cost != nullptr ? find_family(*cost) : nullptr;
  return family != nullptr ? family->work(shapes) : 0;
}

}  // namespace

void require_known_families(const config::FactTable& known) {
  for (const auto& [name, facts] : known)
    if (!facts.cost.empty() && find_family(facts.cost) == nullptr)
      throw Error(facts.where, util::one_line(name) + ": no family of cost is called " + util::one_line(facts.cost),
                  "take one of those that the installed signatures.yaml lists");
}

double estimated_seconds(std::string_view api, std::string_view forward, bool has_backward) {
  const Shapes shapes = read_shapes(forward);
  double n = out_elements(shapes);
  for (const auto& shape : shapes.inputs) n += elements(shape);
  if (n > kBeyondMemory) return kCall;
  const dump::ApiName name = dump::parse_api_name(api);
  const double work = n * kElement + std::min(operations(name, shapes), 1e20) * kOperation;
  return kCall + (has_backward ? kBackward : 1) * work;
}

CostModel::CostModel(const dump::Index& index, std::vector<size_t> todo)
    : index_(index), todo_(std::move(todo)), file_(util::open_regular(index.path())) {
  step_ = std::max<size_t>(1, todo_.size() / kSample);
}

// When it is asked for first: the workers are at work then.
void CostModel::sample() const {
  sums_.push_back(0);
  for (size_t i = 0; i < todo_.size(); i += step_) {
    const size_t stands_for = std::min(step_, todo_.size() - i);
    sums_.push_back(sums_.back() + cost(i + stands_for / 2) * static_cast<double>(stands_for));
  }
}

double CostModel::cost(size_t position) const {
  const dump::IndexEntry& entry = index_.entries()[todo_[position]];
  std::string text(std::min<uint64_t>(entry.forward.end - entry.forward.begin, kMostText), '\0');
  const ssize_t n = ::pread(file_.get(), text.data(), text.size(), static_cast<off_t>(entry.forward.begin));
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return estimated_seconds(entry.api, text, !entry.backward.empty());
}

double CostModel::fraction(size_t written) const {
  if (written >= todo_.size()) return 1;
  if (sums_.empty()) sample();
  const size_t i = written / step_;
  const double inside = static_cast<double>(written % step_) / static_cast<double>(step_);
  return (sums_[i] + inside * (sums_[i + 1] - sums_[i])) / sums_.back();
}

}  // namespace msprobe::plan
