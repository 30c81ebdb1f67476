// How long kernels took, by the GPU's own time stamps (CUPTI activity records), summed by kernel and configuration.
#include "calls.h"

#include <array>
#include <cstdlib>
#include <mutex>

namespace capture {
namespace {

using Shape = std::pair<std::string, std::array<uint64_t, 7>>;
#if CUPTI_API_VERSION >= 130000
using Record = CUpti_ActivityKernel10;
#else
using Record = CUpti_ActivityKernel9;
#endif
constexpr size_t BUFFER_BYTES = 1 << 20;
constexpr CUpti_ActivityKind KIND = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;

std::mutex mutex;
bool is_timing = false;  // a process that is recorded in part keeps its own time stamps, if it takes any
std::map<Shape, uint64_t>& times() {
  static auto& instance = *new std::map<Shape, uint64_t>;  // CUPTI may hand in records while the process ends
  return instance;
}

uint64_t count(int32_t n) { return static_cast<uint64_t>(n); }

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(aligned_alloc(8, BUFFER_BYTES));
  *size = *buffer ? BUFFER_BYTES : 0;
  *max_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  std::lock_guard<std::mutex> hold(mutex);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind != KIND) continue;
    const auto& k = *reinterpret_cast<const Record*>(record);
    if (!k.name || k.end <= k.start) continue;
    std::array<uint64_t, 7> shape = {count(k.gridX), count(k.gridY), count(k.gridZ), count(k.blockX), count(k.blockY), count(k.blockZ), count(k.dynamicSharedMemory)};
    times()[{k.name, shape}] += k.end - k.start;
  }
  free(buffer);
}

}  // namespace

void start_times() {
  is_timing = true;
  cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  cuptiActivityEnable(KIND);
}

void stop_times() {
  if (is_timing) cuptiActivityDisable(KIND);
}
void resume_times() {
  if (is_timing) cuptiActivityEnable(KIND);
}

void write_times(Recorder& recorder) {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  std::lock_guard<std::mutex> hold(mutex);
  for (const auto& [shape, duration_ns] : times()) {
    uint64_t sizes[7];
    std::copy(shape.second.begin(), shape.second.end(), sizes);
    recorder.time(shape.first, sizes, duration_ns);
  }
}

}  // namespace capture
