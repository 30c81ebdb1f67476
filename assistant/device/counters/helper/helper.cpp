#include "helper.h"

#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <dlfcn.h>

namespace counters {
namespace {

template <class Function>
Function driver_function(const char* name) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function>(library ? dlsym(library, name) : nullptr);
}

std::string& said() {
  static std::string text;
  return text;
}

}  // namespace

std::string& answer() {
  static std::string text;
  return text;
}

CUptiResult checked(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return result;
  const char* name = nullptr;
  cuptiGetResultString(result, &name);
  said() = std::string(call).substr(0, std::string(call).find('(')) + ": " + (name ? name : "an unknown result");
  return result;
}

CUcontext current_context() {
  CUcontext context = nullptr;
  if (auto get = driver_function<CUresult (*)(CUcontext*)>("cuCtxGetCurrent")) get(&context);
  return context;
}

CUdevice current_device() {
  CUdevice device = 0;
  if (auto get = driver_function<CUresult (*)(CUdevice*)>("cuCtxGetDevice")) get(&device);
  return device;
}

const char* chip_name() {
  static std::string name;  // CUPTI's own string does not outlive its calls
  if (!name.empty()) return name.c_str();
  auto initialize = COUNTERS_SIZED(CUpti_Profiler_Initialize_Params);
  if (checked(cuptiProfilerInitialize(&initialize), "cuptiProfilerInitialize(")) return nullptr;
  auto chip = COUNTERS_SIZED(CUpti_Device_GetChipName_Params);
  chip.deviceIndex = static_cast<size_t>(current_device());
  if (checked(cuptiDeviceGetChipName(&chip), "cuptiDeviceGetChipName(")) return nullptr;
  name = chip.pChipName;
  return name.c_str();
}

}  // namespace counters

// "cuptiPCSamplingStart: CUPTI_ERROR_…"
COUNTERS_API const char* counters_said() { return counters::said().c_str(); }

COUNTERS_API const char* counters_answer() { return counters::answer().c_str(); }
