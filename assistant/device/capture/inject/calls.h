// The driver's calls that matter, by what they do. Each handler gets the call's parameters; those that look before a call and those
// that look after it are different functions. All of them are called under one lock.
#pragma once
#include <cupti.h>

#include "recorder.h"

namespace capture {

// One call under way; CUPTI keeps a word between its beginning and its end.
struct Call {
  const void* parameters;
  CUresult result;  // after the call only
  bool is_per_thread;  // stream 0 means the thread's own
  template <class Parameters>
  const Parameters& as() const { return *static_cast<const Parameters*>(parameters); }
  CUstream stream(CUstream given) const { return given == nullptr && is_per_thread ? CU_STREAM_PER_THREAD : given; }
};

using Handler = void (*)(Recorder&, const Call&);

struct Watched {
  CUpti_CallbackId id;
  Handler before, after;  // nullptr: nothing to do
  bool is_per_thread;
};

// Of launches (launches.cpp), graphs (graphs.cpp), copies, allocations and synchronisation (transfers.cpp).
const std::vector<Watched>& launch_calls();
const std::vector<Watched>& graph_calls();
const std::vector<Watched>& memory_calls();

bool is_capturing(CUstream stream);
// Waits for all earlier work of the context; of the stream alone while any stream is being captured.
bool wait_for(CUstream stream);
void note_capture(int change);  // streams that are being captured into graphs
void forget_graphs();           // what happens to them is not watched from now on

// What a copy put into the host's memory; nothing where its end is on the device.
void record_copy(Recorder& recorder, const CUDA_MEMCPY3D& copy);
bool is_host(const void* pointer);

// Time stamps of kernels, and counts of copies and fills (times.cpp).
void start_times(bool with_times_of_each);  // in place of their sums; the order of the calls is kept either way
void stop_times();    // kernels of ours are not the program's
void resume_times();
void note_own_stream(CUcontext context, CUstream stream);  // copies and fills there are ours, not the program's
void write_times(Recorder& recorder);

}  // namespace capture
