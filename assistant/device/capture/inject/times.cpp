// What CUPTI's activity records tell of the whole run: how long kernels took by the GPU's own time stamps, summed by kernel and
// configuration; how many copies and fills there were; and in what order they were asked for. Of a run that is only timed: when each ran.
#include "calls.h"

#include <array>
#include <cstdlib>
#include <mutex>
#include <set>

namespace capture {
namespace {

#if CUPTI_API_VERSION >= 130000
using Record = CUpti_ActivityKernel10;
using CopyRecord = CUpti_ActivityMemcpy6;
#else
using Record = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
#endif
constexpr size_t BUFFER_BYTES = 1 << 20;
constexpr CUpti_ActivityKind KINDS[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};

std::mutex mutex;
bool is_timeline = false;
bool is_timing = false;  // a process that is recorded in part keeps its own time stamps, if it takes any
Ran& ran() {
  static auto& instance = *new Ran;  // CUPTI may hand in records while the process ends
  return instance;
}

uint64_t count(int32_t n) { return static_cast<uint64_t>(n); }

void add_time(const Record& k) {
  if (!k.name || k.end <= k.start) return;
  std::array<uint64_t, 7> shape = {count(k.gridX), count(k.gridY), count(k.gridZ), count(k.blockX), count(k.blockY), count(k.blockZ), count(k.dynamicSharedMemory)};
  ran().add({"launch", k.correlationId, k.streamId, 0, k.start, k.end, k.name, shape});
}

// Where our own copies and fills run; CUPTI's numbers of contexts and streams. Its numbers of calls would not tell them from the
// program's: a call that is made during another one bears that one's.
std::set<std::pair<uint32_t, uint32_t>>& own_streams() {
  static auto& instance = *new std::set<std::pair<uint32_t, uint32_t>>;
  return instance;
}

const char* copy_name(uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA: return "copy_to_device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH: return "copy_to_host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH: return nullptr;
    default: return "copy_on_device";
  }
}

template <typename Operation>
void add_operation(const char* kind, const Operation& operation) {
  if (!kind || own_streams().count({operation.contextId, operation.streamId})) return;
  ran().add({kind, operation.correlationId, operation.streamId, operation.bytes, operation.start, operation.end, "", {}});
}

void add(const CUpti_Activity& record) {
  if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    add_operation("fill", reinterpret_cast<const CUpti_ActivityMemset4&>(record));
  } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    const auto& copy = reinterpret_cast<const CopyRecord&>(record);
    add_operation(copy_name(copy.copyKind), copy);
  } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY2) {
    add_operation("copy_on_device", reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(record));
  } else if (record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    add_time(reinterpret_cast<const Record&>(record));
  }
}

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(aligned_alloc(8, BUFFER_BYTES));
  *size = *buffer ? BUFFER_BYTES : 0;
  *max_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  std::lock_guard<std::mutex> hold(mutex);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) add(*record);
  free(buffer);
}

}  // namespace

void start_times(bool with_times_of_each) {
  is_timing = true;
  is_timeline = with_times_of_each;
  cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  resume_times();
}

void stop_times() {
  for (CUpti_ActivityKind kind : KINDS)
    if (is_timing) cuptiActivityDisable(kind);
}
void resume_times() {
  for (CUpti_ActivityKind kind : KINDS)
    if (is_timing) cuptiActivityEnable(kind);
}

void note_own_stream(CUcontext context, CUstream stream) {
  uint32_t context_id = 0, stream_id = 0;
  if (cuptiGetContextId(context, &context_id) != CUPTI_SUCCESS || cuptiGetStreamIdEx(context, stream, 0, &stream_id) != CUPTI_SUCCESS) return;
  std::lock_guard<std::mutex> hold(mutex);
  own_streams().insert({context_id, stream_id});
}

void write_times(Recorder& recorder) {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  std::lock_guard<std::mutex> hold(mutex);
  recorder.ran(ran(), is_timeline);
}

}  // namespace capture
