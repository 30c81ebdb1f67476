// Which instructions warps wait on, and why: CUPTI's PC Sampling API, switched on around single launches.
#include "helper.h"

#include <cupti_pcsampling.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace {

constexpr size_t kMostInstructions = 1 << 14;  // of one launch; what is beyond comes with the next call
constexpr size_t kHardwareBufferBytes = size_t{128} << 20;

struct Sampling {
  CUcontext context = nullptr;
  std::map<uint32_t, std::string> reasons;                 // by CUPTI's index
  std::vector<CUpti_PCSamplingPCData> instructions;        // filled by CUPTI
  std::vector<CUpti_PCSamplingStallReason> stalls;         // of `instructions`
  CUpti_PCSamplingData data{};
};

Sampling& sampling() {
  static auto& one = *new Sampling;
  return one;
}

CUptiResult find_reasons() {
  Sampling& s = sampling();
  size_t count = 0;
  CUpti_PCSamplingGetNumStallReasonsParams counted{};
  counted.size = CUpti_PCSamplingGetNumStallReasonsParamsSize;
  counted.ctx = s.context;
  counted.numStallReasons = &count;
  COUNTERS_TRY(cuptiPCSamplingGetNumStallReasons(&counted));
  std::vector<uint32_t> indices(count);
  std::vector<std::vector<char>> names(count, std::vector<char>(CUPTI_STALL_REASON_STRING_SIZE));
  std::vector<char*> places;
  for (auto& name : names) places.push_back(name.data());
  CUpti_PCSamplingGetStallReasonsParams named{};
  named.size = CUpti_PCSamplingGetStallReasonsParamsSize;
  named.ctx = s.context;
  named.numStallReasons = count;
  named.stallReasonIndex = indices.data();
  named.stallReasons = places.data();
  COUNTERS_TRY(cuptiPCSamplingGetStallReasons(&named));
  for (size_t i = 0; i < count; ++i) s.reasons[indices[i]] = names[i].data();
  return CUPTI_SUCCESS;
}

void make_room() {
  Sampling& s = sampling();
  s.instructions.assign(kMostInstructions, {});
  s.stalls.resize(kMostInstructions * s.reasons.size());
  for (size_t i = 0; i < kMostInstructions; ++i) {
    s.instructions[i].size = sizeof(CUpti_PCSamplingPCData);
    s.instructions[i].stallReason = &s.stalls[i * s.reasons.size()];
  }
  s.data = {};
  s.data.size = sizeof(CUpti_PCSamplingData);
  s.data.collectNumPcs = kMostInstructions;
  s.data.pPcData = s.instructions.data();
}

CUptiResult configure(uint32_t period_exponent) {
  using Information = CUpti_PCSamplingConfigurationInfo;
  auto of = [](CUpti_PCSamplingConfigurationAttributeType type) {
    Information one{};
    one.attributeType = type;
    return one;
  };
  Information mode = of(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE);
  mode.attributeData.collectionModeData.collectionMode = CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
  Information period = of(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD);
  period.attributeData.samplingPeriodData.samplingPeriod = period_exponent;
  Information control = of(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL);
  control.attributeData.enableStartStopControlData.enableStartStopControl = 1;
  Information format = of(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT);
  format.attributeData.outputDataFormatData.outputDataFormat = CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED;
  Information buffer = of(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER);
  buffer.attributeData.samplingDataBufferData.samplingDataBuffer = &sampling().data;
  Information hardware = of(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE);
  hardware.attributeData.hardwareBufferSizeData.hardwareBufferSize = kHardwareBufferBytes;
  std::vector<Information> all{mode, period, control, format, buffer, hardware};
  CUpti_PCSamplingConfigurationInfoParams params{};
  params.size = CUpti_PCSamplingConfigurationInfoParamsSize;
  params.ctx = sampling().context;
  params.numAttributes = all.size();
  params.pPCSamplingConfigurationInfo = all.data();
  COUNTERS_TRY(cuptiPCSamplingSetConfigurationAttribute(&params));
  return CUPTI_SUCCESS;
}

struct Totals {
  uint64_t samples = 0, dropped = 0;
};

// Answers what the buffer holds, as lines `stall, function, offset, reason, samples`, and empties it; `code, function, checksum` says of
// which module CUPTI took a function to be, which it may get wrong where another one was at its place before. The names stay CUPTI's: records share
// them (cupti_pcsampling.h, CUpti_PCSamplingPCData), so that nobody can tell which to free.
void take(Totals& totals) {
  Sampling& s = sampling();
  std::set<std::pair<std::string, uint64_t>> code;
  for (size_t i = 0; i < s.data.totalNumPcs; ++i) {
    CUpti_PCSamplingPCData& one = s.instructions[i];
    code.emplace(one.functionName ? one.functionName : "", uint64_t{one.cubinCrc});
    for (size_t k = 0; k < one.stallReasonCount; ++k) {
      const CUpti_PCSamplingStallReason& stall = one.stallReason[k];
      if (!stall.samples) continue;
      counters::add_line("stall", one.functionName ? one.functionName : "", std::to_string(one.pcOffset),
                         s.reasons[stall.pcSamplingStallReasonIndex], std::to_string(stall.samples));
    }
  }
  for (const auto& [function, checksum] : code) counters::add_line("code", function, std::to_string(checksum));
  totals.samples += s.data.totalSamples;
  totals.dropped += s.data.droppedSamples;
  s.data.totalNumPcs = 0;
  s.data.totalSamples = s.data.droppedSamples = 0;
}

}  // namespace

// Every SM samples one of its warps every 2^period_exponent cycles (5 to 31), but only between start and stop.
COUNTERS_API CUptiResult stalls_enable(uint32_t period_exponent) {
  Sampling& s = sampling();
  s.context = counters::current_context();
  CUpti_PCSamplingEnableParams params{};
  params.size = CUpti_PCSamplingEnableParamsSize;
  params.ctx = s.context;
  COUNTERS_TRY(cuptiPCSamplingEnable(&params));
  if (s.reasons.empty()) {
    if (CUptiResult result = find_reasons()) return result;
  }
  make_room();
  return configure(period_exponent);
}

COUNTERS_API CUptiResult stalls_start() {
  CUpti_PCSamplingStartParams params{};
  params.size = CUpti_PCSamplingStartParamsSize;
  params.ctx = sampling().context;
  COUNTERS_TRY(cuptiPCSamplingStart(&params));
  return CUPTI_SUCCESS;
}

// After the launch has ended. Answers its samples, then `samples, all, dropped`.
COUNTERS_API CUptiResult stalls_stop() {
  Sampling& s = sampling();
  counters::answer().clear();
  CUpti_PCSamplingStopParams params{};
  params.size = CUpti_PCSamplingStopParamsSize;
  params.ctx = s.context;
  COUNTERS_TRY(cuptiPCSamplingStop(&params));
  Totals totals;
  take(totals);  // stopping fills the buffer
  do {
    CUpti_PCSamplingGetDataParams got{};
    got.size = CUpti_PCSamplingGetDataParamsSize;
    got.ctx = s.context;
    got.pcSamplingData = &s.data;
    COUNTERS_TRY(cuptiPCSamplingGetData(&got));
    take(totals);
  } while (s.data.remainingNumPcs > 0);
  counters::add_line("samples", std::to_string(totals.samples), std::to_string(totals.dropped));
  return CUPTI_SUCCESS;
}

COUNTERS_API CUptiResult stalls_disable() {
  CUpti_PCSamplingDisableParams params{};
  params.size = CUpti_PCSamplingDisableParamsSize;
  params.ctx = sampling().context;
  COUNTERS_TRY(cuptiPCSamplingDisable(&params));
  return CUPTI_SUCCESS;
}
