// Counters of a launch as a whole (occupancy, how near each memory level came to its peak): CUPTI's range profiler.
//
// CUPTI itself runs the kernel once for each pass and puts memory back before each.
#include "helper.h"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>

#include <sstream>
#include <vector>

namespace {

struct Profiling {
  std::vector<std::string> names;
  std::vector<const char*> metrics;  // of `names`
  CUpti_Profiler_Host_Object* host = nullptr;
  CUpti_RangeProfiler_Object* target = nullptr;
  std::vector<uint8_t> availability, config, counters;  // CUPTI keeps looking at them
};

Profiling& profiling() {
  static auto& one = *new Profiling;
  return one;
}

CUptiResult open_host() {
  Profiling& p = profiling();
  auto availability = COUNTERS_SIZED(CUpti_Profiler_GetCounterAvailability_Params);
  availability.ctx = counters::current_context();
  COUNTERS_TRY(cuptiProfilerGetCounterAvailability(&availability));
  p.availability.resize(availability.counterAvailabilityImageSize);
  availability.pCounterAvailabilityImage = p.availability.data();
  COUNTERS_TRY(cuptiProfilerGetCounterAvailability(&availability));
  auto initialize = COUNTERS_SIZED(CUpti_Profiler_Host_Initialize_Params);
  initialize.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  initialize.pChipName = counters::chip_name();
  initialize.pCounterAvailabilityImage = p.availability.data();
  COUNTERS_TRY(cuptiProfilerHostInitialize(&initialize));
  p.host = initialize.pHostObject;
  return CUPTI_SUCCESS;
}

bool is_there(const std::string& name) {
  auto asked = COUNTERS_SIZED(CUpti_Profiler_Host_GetMetricProperties_Params);
  asked.pHostObject = profiling().host;
  asked.pMetricName = name.c_str();
  return cuptiProfilerHostGetMetricProperties(&asked) == CUPTI_SUCCESS;
}

CUptiResult make_config() {
  Profiling& p = profiling();
  auto add = COUNTERS_SIZED(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  add.pHostObject = p.host;
  add.ppMetricNames = p.metrics.data();
  add.numMetrics = p.metrics.size();
  COUNTERS_TRY(cuptiProfilerHostConfigAddMetrics(&add));
  auto size = COUNTERS_SIZED(CUpti_Profiler_Host_GetConfigImageSize_Params);
  size.pHostObject = p.host;
  COUNTERS_TRY(cuptiProfilerHostGetConfigImageSize(&size));
  p.config.resize(size.configImageSize);
  auto image = COUNTERS_SIZED(CUpti_Profiler_Host_GetConfigImage_Params);
  image.pHostObject = p.host;
  image.configImageSize = p.config.size();
  image.pConfigImage = p.config.data();
  COUNTERS_TRY(cuptiProfilerHostGetConfigImage(&image));
  return CUPTI_SUCCESS;
}

CUptiResult make_counters() {
  Profiling& p = profiling();
  auto size = COUNTERS_SIZED(CUpti_RangeProfiler_GetCounterDataSize_Params);
  size.pRangeProfilerObject = p.target;
  size.pMetricNames = p.metrics.data();
  size.numMetrics = p.metrics.size();
  size.maxNumOfRanges = 1;
  size.maxNumRangeTreeNodes = 1;
  COUNTERS_TRY(cuptiRangeProfilerGetCounterDataSize(&size));
  p.counters.assign(size.counterDataSize, 0);
  auto initialize = COUNTERS_SIZED(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  initialize.pRangeProfilerObject = p.target;
  initialize.counterDataSize = p.counters.size();
  initialize.pCounterData = p.counters.data();
  COUNTERS_TRY(cuptiRangeProfilerCounterDataImageInitialize(&initialize));
  return CUPTI_SUCCESS;
}

CUptiResult set_config() {
  Profiling& p = profiling();
  auto set = COUNTERS_SIZED(CUpti_RangeProfiler_SetConfig_Params);
  set.pRangeProfilerObject = p.target;
  set.configSize = p.config.size();
  set.pConfig = p.config.data();
  set.counterDataImageSize = p.counters.size();
  set.pCounterDataImage = p.counters.data();
  set.range = CUPTI_AutoRange;
  set.replayMode = CUPTI_KernelReplay;
  set.maxRangesPerPass = 1;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = 0;
  set.targetNestingLevel = 1;
  COUNTERS_TRY(cuptiRangeProfilerSetConfig(&set));
  return CUPTI_SUCCESS;
}

}  // namespace

// Prepares the metrics named line by line, as far as the chip has them, for one launch; always the same ones in one process.
COUNTERS_API CUptiResult launch_enable(const char* metrics) {
  if (!counters::chip_name()) return CUPTI_ERROR_NOT_INITIALIZED;
  Profiling& p = profiling();
  if (!p.host) {
    if (CUptiResult result = open_host()) return result;
    std::istringstream text(metrics);
    for (std::string name; std::getline(text, name);) {
      if (is_there(name)) p.names.push_back(name);
    }
    for (const std::string& name : p.names) p.metrics.push_back(name.c_str());
    if (CUptiResult result = make_config()) return result;
  }
  auto enable = COUNTERS_SIZED(CUpti_RangeProfiler_Enable_Params);
  enable.ctx = counters::current_context();
  COUNTERS_TRY(cuptiRangeProfilerEnable(&enable));
  p.target = enable.pRangeProfilerObject;
  if (CUptiResult result = make_counters()) return result;
  return set_config();
}

COUNTERS_API CUptiResult launch_start() {
  auto start = COUNTERS_SIZED(CUpti_RangeProfiler_Start_Params);
  start.pRangeProfilerObject = profiling().target;
  COUNTERS_TRY(cuptiRangeProfilerStart(&start));
  return CUPTI_SUCCESS;
}

// After the launch has ended. Answers `launch, metric, value`.
COUNTERS_API CUptiResult launch_stop() {
  Profiling& p = profiling();
  counters::answer().clear();
  auto stop = COUNTERS_SIZED(CUpti_RangeProfiler_Stop_Params);
  stop.pRangeProfilerObject = p.target;
  COUNTERS_TRY(cuptiRangeProfilerStop(&stop));
  auto decode = COUNTERS_SIZED(CUpti_RangeProfiler_DecodeData_Params);
  decode.pRangeProfilerObject = p.target;
  COUNTERS_TRY(cuptiRangeProfilerDecodeData(&decode));
  std::vector<double> values(p.metrics.size());
  auto evaluate = COUNTERS_SIZED(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  evaluate.pHostObject = p.host;
  evaluate.pCounterDataImage = p.counters.data();
  evaluate.counterDataImageSize = p.counters.size();
  evaluate.rangeIndex = 0;
  evaluate.ppMetricNames = p.metrics.data();
  evaluate.numMetrics = p.metrics.size();
  evaluate.pMetricValues = values.data();
  COUNTERS_TRY(cuptiProfilerHostEvaluateToGpuValues(&evaluate));
  for (size_t i = 0; i < values.size(); ++i) {
    std::ostringstream text;
    text.precision(17);
    text << values[i];
    counters::add_line("launch", p.names[i], text.str());
  }
  return CUPTI_SUCCESS;
}

COUNTERS_API CUptiResult launch_disable() {
  auto disable = COUNTERS_SIZED(CUpti_RangeProfiler_Disable_Params);
  disable.pRangeProfilerObject = profiling().target;
  COUNTERS_TRY(cuptiRangeProfilerDisable(&disable));
  return CUPTI_SUCCESS;
}
