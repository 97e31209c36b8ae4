// The two CSV files of a run: made, appended durably, resumed.
//
// Durable: append() hands each API's rows to the kernel, details first, then the result row, one write(2) each. From
// then on they survive the death of this process, SIGKILL included; a power cut may take the last half minute, because
// the disk is asked to write (fdatasync) only every kSyncSeconds and by sync(). Whatever is left then can be resumed.
//
// Seal: where the file system keeps extended attributes, the result file carries the length and CRC-32 of what was
// written (user.msprobe.seal, renewed with every API) and the run's options (user.msprobe.options). They add
// no byte to the files. With them a changed cell is seen and the last rows are known to be complete; without them
// (copied files, NFS) the last API is checked once more on resuming.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "outcome/row.h"
#include "report/file_names.h"
#include "report/row_cells.h"

namespace msprobe::report {

/// The rows of a finished run, as bytes behind the headers.
struct ResultRows {
  std::vector<std::string> apis;  ///< in file order, as they read in the file
  std::string results, details;
  int digits = -1;      ///< after the point of the figures; -1: there are none
  std::string options;  ///< as ResultFiles::options
};
/// Reads a result file and the details file beside it. Throws Error as ResultFiles::resume does, and when rows are
/// missing or torn.
ResultRows read_whole(const std::string& result_path);

class ResultFiles {
 public:
  /// New files in `directory` (made when absent), mode 0640, headers written, both locked (flock). When files of that
  /// name exist (a run started within the same second), the next free second becomes the timestamp. Throws Error (path,
  /// reason, remedy); nothing is left behind then. `claim`, when given, is asked for each timestamp that the files
  /// could have, and takes what else is named by it; false: that is taken too.
  static ResultFiles create(const std::string& directory, const std::string& timestamp, int precision,
                            const std::function<bool(const std::string&)>& claim = {});
  /// Goes on behind an interrupted run: checks the name, finds the details file beside it, locks both, drops a torn
  /// last line and details rows of APIs without a result row. Throws Error and leaves the files untouched when they are
  /// not such a pair, or are still being written (says which process has them). The files are changed by the first
  /// append() or sync(), so that a caller who finds that they do not fit its dump can still leave them alone.
  static ResultFiles resume(const std::string& result_path, int precision);
  ResultFiles(ResultFiles&&) noexcept;
  ~ResultFiles();

  /// APIs that already have a result row, in file order (empty for new files), as they read in the file: name_in_file.
  const std::vector<std::string>& done() const;
  /// Resumed files: APIs behind done() of which some row stands in the files; these rows are dropped.
  const std::vector<std::string>& dropped() const;
  /// Details first, then the result row, one write each. Throws WriteError (path, need) when the disk is full; nothing
  /// torn stays. Throws it, and writes nothing, when one of the files is not as long as it was left.
  void append(const outcome::ApiOutcome& outcome);
  /// Rows of whole APIs as another run's files hold them (ResultRows).
  void append_rows(std::string_view details, std::string_view results);
  /// Puts everything on the disk. Throws WriteError, also when the files are not there any more or were changed by
  /// somebody else; append() looks about once a second whether they are there.
  void sync();
  const std::string& result_path() const;
  const std::string& details_path() const;
  const std::string& timestamp() const;

  /// The options that the run was started with, as set_options left them; empty when nothing is known.
  std::string options() const;
  void set_options(const std::string& text);

  /// In a forked child: closes its copies of the descriptors, so that the lock is the parent's alone.
  void close_in_child() noexcept;

 private:
  struct Impl;
  explicit ResultFiles(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace msprobe::report
