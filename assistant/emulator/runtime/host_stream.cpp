// Streams and events. Work runs in the order in which it is issued, at once, so a stream is only a name and an event a time.
#include <chrono>
#include <map>

#include "host.h"

using emu_host::device_fault;
using emu_host::fail;
using emu_host::synchronize;

struct CUstream_st {
  unsigned flags;
  int priority;
  std::map<int, cudaLaunchAttributeValue> attributes;  // kept for whoever asks; an emulator without caches has no use for them
};
struct CUevent_st {
  std::chrono::steady_clock::time_point time;
  bool is_recorded;
  bool has_timing;
};

namespace {
bool is_default(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread; }
}  // namespace

extern "C" {
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  if (!stream || flags > cudaStreamNonBlocking) return fail(cudaErrorInvalidValue);
  *stream = new CUstream_st{flags, priority, {}};
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (is_default(stream)) return fail(cudaErrorInvalidResourceHandle);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return synchronize(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return device_fault(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t event, unsigned) { return event ? device_fault() : fail(cudaErrorInvalidResourceHandle); }
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
  callback(stream, device_fault(), data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
  if (!function) return fail(cudaErrorInvalidValue);
  function(data);
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, enum cudaStreamCaptureStatus* status) {
  if (!status) return fail(cudaErrorInvalidValue);
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (!event) return fail(cudaErrorInvalidValue);
  *event = new CUevent_st{{}, false, !(flags & cudaEventDisableTiming)};
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  if (!event) return fail(cudaErrorInvalidResourceHandle);
  event->time = std::chrono::steady_clock::now();
  event->is_recorded = true;
  return device_fault();
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) { return cudaEventRecord(event, stream); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return event ? synchronize() : fail(cudaErrorInvalidResourceHandle); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return event ? device_fault() : fail(cudaErrorInvalidResourceHandle); }
// Host time between the two records: plausible for programs that print it, and no measure of a GPU.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds) return fail(cudaErrorInvalidValue);
  if (!start || !end || !start->is_recorded || !end->is_recorded || !start->has_timing || !end->has_timing) return fail(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return device_fault();
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!event) return fail(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}
}
