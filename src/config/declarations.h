// Every setting, declared once: where it may be given, how it is read and shown, and what depends on it. The files'
// reader, --show-config, going on and merge loop over this table; tests hold the command line, the fields of Settings
// and docs/configuration.md against it.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "config/document.h"
#include "config/settings.h"

namespace msprobe::config {

/// What happens when an interrupted run goes on with another value.
enum class Rows {
  kDepend,    ///< it is refused: old and new rows of one file would mean different things
  kTold,      ///< a warning tells of it; what may differ shows in the rows themselves, or nowhere
  kNotAsked,  ///< it is not recorded: no row, and nobody who reads them, depends on it
};

/// What happens when the parts that `merge` joins were made with different values (of recorded settings).
enum class Parts {
  kAlike,             ///< they are refused
  kAlikeWhenSharded,  ///< they are refused when they are numbered parts; parts cut by hand are cut by such a setting
  kWarned,            ///< a warning tells of it
  kAny,
};

struct Declaration {
  std::string_view key;          ///< in files, of Settings::origin, for --show-config
  std::string_view option = {};  ///< on the command line; empty: in files alone
  /// Takes the value of `node` over into the settings; throws Error naming file, line, found and expected. nullptr: on
  /// the command line alone.
  void (*read)(const std::string& path, const Node& node, Settings& settings) = nullptr;
  /// The value as it would be written in config.yaml; of the command line's settings as --show-config has it.
  std::string (*show)(const Settings& settings) = nullptr;
  bool shown = true;  ///< by --show-config
  /// Rows depend on a setting unless its declaration says that they do not, and why.
  Rows rows = Rows::kDepend;
  std::string_view harmless_because = {};
  Parts parts = Parts::kAlike;
  /// Its value in the record that result files keep of the run's options; nullptr: as shown.
  std::string (*recorded)(const Settings& settings) = nullptr;
  /// It names files, and what counts is what they hold: plan::option_record has the hash of that.
  bool by_contents = false;

  /// The key in that record.
  std::string record_key() const;
};

/// In the order of the documentation and of --show-config.
std::span<const Declaration> declarations();

/// nullptr: there is none.
const Declaration* find_declaration(std::string_view key);
const Declaration* find_recorded(std::string_view record_key);

}  // namespace msprobe::config
