// Lists of APIs as the configuration holds them. They are asked by ApiNames alone, so that an entry means the same in
// every list.
#pragma once
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/api_names.h"

namespace msprobe::config {

/// A set of APIs: white_list, index_apis, ...
class ApiList {
 public:
  ApiList() = default;
  ApiList(std::vector<std::string> entries) : entries_(std::move(entries)), sorted_(entries_.begin(), entries_.end()) {}
  ApiList(std::initializer_list<std::string> entries) : ApiList(std::vector<std::string>(entries)) {}

  bool has(const ApiNames& api) const;

  /// As they are written.
  const std::vector<std::string>& entries() const { return entries_; }
  bool has_entry(std::string_view entry) const { return sorted_.contains(entry); }
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  friend bool operator==(const ApiList& a, const ApiList& b) { return a.entries_ == b.entries_; }

 private:
  std::vector<std::string> entries_;
  std::set<std::string, std::less<>> sorted_;
};

/// What a list says of each API: judged_outputs, levels, ...
template <class T>
class ApiMap {
 public:
  /// Of the most exact entry; nullptr: none speaks of the API.
  const T* find(const ApiNames& api) const {
    for (const std::string& name : api)
      if (const T* value = find_entry(name)) return value;
    return nullptr;
  }

  /// False when the entry is there already; it then stays as it is.
  bool add(std::string entry, T value) { return entries_.emplace(std::move(entry), std::move(value)).second; }
  const T* find_entry(std::string_view entry) const {
    const auto found = entries_.find(entry);
    return found == entries_.end() ? nullptr : &found->second;
  }
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::map<std::string, T, std::less<>> entries_;
};

}  // namespace msprobe::config
