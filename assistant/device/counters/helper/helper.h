// What the worker's process asks of CUPTI, as C functions for ctypes.
//
// Every function returns 0, or CUPTI's result (cupti_result.h) with the failed call in `counters_said`. All are called from one thread,
// whose CUDA context is current. Answers are lines of tab-separated fields (assistant/device/counters/answer.py reads them).
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <string>

namespace counters {

// The lines of the last answer.
std::string& answer();

// Remembers which call failed; the result itself.
CUptiResult checked(CUptiResult result, const char* call);

// The calling thread's CUDA context and its device; the driver is the one that the process has loaded.
CUcontext current_context();
CUdevice current_device();

// CUPTI's name of the device's chip (GH100), with its profilers initialised; null with the failure remembered.
const char* chip_name();

// A parameter block of CUPTI's, all zero but for its size.
template <class Params>
Params sized(size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}

template <class... Field>
void add_line(const Field&... fields) {
  std::string& text = answer();
  ((text += fields, text += '\t'), ...);
  text.back() = '\n';
}

}  // namespace counters

#define COUNTERS_SIZED(type) counters::sized<type>(type##_STRUCT_SIZE)

#define COUNTERS_API extern "C" __attribute__((visibility("default")))

// Leaves the function with CUPTI's result where a call fails.
#define COUNTERS_TRY(call)                                                                        \
  do {                                                                                            \
    if (CUptiResult counters_result = counters::checked((call), #call)) return counters_result; \
  } while (false)
