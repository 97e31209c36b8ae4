// A dump.json: the index, then every record in it; and the bytes as one JSON value.
#include "dump/index.h"
#include "dump/json_reader.h"
#include "dump/json_scan.h"
#include "target.h"

using namespace msprobe;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const fuzz::InputFile file(bytes);
  fuzz::accepts([&] {
    const dump::Index index = dump::Index::open(file.path());
    for (size_t i = 0; i < index.entries().size(); ++i) {
      const dump::IndexEntry& entry = index.entries()[i];
      fuzz::require(!index.text(entry.forward).empty(), "an entry without a forward record");
      fuzz::accepts([&] {
        const dump::Record record = index.read(i);
        fuzz::require(record.name.full == entry.api, "a record under another name");
        fuzz::require(record.backward.has_value() == !entry.backward.empty(), "a backward record lost or invented");
      });
    }
  });

  // The scanner that finds the ends of records and the parser that reads them must be of one opinion.
  bool scanned = false;
  size_t depth = 0;
  try {
    dump::JsonScanner scanner(bytes);
    scanner.skip_value();
    depth = scanner.depth();
    scanner.skip_space();
    scanned = scanner.at_end();
  } catch (const dump::JsonFault&) {
  }
  const bool parsed = fuzz::accepts([&] {
    const dump::JsonValue value = dump::read_json(bytes, "input");
    fuzz::require(dump::json_text(value, 200).size() < 5000, "a shortened value that is long");
  });
  fuzz::require(!parsed || scanned, "the parser takes what the scanner refuses");
  fuzz::require(!scanned || parsed || depth > dump::JsonLimits{}.depth, "the scanner takes what the parser refuses");
  return 0;
}
