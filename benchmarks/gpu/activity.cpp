// Linked into a program: writes when each kernel, copy and fill ran on the GPU, by CUPTI's time stamps, as the program ends:
//
//     activity kernel 171 173 timed_empty()
//
// (start and end in ns). It knows nothing of kernelopt: `benchmarks.gpu.regions` holds verdicts against what it writes.
#include <cupti.h>

#include <cstdio>
#include <cstdlib>

namespace {

#if CUPTI_API_VERSION >= 130000
using Kernel = CUpti_ActivityKernel10;
using Copy = CUpti_ActivityMemcpy6;
#else
using Kernel = CUpti_ActivityKernel9;
using Copy = CUpti_ActivityMemcpy5;
#endif
constexpr size_t BUFFER_BYTES = 1 << 20;
constexpr CUpti_ActivityKind KINDS[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};

void show(const char* kind, unsigned long long start_ns, unsigned long long end_ns, const char* name) {
  std::fprintf(stderr, "activity %s %llu %llu %s\n", kind, start_ns, end_ns, name);
}

template <class Record>
void show(const char* kind, const CUpti_Activity& any) {
  const auto& record = reinterpret_cast<const Record&>(any);
  show(kind, record.start, record.end, "-");
}

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* size, size_t* most) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, BUFFER_BYTES));
  *size = *buffer ? BUFFER_BYTES : 0;
  *most = 0;
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto& kernel = reinterpret_cast<const Kernel&>(*record);
      show("kernel", kernel.start, kernel.end, kernel.name ? kernel.name : "?");
    }
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) show<Copy>("copy", *record);
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY2) show<CUpti_ActivityMemcpyPtoP4>("copy", *record);
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) show<CUpti_ActivityMemset4>("fill", *record);
  }
  std::free(buffer);
}

void finish() { cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED); }

__attribute__((constructor)) void start() {
  cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  for (CUpti_ActivityKind kind : KINDS) {
    CUptiResult result = cuptiActivityEnable(kind);
    if (result != CUPTI_SUCCESS) std::fprintf(stderr, "activity failed %d\n", static_cast<int>(result));
  }
  std::atexit(finish);
}

}  // namespace
