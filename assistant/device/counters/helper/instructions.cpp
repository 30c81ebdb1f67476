// How often each machine instruction ran and what it moved: CUPTI's SASS Metrics API, which patches the kernel.
//
// Once in a process: CUPTI 13.0 counts the first kernel launched after the first `cuptiSassMetricsEnable`, until its data are read, and
// nothing after that, whatever is switched off, unset or finalised between (an H200 with driver 580).
#include "helper.h"

#include <cupti_sass_metrics.h>

#include <map>
#include <sstream>
#include <vector>

namespace {

struct Patching {
  CUcontext context = nullptr;
  std::map<uint64_t, std::string> names;  // of the metrics that are counted
};

Patching& patching() {
  static auto& one = *new Patching;
  return one;
}

// Those of the metrics (one per line) that the chip has; it lacks the others.
std::vector<CUpti_SassMetrics_Config> found(const char* lines) {
  Patching& p = patching();
  std::vector<CUpti_SassMetrics_Config> all;
  std::istringstream text(lines);
  for (std::string name; std::getline(text, name);) {
    auto asked = COUNTERS_SIZED(CUpti_SassMetrics_GetProperties_Params);
    asked.pChipName = counters::chip_name();
    asked.pMetricName = name.c_str();
    if (cuptiSassMetricsGetProperties(&asked) != CUPTI_SUCCESS) continue;
    p.names[asked.metric.metricId] = name;
    all.push_back({asked.metric.metricId, CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU});
  }
  return all;
}

}  // namespace

// The next launch is counted, by the metrics named line by line, as far as the chip has them. Answers `counted, metric` for each of those.
COUNTERS_API CUptiResult instructions_start(const char* metrics) {
  if (!counters::chip_name()) return CUPTI_ERROR_NOT_INITIALIZED;
  Patching& p = patching();
  p.context = counters::current_context();
  counters::answer().clear();
  std::vector<CUpti_SassMetrics_Config> configs = found(metrics);
  for (const auto& config : configs) counters::add_line("counted", p.names[config.metricId]);
  auto set = COUNTERS_SIZED(CUpti_SassMetricsSetConfig_Params);
  set.numOfMetricConfig = configs.size();
  set.pConfigs = configs.data();
  set.deviceIndex = static_cast<uint32_t>(counters::current_device());
  COUNTERS_TRY(cuptiSassMetricsSetConfig(&set));
  auto enable = COUNTERS_SIZED(CUpti_SassMetricsEnable_Params);
  enable.ctx = p.context;
  enable.enableLazyPatching = 1;
  COUNTERS_TRY(cuptiSassMetricsEnable(&enable));
  return CUPTI_SUCCESS;
}

// After the launch has ended. Answers in addition `count, function, offset, metric, value`.
COUNTERS_API CUptiResult instructions_stop() {
  Patching& p = patching();
  auto sizes = COUNTERS_SIZED(CUpti_SassMetricsGetDataProperties_Params);
  sizes.ctx = p.context;
  COUNTERS_TRY(cuptiSassMetricsGetDataProperties(&sizes));
  size_t records = sizes.numOfPatchedInstructionRecords, instances = sizes.numOfInstances;
  std::vector<CUpti_SassMetrics_InstanceValue> values(records * instances);
  std::vector<CUpti_SassMetrics_Data> data(records);
  for (size_t i = 0; i < records; ++i) {
    data[i] = {};
    data[i].structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE;
    data[i].pInstanceValues = &values[i * instances];
  }
  if (records && instances) {
    auto flush = COUNTERS_SIZED(CUpti_SassMetricsFlushData_Params);
    flush.ctx = p.context;
    flush.numOfPatchedInstructionRecords = records;
    flush.numOfInstances = instances;
    flush.pMetricsData = data.data();
    COUNTERS_TRY(cuptiSassMetricsFlushData(&flush));
  }
  for (const auto& one : data) {
    for (size_t k = 0; k < instances; ++k) {
      const CUpti_SassMetrics_InstanceValue& value = one.pInstanceValues[k];
      counters::add_line("count", one.functionName ? one.functionName : "", std::to_string(one.pcOffset), p.names[value.metricId],
                         std::to_string(value.value));
    }
  }
  return CUPTI_SUCCESS;
}
