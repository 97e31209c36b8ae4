// Signals: asked-for ends, dead children, a gone terminal.
//
//   from the first line of main   SIGINT, SIGTERM, SIGHUP end the program with a message and status 130; SIGXFSZ
//   becomes
//                                 an error of the call that caused it: end_on_signals()
//   once there are files          they are noted, the run ends soon and in order; a second one ends it at once, without
//                                 a summary if need be: hold_signals()
//   while APIs run                noted, and the pool sees to it: Signals
#pragma once

namespace msprobe::pool {

/// SIGHUP stays ignored where it was (under nohup).
void end_on_signals();
/// To the end of the process, SIGPIPE too becomes an error of the call that caused it: when the reader of stdout has
/// gone away, the rest is done all the same.
void hold_signals();

/// While one of these lives: SIGINT, SIGTERM and SIGHUP are counted (SIGHUP stays ignored where it was, under nohup),
/// SIGCHLD is noted, SIGPIPE and SIGXFSZ become errors of the call that caused them. The destructor puts everything
/// back. What hold_signals() noted before counts. One a process at a time. SIGTSTP stops the whole process group as
/// ever; the pool's clock does not run meanwhile.
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

}  // namespace msprobe::pool
