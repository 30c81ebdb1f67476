// Launches outside graphs: what they start from before the call, what they left after it.
#include "calls.h"

#include <algorithm>
#include <optional>

namespace capture {
namespace {

thread_local std::optional<Kept> under_way;  // the launch that this thread is in, if it is kept
int captured_streams = 0;

std::string name_of(CUfunction function) {
  const char* name = nullptr;
  if (driver()->kernel_get_name(&name, reinterpret_cast<CUkernel>(function)) != CUDA_SUCCESS &&
      driver()->func_get_name(&name, function) != CUDA_SUCCESS)
    return "?";
  return name;
}

Launch launch_of(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared) {
  Launch l;
  l.function = function;
  l.kernel = name_of(function);
  unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  std::copy(grid, grid + 3, l.grid);
  std::copy(block, block + 3, l.block);
  l.shared_bytes = shared;
  return l;
}

void begin(Recorder& recorder, const Launch& launch, CUstream stream) {
  if (is_capturing(stream)) return;  // recorded when its graph is launched
  if (recorder.would_keep(launch)) wait_for(stream);
  Kept kept;
  if (recorder.begin(launch, kept)) under_way = std::move(kept);
}

void before_launch(Recorder& recorder, const Call& call) {
  const auto& p = call.as<cuLaunchKernel_params>();
  Launch l = launch_of(p.f, p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ, p.sharedMemBytes);
  l.parameters = p.kernelParams;
  l.extra = p.extra;
  begin(recorder, l, call.stream(p.hStream));
}

void before_cooperative(Recorder& recorder, const Call& call) {
  const auto& p = call.as<cuLaunchCooperativeKernel_params>();
  Launch l = launch_of(p.f, p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ, p.sharedMemBytes);
  l.parameters = p.kernelParams;
  l.is_cooperative = true;
  begin(recorder, l, call.stream(p.hStream));
}

void before_configured(Recorder& recorder, const Call& call) {
  const auto& p = call.as<cuLaunchKernelEx_params>();
  if (!p.config) return;
  const CUlaunchConfig& c = *p.config;
  Launch l = launch_of(p.f, c.gridDimX, c.gridDimY, c.gridDimZ, c.blockDimX, c.blockDimY, c.blockDimZ, c.sharedMemBytes);
  l.parameters = p.kernelParams;
  l.extra = p.extra;
  for (unsigned i = 0; i < c.numAttrs; ++i) {
    const auto& value = c.attrs[i].value;
    if (c.attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) l.is_cooperative = value.cooperative != 0;
    if (c.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) l.set_cluster(value);
  }
  begin(recorder, l, call.stream(c.hStream));
}

void after(Recorder& recorder, const Call& call) {
  if (!under_way) return;
  bool has_succeeded = call.result == CUDA_SUCCESS && driver()->ctx_synchronize() == CUDA_SUCCESS;
  recorder.end(*under_way, has_succeeded);
  under_way.reset();
}

}  // namespace

bool is_capturing(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return captured_streams > 0 && driver()->stream_is_capturing(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

bool wait_for(CUstream stream) {
  return (captured_streams > 0 ? driver()->stream_synchronize(stream) : driver()->ctx_synchronize()) == CUDA_SUCCESS;
}

void note_capture(int change) { captured_streams = std::max(0, captured_streams + change); }  // one may have begun before the recording

const std::vector<Watched>& launch_calls() {
  static const std::vector<Watched> calls = {
      {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, before_launch, after, false},
      {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, before_launch, after, true},
      {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, before_configured, after, false},
      {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, before_configured, after, true},
      {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, before_cooperative, after, false},
      {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, before_cooperative, after, true},
  };
  return calls;
}

}  // namespace capture
