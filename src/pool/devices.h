// What is known of the devices of a run, from the fates of the workers that were spawned on them.
#pragma once
#include <map>
#include <string>
#include <utility>

namespace msprobe::pool {

/// Failures in a row after which a device ends the run; and APIs in a row that crash on a card alone, after which it
/// gets no further work.
constexpr int kMaxDeviceFailures = 10;

class Devices {
 public:
  /// `type`: "npu"; empty: the log does not name cards.
  explicit Devices(std::string type) : type_(std::move(type)) {}

  /// Behind the name of an API in the log: " on npu:1"; empty where cards are not named.
  std::string on(int device) const;

  /// Open in a worker; true: for the first time.
  bool note_opened(int device);
  bool ever_opened(int device) const;
  /// An API was done on it, well or badly.
  void note_works(int device);
  /// It did not open, or was lost before it did one API. `final`: to try again would give the same. Logged, or the
  /// failure() of the run. Seconds to wait before it is opened again.
  double note_failed(int device, const std::string& why, bool final);
  /// False when that is so already.
  bool give_up(int device);
  /// Nothing speaks against it.
  bool usable(int device) const;

  /// Why the run cannot go on; empty: it can.
  const std::string& failure() const { return failure_; }

 private:
  struct State {
    bool opened = false;  ///< ever
    int failures = 0;     ///< in a row
    bool given_up = false;
  };

  std::string type_;
  std::map<int, State> states_;
  std::string failure_;
};

}  // namespace msprobe::pool
