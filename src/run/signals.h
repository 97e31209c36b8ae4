// Signals during a run: asked-for ends, dead children, a gone terminal.
#pragma once

namespace msprobe::run {

/// While one of these lives: SIGINT, SIGTERM and SIGHUP are counted (SIGHUP stays ignored where it was, under nohup),
/// SIGCHLD is noted, SIGPIPE and SIGXFSZ become errors of the call that caused them. The destructor puts everything
/// back. One a process at a time. SIGTSTP stops the whole process group as ever; the pool's clock does not run
/// meanwhile.
class Signals {
 public:
  /// Throws Error when the system has no descriptors left.
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Readable when something has happened since drain().
  int fd() const;
  void drain();
  /// How often the run was asked to end: 1 = after the APIs at hand, 2 and more = now.
  int interruptions() const;
  /// The signal that asked first, for messages; 0: none.
  int first() const;

  /// In a forked worker: asking is the supervisor's business, everything else as in a new process.
  static void reset_in_child();
};

}  // namespace msprobe::run
