// Copies to the host and from it, memory that the host sees, and the calls after which the host may look at it.
#include "calls.h"

namespace capture {
namespace {

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

void record_bytes(Recorder& recorder, const Call& call, const void* to, uint64_t from, size_t bytes, CUstream stream) {
  if (call.result != CUDA_SUCCESS || is_capturing(stream) || !is_host(to)) return;
  if (is_host(reinterpret_cast<const void*>(from)) || driver()->stream_synchronize(stream) != CUDA_SUCCESS) return;
  recorder.transfer("memcpy", to, bytes, from);
}

// After the call: it has read the source, or is to find it as it is now.
void record_upload(Recorder& recorder, const Call& call, uint64_t to, const void* from, size_t bytes, CUstream stream) {
  if (call.result != CUDA_SUCCESS || is_capturing(stream) || !is_host(from) || is_host(reinterpret_cast<const void*>(to))) return;
  recorder.uploaded(from, bytes);
}

void after_to_device(Recorder& recorder, const Call& call) {
  const auto& p = call.as<cuMemcpyHtoD_v2_params>();
  record_upload(recorder, call, p.dstDevice, p.srcHost, p.ByteCount, call.stream(nullptr));
}

void after_to_device_async(Recorder& recorder, const Call& call) {
  const auto& p = call.as<cuMemcpyHtoDAsync_v2_params>();
  record_upload(recorder, call, p.dstDevice, p.srcHost, p.ByteCount, call.stream(p.hStream));
}

void after_to_host(Recorder& recorder, const Call& call) {
  const auto& p = call.as<cuMemcpyDtoH_v2_params>();
  recorder.snapshot("managed");
  record_bytes(recorder, call, p.dstHost, p.srcDevice, p.ByteCount, call.stream(nullptr));
}

void after_to_host_async(Recorder& recorder, const Call& call) {
  const auto& p = call.as<cuMemcpyDtoHAsync_v2_params>();
  record_bytes(recorder, call, p.dstHost, p.srcDevice, p.ByteCount, call.stream(p.hStream));
}

void after_copy(Recorder& recorder, const Call& call) {
  const auto& p = call.as<cuMemcpy_params>();
  recorder.snapshot("managed");
  record_upload(recorder, call, p.dst, reinterpret_cast<const void*>(p.src), p.ByteCount, call.stream(nullptr));
  record_bytes(recorder, call, reinterpret_cast<const void*>(p.dst), p.src, p.ByteCount, call.stream(nullptr));
}

void after_copy_async(Recorder& recorder, const Call& call) {
  const auto& p = call.as<cuMemcpyAsync_params>();
  record_upload(recorder, call, p.dst, reinterpret_cast<const void*>(p.src), p.ByteCount, call.stream(p.hStream));
  record_bytes(recorder, call, reinterpret_cast<const void*>(p.dst), p.src, p.ByteCount, call.stream(p.hStream));
}

CUDA_MEMCPY3D as_3d(const CUDA_MEMCPY2D& flat) {
  CUDA_MEMCPY3D c{};
  c.srcXInBytes = flat.srcXInBytes, c.srcY = flat.srcY, c.srcMemoryType = flat.srcMemoryType;
  c.srcHost = flat.srcHost, c.srcDevice = flat.srcDevice, c.srcPitch = flat.srcPitch;
  c.dstXInBytes = flat.dstXInBytes, c.dstY = flat.dstY, c.dstMemoryType = flat.dstMemoryType;
  c.dstHost = flat.dstHost, c.dstDevice = flat.dstDevice, c.dstPitch = flat.dstPitch;
  c.WidthInBytes = flat.WidthInBytes, c.Height = flat.Height, c.Depth = 1;
  return c;
}

void after_2d(Recorder& recorder, const Call& call) {
  const auto& p = call.as<cuMemcpy2DAsync_v2_params>();  // the stream is the last parameter: the call that waits has none
  if (call.result == CUDA_SUCCESS && p.pCopy) record_copy(recorder, as_3d(*p.pCopy));
}

void after_2d_async(Recorder& recorder, const Call& call) {
  const auto& p = call.as<cuMemcpy2DAsync_v2_params>();
  CUstream stream = call.stream(p.hStream);
  if (!is_capturing(stream) && driver()->stream_synchronize(stream) == CUDA_SUCCESS) after_2d(recorder, call);
}

void after_3d(Recorder& recorder, const Call& call) {
  const auto& p = call.as<cuMemcpy3D_v2_params>();
  if (call.result == CUDA_SUCCESS && p.pCopy) record_copy(recorder, *p.pCopy);
}

void after_3d_async(Recorder& recorder, const Call& call) {
  CUstream stream = call.stream(call.as<cuMemcpy3DAsync_v2_params>().hStream);
  if (!is_capturing(stream) && driver()->stream_synchronize(stream) == CUDA_SUCCESS) after_3d(recorder, call);
}

void after_synchronisation(Recorder& recorder, const Call& call) {
  if (call.result == CUDA_SUCCESS) recorder.snapshot("managed");
}

void after_managed(Recorder& recorder, const Call& call) {
  if (call.result == CUDA_SUCCESS) recorder.memory.add_host_visible(*call.as<cuMemAllocManaged_params>().dptr);
}
void after_host_allocation(Recorder& recorder, const Call& call) {
  if (call.result == CUDA_SUCCESS) recorder.memory.add_host_visible(address_of(*call.as<cuMemHostAlloc_params>().pp));
}
void after_registration(Recorder& recorder, const Call& call) {
  if (call.result == CUDA_SUCCESS) recorder.memory.add_host_visible(address_of(call.as<cuMemHostRegister_v2_params>().p));
}
void after_allocation(Recorder& recorder, const Call& call) {
  Region region;
  if (call.result == CUDA_SUCCESS) recorder.memory.find(*call.as<cuMemAlloc_v2_params>().dptr, region);
}
void before_free(Recorder& recorder, const Call& call) { recorder.memory.remove(call.as<cuMemFree_v2_params>().dptr); }
void before_host_free(Recorder& recorder, const Call& call) { recorder.memory.remove(address_of(call.as<cuMemFreeHost_params>().p)); }

void after_texture(Recorder& recorder, const Call& call) {
  if (call.result == CUDA_SUCCESS) recorder.add_texture(*call.as<cuTexObjectCreate_params>().pTexObject);
}

// Every function that makes one has it as its first parameter.
void after_tensor_map(Recorder& recorder, const Call& call) {
  if (call.result == CUDA_SUCCESS) recorder.add_tensor_map(*call.as<cuTensorMapEncodeTiled_params>().tensorMap);
}

#define CAPTURE_ID(name) CUPTI_DRIVER_TRACE_CBID_##name

}  // namespace

bool is_host(const void* pointer) {
  unsigned type = 0;
  CUresult result = driver()->pointer_get_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(pointer));
  return result != CUDA_SUCCESS || type == CU_MEMORYTYPE_HOST;  // the driver does not know pageable memory
}

void record_copy(Recorder& recorder, const CUDA_MEMCPY3D& c) {
  const auto* to = static_cast<const char*>(c.dstMemoryType == CU_MEMORYTYPE_HOST ? c.dstHost : reinterpret_cast<void*>(c.dstDevice));
  if (c.dstMemoryType == CU_MEMORYTYPE_DEVICE || c.dstMemoryType == CU_MEMORYTYPE_ARRAY || !to || !is_host(to)) return;
  if (c.srcMemoryType == CU_MEMORYTYPE_HOST) return;
  bool has_address = c.srcMemoryType == CU_MEMORYTYPE_DEVICE || c.srcMemoryType == CU_MEMORYTYPE_UNIFIED;
  uint64_t from = has_address ? c.srcDevice : 0;
  bool is_one_piece = c.Depth <= 1 && c.dstPitch == c.WidthInBytes && c.srcPitch == c.WidthInBytes;
  size_t rows = is_one_piece ? 1 : c.Height, bytes = is_one_piece ? c.WidthInBytes * c.Height : c.WidthInBytes;
  for (size_t z = 0; z < std::max<size_t>(c.Depth, 1); ++z)
    for (size_t row = 0; row < rows; ++row) {
      size_t to_row = (c.dstZ + z) * c.dstHeight + c.dstY + row, from_row = (c.srcZ + z) * c.srcHeight + c.srcY + row;
      uint64_t source = from ? from + from_row * c.srcPitch + c.srcXInBytes : 0;
      recorder.transfer("memcpy", to + to_row * c.dstPitch + c.dstXInBytes, bytes, source);
    }
}

const std::vector<Watched>& memory_calls() {
  static const std::vector<Watched> calls = {
      {CAPTURE_ID(cuMemcpyHtoD_v2), nullptr, after_to_device, false},
      {CAPTURE_ID(cuMemcpyHtoD_v2_ptds), nullptr, after_to_device, true},
      {CAPTURE_ID(cuMemcpyHtoDAsync_v2), nullptr, after_to_device_async, false},
      {CAPTURE_ID(cuMemcpyHtoDAsync_v2_ptsz), nullptr, after_to_device_async, true},
      {CAPTURE_ID(cuMemcpyDtoH_v2), nullptr, after_to_host, false},
      {CAPTURE_ID(cuMemcpyDtoH_v2_ptds), nullptr, after_to_host, true},
      {CAPTURE_ID(cuMemcpyDtoHAsync_v2), nullptr, after_to_host_async, false},
      {CAPTURE_ID(cuMemcpyDtoHAsync_v2_ptsz), nullptr, after_to_host_async, true},
      {CAPTURE_ID(cuMemcpy), nullptr, after_copy, false},
      {CAPTURE_ID(cuMemcpy_ptds), nullptr, after_copy, true},
      {CAPTURE_ID(cuMemcpyAsync), nullptr, after_copy_async, false},
      {CAPTURE_ID(cuMemcpyAsync_ptsz), nullptr, after_copy_async, true},
      {CAPTURE_ID(cuMemcpy2D_v2), nullptr, after_2d, false},
      {CAPTURE_ID(cuMemcpy2D_v2_ptds), nullptr, after_2d, true},
      {CAPTURE_ID(cuMemcpy2DUnaligned_v2), nullptr, after_2d, false},
      {CAPTURE_ID(cuMemcpy2DUnaligned_v2_ptds), nullptr, after_2d, true},
      {CAPTURE_ID(cuMemcpy2DAsync_v2), nullptr, after_2d_async, false},
      {CAPTURE_ID(cuMemcpy2DAsync_v2_ptsz), nullptr, after_2d_async, true},
      {CAPTURE_ID(cuMemcpy3D_v2), nullptr, after_3d, false},
      {CAPTURE_ID(cuMemcpy3D_v2_ptds), nullptr, after_3d, true},
      {CAPTURE_ID(cuMemcpy3DAsync_v2), nullptr, after_3d_async, false},
      {CAPTURE_ID(cuMemcpy3DAsync_v2_ptsz), nullptr, after_3d_async, true},
      {CAPTURE_ID(cuCtxSynchronize), nullptr, after_synchronisation, false},
#if CUDA_VERSION >= 13000
      {CAPTURE_ID(cuCtxSynchronize_v2), nullptr, after_synchronisation, false},
#endif
      {CAPTURE_ID(cuStreamSynchronize), nullptr, after_synchronisation, false},
      {CAPTURE_ID(cuStreamSynchronize_ptsz), nullptr, after_synchronisation, true},
      {CAPTURE_ID(cuEventSynchronize), nullptr, after_synchronisation, false},
      {CAPTURE_ID(cuMemAlloc_v2), nullptr, after_allocation, false},
      {CAPTURE_ID(cuMemAllocPitch_v2), nullptr, after_allocation, false},
      {CAPTURE_ID(cuMemAllocAsync), nullptr, after_allocation, false},
      {CAPTURE_ID(cuMemAllocAsync_ptsz), nullptr, after_allocation, true},
      {CAPTURE_ID(cuMemAllocFromPoolAsync), nullptr, after_allocation, false},
      {CAPTURE_ID(cuMemAllocFromPoolAsync_ptsz), nullptr, after_allocation, true},
      {CAPTURE_ID(cuMemAllocManaged), nullptr, after_managed, false},
      {CAPTURE_ID(cuMemHostAlloc), nullptr, after_host_allocation, false},
      {CAPTURE_ID(cuMemAllocHost_v2), nullptr, after_host_allocation, false},
      {CAPTURE_ID(cuMemHostRegister_v2), nullptr, after_registration, false},
      {CAPTURE_ID(cuMemFree_v2), before_free, nullptr, false},
      {CAPTURE_ID(cuMemFreeHost), before_host_free, nullptr, false},
      {CAPTURE_ID(cuMemHostUnregister), before_host_free, nullptr, false},
      {CAPTURE_ID(cuTexObjectCreate), nullptr, after_texture, false},
      {CAPTURE_ID(cuSurfObjectCreate), nullptr, after_texture, false},
      {CAPTURE_ID(cuTensorMapEncodeTiled), nullptr, after_tensor_map, false},
      {CAPTURE_ID(cuTensorMapEncodeIm2col), nullptr, after_tensor_map, false},
  };
  return calls;
}

}  // namespace capture
