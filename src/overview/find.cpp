#include "overview/find.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "util/changed_error.h"
#include "util/mapped_file.h"

namespace msprobe::overview {
namespace {

/// memmem: string_view::find stops at every quote, of which JSON is full.
size_t position(std::string_view text, std::string_view word, size_t from = 0) {
  if (from >= text.size()) return std::string_view::npos;
  const void* at = memmem(text.data() + from, text.size() - from, word.data(), word.size());
  return at == nullptr ? std::string_view::npos : static_cast<size_t>(static_cast<const char*>(at) - text.data());
}

/// What stands behind the first word "output": all of a record's outputs, whatever else. A record that has none has
/// nothing to begin with.
std::string_view outputs_in(std::string_view record) {
  const size_t at = position(record, "\"output\"");
  return at == std::string_view::npos ? std::string_view() : record.substr(at);
}

/// Whether a number that is not finite may stand there, as Python writes it.
bool may_be_non_finite(std::string_view text) {
  for (const std::string_view word : {"Infinity", "NaN", "inf\"", "\"nan\""})
    if (position(text, word) != std::string_view::npos) return true;
  return false;
}

/// Whether a Max of 0 stands there: 0, -0.0, 0e0.
bool may_be_zero(std::string_view text) {
  constexpr std::string_view kMax = "\"Max\"";
  for (size_t at = position(text, kMax); at != std::string_view::npos; at = position(text, kMax, at + 1)) {
    size_t value = text.find_first_not_of(" \t\r\n:", at + kMax.size());
    if (value == std::string_view::npos) return false;
    if (text[value] == '-') ++value;
    const size_t end = text.find_first_not_of("0.", value);
    if (end != std::string_view::npos && end > value && (text[end] < '1' || text[end] > '9')) return true;
  }
  return false;
}

class Finder {
 public:
  explicit Finder(const dump::Index& index)
      : index_(index),
        facts_(installed_beginning_facts()),
        // A mapping of its own, whose pages are given back: the walk shall not count as memory in use.
        file_(util::open_regular(index.path()), index.path(), util::MappedFile::Access::kRead) {
    index.check_unchanged();
  }

  Beginnings find() {
    const auto& entries = index_.entries();
    for (size_t i = 0; i < entries.size() && !(found_.output && found_.zero); ++i) look_forward(i);
    released_ = 0;
    for (const size_t i : in_backward_order(index_)) {
      if (found_.gradient) break;
      if (may_be_non_finite(outputs_in(text(entries[i].backward))))
        if (const auto record = read(i)) found_.gradient = gradient_begins(*record, facts_);
    }
    index_.check_unchanged();
    return std::move(found_);
  }

 private:
  void look_forward(size_t i) {
    const std::string_view outputs = outputs_in(text(index_.entries()[i].forward));
    const bool non_finite = !found_.output && may_be_non_finite(outputs);
    const bool zero = !found_.zero && may_be_zero(outputs);
    if (!non_finite && !zero) return;
    const auto record = read(i);
    if (!record) return;
    if (non_finite) found_.output = output_begins(*record, facts_);
    if (zero) found_.zero = zero_begins(*record, facts_);
  }

  std::string_view text(dump::Range range) {
    constexpr size_t kReleaseStep = size_t{16} << 20;
    if (range.begin > released_ + kReleaseStep) {
      file_.release(released_, range.begin);
      released_ = range.begin;
    }
    const std::string_view all = file_.text();
    return range.end > all.size() ? std::string_view() : all.substr(range.begin, range.end - range.begin);
  }

  std::optional<dump::Record> read(size_t i) const {
    try {
      return index_.read(i);
    } catch (const ChangedError&) {
      throw;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  const dump::Index& index_;
  const BeginningFacts& facts_;
  util::MappedFile file_;
  Beginnings found_;
  size_t released_ = 0;
};

}  // namespace

std::vector<size_t> in_backward_order(const dump::Index& index) {
  const auto& entries = index.entries();
  std::vector<size_t> order;
  for (size_t i = 0; i < entries.size(); ++i)
    if (!entries[i].backward.empty()) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return entries[a].backward.begin < entries[b].backward.begin; });
  return order;
}

Beginnings find_beginnings(const dump::Index& index) {
  return Finder(index).find();
}

}  // namespace msprobe::overview
