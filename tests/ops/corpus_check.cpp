// ops_corpus_check DUMP_JSON [--keys FILE] [--only TEXT] [--general] [--effects DIR] [-v]
// Replays every record (or those listed in FILE, one "<api>.forward" or "<api>.backward" a line) through candidates().
#include <cstdio>
#include <fstream>
#include <set>

#include "ops/replay.h"

namespace ops = msprobe::ops;
using ops::replaying::Kind;
using ops::replaying::kind_name;

namespace {

struct Options {
  std::string dump, keys, only, effects;
  bool general = false, verbose = false;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto next = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (word == "--keys")
      options.keys = next();
    else if (word == "--only")
      options.only = next();
    else if (word == "--effects")
      options.effects = next();
    else if (word == "--general")
      options.general = true;
    else if (word == "-v")
      options.verbose = true;
    else
      options.dump = word;
  }
  return options;
}

std::set<std::string> read_lines(const std::string& path) {
  std::set<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.insert(line);
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (options.dump.empty()) {
    std::fprintf(stderr,
                 "usage: ops_corpus_check DUMP_JSON [--keys FILE] [--only TEXT] [--general] [--effects DIR] [-v]\n");
    return 2;
  }
  at::set_num_threads(1);
  const auto index = msprobe::dump::Index::open(options.dump);
  const auto keys = read_lines(options.keys);
  ops::replaying::Replay replay(index, options.general);
  replay.effects_dir = options.effects;
  std::map<std::string, std::map<std::string, int>> by_type;
  std::map<std::string, int> backward;
  int failures = 0;
  for (size_t i = 0; i < index.entries().size(); ++i) {
    const std::string api(index.entries()[i].api);
    if (!keys.empty() && !keys.count(api + ".forward")) continue;
    if (api.find(options.only) == std::string::npos) continue;
    ops::replaying::Outcome outcome;
    try {
      outcome = replay.run(i);
    } catch (const std::exception& e) {
      outcome.kind = Kind::kThrows;
      outcome.why = std::string("building: ") + e.what();
    }
    const bool good = outcome.kind <= Kind::kClose;
    const std::string road = !good                                ? kind_name(outcome.kind)
                             : outcome.how.starts_with("adaptor") ? "adaptor"
                                                                  : "general";
    for (const auto& row : {api.substr(0, api.find('.')), std::string("all")}) {
      ++by_type[row][road];
      if (good) ++by_type[row][kind_name(outcome.kind)];
    }
    if (!good || outcome.kind == Kind::kClose || options.verbose) {
      failures += !good;
      std::printf("%s: %s: %s [%s | %s]\n", api.c_str(), kind_name(outcome.kind), outcome.why.c_str(),
                  outcome.how.c_str(), outcome.operators.c_str());
    }
    if (good && keys.count(api + ".backward")) {
      ++backward[kind_name(outcome.backward)];
      if (outcome.backward > Kind::kClose) {
        std::printf("%s.backward: %s: %s [%s]\n", api.c_str(), kind_name(outcome.backward),
                    outcome.backward_why.c_str(), outcome.operators.c_str());
      }
    }
  }
  for (const auto& [type, counts] : by_type) {
    std::printf("%-12s", type.c_str());
    for (const auto& [road, count] : counts) std::printf(" %s %d", road.c_str(), count);
    std::printf("\n");
  }
  std::printf("backward    ");
  for (const auto& [kind, count] : backward) std::printf(" %s %d", kind.c_str(), count);
  std::printf("\neffects checked: %d\n", replay.effects_checked);
  return failures ? 1 : 0;
}
