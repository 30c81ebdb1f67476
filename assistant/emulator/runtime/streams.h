// What is put into streams: done at once, in the order in which it is issued, or as late as CUDA allows (EMU_LATE).
//
// Late, an operation runs when the host waits for it, or for one that needs it, and never before. Needed is what the documentation orders:
// the operation before in the same stream, the record that a stream waits for, and between the legacy default stream and blocking streams
// whatever was issued before (CUDA C++ Programming Guide, "Streams", "Events", "Implicit Synchronization"). Of several that may run the one
// issued last does: where nothing orders two operations, the second one usually runs first.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace emu {

// Returns a cudaError_t value. Holds copies of all that its caller may change or free.
using Work = std::function<int()>;

// What people are told of an operation, and which memory it uses.
struct About {
  const char* kind;                          // "launch", "copy", "fill", "free", "event", "wait", "graph", "empty" or "host_function"
  const void* function = nullptr;            // of a launch
  int line = 0;
  std::vector<uint64_t> places = {};         // where the allocations and device variables begin
  unsigned copy_count = 0;                   // copies to the host in it
};

struct Operation;
using OperationPointer = std::shared_ptr<Operation>;

bool runs_late();

// Handles as of cudaStream_t; the default streams (null, 1, 2) exist from the start.
void open_stream(void* stream, bool is_blocking);
void close_stream(void* stream);             // what it holds remains to be done

// Does the work, or puts it into the stream. Returns its error if it was done.
int issue(void* stream, About about, Work work);
// The host waits for the work.
int issue_and_wait(void* stream, About about, Work work);
// Puts a mark behind all that the stream holds; `work` runs when it is reached.
OperationPointer mark(void* stream, Work work);
// What is issued into the stream from now on runs behind the mark.
void wait_for(void* stream, const OperationPointer& mark);

// Work of a graph: each step waits for earlier ones of the list.
struct GraphStep {
  About about;
  Work work;
  std::vector<size_t> needs;
};
// Does all of them; returns the first error. `stream`: that the graph was put into; null: it is a node of another one.
int do_steps(void* stream, const std::vector<GraphStep>& steps);
// Does them, or puts them into the stream, in which they are one operation: what is issued later waits for all of them.
int issue_steps(void* stream, const std::vector<GraphStep>& steps);

// The host waits.
void finish(const OperationPointer& mark);
void finish_stream(void* stream);
void finish_all();

// Whether everything was done. A caller that asks again and again gets there: each time it was not, one operation is done.
bool is_done(const OperationPointer& mark);
bool is_stream_done(void* stream);

// Which of the operations runs now, in the order of their issue, from 1; 0: none is late.
uint64_t issue_number();
// The issue number of each copy to the host that was issued and not yet done.
std::vector<uint64_t> unfinished_copies();
// Where the allocation or device variable begins that the address points into; 0: into none.
uint64_t place_at(const void* address);

}  // namespace emu
