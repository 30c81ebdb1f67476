// Asynchronous copies from global to shared memory (CUDA C++ Programming Guide, "Pipeline Primitives Interface"; PTX ISA, cp.async).
//
// A copy is only noted where it is asked for and made where its thread waits for its group. One that is never waited for is never made.
#include "copies.h"

#include <algorithm>
#include <cstring>

#include "memory.h"
#include "worker.h"

#define EMU_CALLER static_cast<uint32_t>(reinterpret_cast<uint64_t>(__builtin_return_address(0)))

namespace emu {
namespace {

constexpr size_t WIDEST_COPY = sizeof AsyncCopy::seen;
constexpr size_t MOST_GROUPS_UNDER_WAY = 8;  // __pipeline_wait_prior waits as for 8 where more are asked for (cuda_pipeline_primitives.h)

AsyncCopies& copies_of(Lane& lane) {
  if (!lane.copies) lane.copies = new AsyncCopies;  // kept: the same few lanes are used again and again
  return *lane.copies;
}

// The widest power of two, up to 16, that divides the address and fits.
size_t piece_of(const void* address, size_t bytes) {
  size_t piece = WIDEST_COPY;
  while (piece > bytes || reinterpret_cast<uint64_t>(address) % piece) piece /= 2;
  return piece;
}

bool is_power_of_two(size_t n) { return n && (n & (n - 1)) == 0; }

// Events of an access of any size: one where a GPU has an instruction for it.
void record_pieces(const void* address, size_t bytes, unsigned kind, uint32_t pc) {
  auto* at = static_cast<char*>(const_cast<void*>(address));
  if (bytes <= WIDEST_COPY && is_power_of_two(bytes)) return record_event(at, kind, static_cast<unsigned>(bytes), pc);
  for (size_t piece; bytes; at += piece, bytes -= piece) {
    piece = std::min<size_t>(piece_of(at, bytes), 4);
    record_event(at, kind, static_cast<unsigned>(piece), pc);
  }
}

void make(Worker& w, const AsyncCopy& copy, uint32_t wait_pc) {
  size_t read = copy.bytes - copy.zero_bytes;
  bool is_changed = memcmp(copy.seen, copy.from, read) != 0;
  if (is_changed && w.launch->is_checked)
    report(w, "async_source_overwritten", copy.pc, wait_pc, reinterpret_cast<uint64_t>(copy.from), w.current_thread,
           "the source of an asynchronous copy is overwritten before its thread has waited for the copy: it may copy the old or the new bytes");
  memcpy(copy.to, copy.from, read);
  memset(copy.to + read, 0, copy.zero_bytes);
  if (w.launch->is_checked) record_pieces(copy.to, copy.bytes, EVENT_COPY_ENDS, wait_pc);
}

}  // namespace
}  // namespace emu

using namespace emu;

extern "C" {

void emu_copy_read(const void* from, size_t bytes) {
  if (on_device()) record_pieces(from, bytes, EVENT_LOAD, EMU_CALLER);
}

void emu_copy_write(void* to, const void* from, size_t bytes, size_t zero_bytes) {
  if (!on_device()) return;
  uint32_t pc = EMU_CALLER;
  record_pieces(to, bytes, EVENT_STORE | EVENT_COPY, pc);
  Worker& w = *worker();
  AsyncCopies& copies = copies_of(*w.current);
  zero_bytes = std::min(zero_bytes, bytes);
  for (size_t done = 0; done < bytes;) {
    size_t piece = std::min(bytes - done, WIDEST_COPY), zeros = done + piece > bytes - zero_bytes ? std::min(piece, done + piece - (bytes - zero_bytes)) : 0;
    AsyncCopy copy{static_cast<char*>(to) + done, static_cast<const char*>(from) + done, pc, copies.committed_groups, static_cast<uint8_t>(piece), static_cast<uint8_t>(zeros), {}};
    memcpy(copy.seen, copy.from, piece - zeros);
    copies.waiting.push_back(copy);
    done += piece;
  }
}

void emu_copy_commit() {
  if (on_device()) ++copies_of(*worker()->current).committed_groups;
}

void emu_copy_wait(size_t groups) {
  if (!on_device() || !worker()->current->copies) return;
  Worker& w = *worker();
  AsyncCopies& copies = *w.current->copies;
  uint32_t under_way = static_cast<uint32_t>(std::min(groups, MOST_GROUPS_UNDER_WAY));
  if (copies.committed_groups <= under_way) return;
  uint32_t first_under_way = copies.committed_groups - under_way;
  size_t count = 0;
  while (count < copies.waiting.size() && copies.waiting[count].group < first_under_way) make(w, copies.waiting[count++], EMU_CALLER);
  copies.waiting.erase(copies.waiting.begin(), copies.waiting.begin() + static_cast<ptrdiff_t>(count));
}

}  // extern "C"
