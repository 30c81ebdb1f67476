// Streams and events. Work runs at once, in the order in which it is issued, so a stream is only a name and an event a time; in a run that is
// late (streams.h) it waits.
#include <atomic>
#include <chrono>
#include <map>
#include <memory>

#include "graphs.h"
#include "host.h"

using emu_host::device_fault;
using emu_host::fail;

struct CUstream_st {
  unsigned flags;
  int priority;
  std::map<int, cudaLaunchAttributeValue> attributes;  // kept for whoever asks; an emulator without caches has no use for them
};
struct CUevent_st {
  std::shared_ptr<std::chrono::steady_clock::time_point> time;  // kept by a record that outlives the event
  bool is_recorded;
  bool has_timing;
  emu::OperationPointer last_record;         // of a late run
  emu::CapturePoint captured;                // where it was recorded in a stream that was being captured
  uint64_t number;                           // unlike that of any other, dead or alive
};

namespace {
bool is_default(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread; }

std::atomic<uint64_t> events_made{0};
}  // namespace

extern "C" {
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  if (!stream || flags > cudaStreamNonBlocking) return fail(cudaErrorInvalidValue);
  *stream = new CUstream_st{flags, priority, {}};
  emu::open_stream(*stream, !(flags & cudaStreamNonBlocking));
  emu_on_order(flags & cudaStreamNonBlocking ? "open_free" : "open_blocking", *stream, 0);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (is_default(stream)) return fail(cudaErrorInvalidResourceHandle);
  emu::close_stream(stream);  // its work is still done (cudaStreamDestroy)
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (emu::is_capturing(stream)) return fail(cudaErrorStreamCaptureUnsupported);
  emu_on_order("wait_stream", stream, 0);
  emu::finish_stream(stream);
  emu_on_synchronize();
  return device_fault();
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return emu::is_stream_done(stream) ? device_fault() : cudaErrorNotReady; }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (!event) return fail(cudaErrorInvalidResourceHandle);
  if (event->captured.graph) return emu::wait_for_point(stream, event->captured) ? cudaSuccess : fail(cudaErrorStreamCaptureMerge);
  if (emu::is_capturing(stream)) return fail(cudaErrorStreamCaptureIsolation);
  emu_on_order("await", stream, event->number);
  emu::wait_for(stream, event->last_record);
  return device_fault();
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  if (!flags) return fail(cudaErrorInvalidValue);
  *flags = is_default(stream) ? cudaStreamDefault : stream->flags;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  if (!priority) return fail(cudaErrorInvalidValue);
  *priority = is_default(stream) ? 0 : stream->priority;
  return cudaSuccess;
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaStreamAttrID id, const union cudaStreamAttrValue* value) {
  if (!value) return fail(cudaErrorInvalidValue);
  if (!is_default(stream)) stream->attributes[id] = *value;
  return cudaSuccess;
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, enum cudaStreamAttrID id, union cudaStreamAttrValue* value) {
  if (!value) return fail(cudaErrorInvalidValue);
  *value = is_default(stream) ? cudaLaunchAttributeValue{} : stream->attributes[id];
  return cudaSuccess;
}
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
  if (!callback) return fail(cudaErrorInvalidValue);
  return static_cast<cudaError_t>(emu::issue(stream, {"host_function"}, [=] {
    callback(stream, device_fault(), data);
    return cudaSuccess;
  }));
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (!function) return fail(cudaErrorInvalidValue);
  return static_cast<cudaError_t>(emu::issue(stream, {"host_function"}, [=] {
    function(data);
    return cudaSuccess;
  }));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (!event) return fail(cudaErrorInvalidValue);
  *event = new CUevent_st{std::make_shared<std::chrono::steady_clock::time_point>(), false, !(flags & cudaEventDisableTiming), nullptr, {}, ++events_made};
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (!event) return fail(cudaErrorInvalidResourceHandle);
  event->is_recorded = true;
  event->captured = emu::is_capturing(stream) ? emu::capture_point(stream) : emu::CapturePoint{};
  if (event->captured.graph) return device_fault();
  emu_on_order("record", stream, event->number);
  event->last_record = emu::mark(stream, [time = event->time] {
    *time = std::chrono::steady_clock::now();
    return cudaSuccess;
  });
  return device_fault();
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) { return cudaEventRecord(event, stream); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (!event) return fail(cudaErrorInvalidResourceHandle);
  emu_on_order("wait_event", nullptr, event->number);
  emu::finish(event->last_record);
  emu_on_synchronize();
  return device_fault();
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (!event) return fail(cudaErrorInvalidResourceHandle);
  return emu::is_done(event->last_record) ? device_fault() : cudaErrorNotReady;
}
// Host time between the two records: plausible for programs that print it, and no measure of a GPU.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds) return fail(cudaErrorInvalidValue);
  if (!start || !end || !start->is_recorded || !end->is_recorded || !start->has_timing || !end->has_timing) return fail(cudaErrorInvalidResourceHandle);
  if (!emu::is_done(start->last_record) || !emu::is_done(end->last_record)) return cudaErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(*end->time - *start->time).count();
  return device_fault();
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!event) return fail(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}
}
