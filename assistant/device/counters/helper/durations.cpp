// How long kernels take by the GPU's own time stamps: CUPTI's activity records, without any counter.
//
// Lines: `kernel NAME NANOSECONDS`, in the order in which they started.
#include "helper.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace {

#if CUPTI_API_VERSION >= 130000
using Record = CUpti_ActivityKernel10;
#else
using Record = CUpti_ActivityKernel9;
#endif
constexpr size_t BUFFER_BYTES = 1 << 20;
constexpr CUpti_ActivityKind KIND = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;

struct Kernel {
  uint64_t start, end;
  std::string name;
};

std::mutex mutex;  // CUPTI hands in records from a thread of its own, too
std::vector<Kernel>& kernels() {
  static auto& instance = *new std::vector<Kernel>;
  return instance;
}

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
    if (k.name) kernels().push_back({k.start, k.end, k.name});
  }
  free(buffer);
}

}  // namespace

COUNTERS_API int durations_start() {
  static bool is_registered = false;
  if (!is_registered) COUNTERS_TRY(cuptiActivityRegisterCallbacks(give_buffer, take_buffer));
  is_registered = true;
  {
    std::lock_guard<std::mutex> hold(mutex);
    kernels().clear();
  }
  COUNTERS_TRY(cuptiActivityEnable(KIND));
  return CUPTI_SUCCESS;
}

COUNTERS_API int durations_stop() {
  COUNTERS_TRY(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  COUNTERS_TRY(cuptiActivityDisable(KIND));
  std::lock_guard<std::mutex> hold(mutex);
  std::sort(kernels().begin(), kernels().end(), [](const Kernel& a, const Kernel& b) { return a.start < b.start; });
  counters::answer().clear();
  for (const Kernel& kernel : kernels()) counters::add_line("kernel", kernel.name, std::to_string(kernel.end - kernel.start));
  return CUPTI_SUCCESS;
}
