#include "compare/told.h"

#include <fmt/format.h>

#include <cmath>

#include "compare/registry.h"

namespace msprobe::compare {
namespace {

using outcome::Figure;
using outcome::Status;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// Equal but for blanks.
bool same_text(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto next = [](std::string_view text, size_t& at) {
    while (at < text.size() && text[at] == ' ') ++at;
    return at < text.size() ? text[at++] : '\0';
  };
  for (size_t i = 0, j = 0;;) {
    const char x = next(a, i), y = next(b, j);
    if (x != y) return false;
    if (x == '\0') return true;
  }
}

bool differ(std::string_view npu, std::string_view gpu) {
  return npu != gpu && !is_blank(npu) && !is_blank(gpu) && !same_text(npu, gpu);
}

bool all_blank(const Figures& figures) {
  for (const Figure figure : needed_figures())
    if (figures[figure].kind != CellKind::kBlank) return false;
  return true;
}

}  // namespace

void ToldRows::add(const Told& row) {
  const bool kept = (row.status == Status::kSkip || row.status == Status::kError) && !is_blank(row.message);
  if (kept) messages_.emplace(static_cast<uint32_t>(rows_.size()), text_.keep(row.message));
  // Neighbours are often alike.
  const Packed last = rows_.empty() ? Packed{0, 0, row.status} : rows_.back();
  rows_.push_back({number_of(row.shape, last.shape), number_of(row.dtype, last.dtype), row.status});
}

Told ToldRows::operator[](uint32_t row) const {
  const Packed& packed = rows_[row];
  Told told{packed.status, {}, words_.name(packed.shape), words_.name(packed.dtype)};
  if (told.status != Status::kSkip && told.status != Status::kError) return told;
  if (const auto message = messages_.find(row); message != messages_.end()) told.message = message->second;
  return told;
}

uint32_t ToldRows::number_of(std::string_view text, uint32_t likely) {
  if (likely < words_.size() && words_.name(likely) == text) return likely;
  const uint32_t known = words_.find(text);
  if (known != util::NameIndex::kNone) return known;
  words_.insert(text_.keep(text));
  return static_cast<uint32_t>(words_.size() - 1);
}

std::string difference(const ToldPair& told) {
  const auto& [npu, gpu] = told;
  std::string text;
  if (differ(npu.shape, gpu.shape)) text = fmt::format("shape {}, the GPU's is {}", npu.shape, gpu.shape);
  if (differ(npu.dtype, gpu.dtype))
    text += fmt::format("{}dtype {}, the GPU's is {}", text.empty() ? "" : "; ", npu.dtype, gpu.dtype);
  return text;
}

bool is_error_beside_figures(const Told& npu, const Figures& figures, FigureCell max_abs) {
  if (npu.status != Status::kError) return false;
  const FigureCell special = figures[Figure::kInfNanErrorRate];
  const bool disagree = max_abs.is_number() ? !std::isfinite(max_abs.value) : special.is_number() && special.value > 0;
  return disagree || all_blank(figures);
}

}  // namespace msprobe::compare
