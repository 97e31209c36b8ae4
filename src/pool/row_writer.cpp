#include "pool/row_writer.h"

#include <cstdint>

namespace msprobe::pool {

void RowWriter::write_ready() {
  while (!enough_) {
    const auto outcome = scheduler_.pop_ready();
    if (!outcome) break;
    if (!write_(*outcome)) enough_ = true;
    release_lone_worker(scheduler_.waiting());
    if (tell_) tell_(*outcome);
  }
  release_lone_worker(0);
}

// Of what it has sent, `unwritten` outcomes are not in the files yet.
void RowWriter::release_lone_worker(size_t unwritten) {
  if (slots_.several()) return;
  Worker* worker = slots_.begin()->worker();
  if (worker == nullptr || !worker->connected()) return;
  worker->note_written(worker->received() - static_cast<uint32_t>(unwritten));
}

}  // namespace msprobe::pool
