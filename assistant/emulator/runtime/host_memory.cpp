// Allocation: device, managed, pinned and pitched memory, and what a pointer is.
#include <cstdlib>

#include "host.h"

using emu_host::device_fault;
using emu_host::fail;
using emu_host::synchronize;

namespace {
// Rows of pitched memory start at multiples of this (textureAlignment of sm_90: CUDA C++ Programming Guide, device queries).
constexpr size_t PITCH_BYTES = 512;

cudaError_t allocate(void** pointer, size_t bytes, EmuSpace space) {
  if (!pointer) return fail(cudaErrorInvalidValue);
  if (cudaError_t error = device_fault()) return error;
  *pointer = nullptr;
  if (bytes == 0) return space == EMU_MANAGED ? fail(cudaErrorInvalidValue) : cudaSuccess;
  *pointer = emu_malloc(bytes, space);
  emu_on_call("allocation", bytes);
  return *pointer ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}

// Of an allocation; the error that the call answers with if it is none.
cudaError_t check_release(void* pointer, bool is_pinned) {
  if (cudaError_t error = device_fault()) return error;
  void* start;
  size_t bytes;
  int space;
  if (!emu_find_allocation(pointer, &start, &bytes, &space) || start != pointer || (space == EMU_PINNED) != is_pinned)
    return fail(cudaErrorInvalidValue);
  return cudaSuccess;
}

cudaError_t release(void* pointer, bool is_pinned) {
  if (!pointer) return device_fault();
  if (cudaError_t error = check_release(pointer, is_pinned)) return error;
  emu_on_call("free", 0);
  if (cudaError_t error = synchronize()) return error;
  return emu_free(pointer) ? cudaSuccess : fail(cudaErrorInvalidValue);
}
}  // namespace

extern "C" {
cudaError_t cudaMalloc(void** pointer, size_t bytes) { return allocate(pointer, bytes, EMU_DEVICE); }
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t) { return allocate(pointer, bytes, EMU_DEVICE); }
cudaError_t cudaMallocHost(void** pointer, size_t bytes) { return allocate(pointer, bytes, EMU_PINNED); }
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) { return allocate(pointer, bytes, EMU_PINNED); }
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return fail(cudaErrorInvalidValue);
  return allocate(pointer, bytes, EMU_MANAGED);
}
cudaError_t cudaFree(void* pointer) { return release(pointer, false); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  if (!emu::runs_late() || !pointer) return release(pointer, false);
  if (cudaError_t error = check_release(pointer, false)) return error;
  emu::Work work = [pointer] { return emu_free(pointer) ? cudaSuccess : fail(cudaErrorInvalidValue); };
  return static_cast<cudaError_t>(emu::issue(stream, {"free", nullptr, 0, {emu::place_at(pointer)}}, work));
}
cudaError_t cudaFreeHost(void* pointer) { return release(pointer, true); }

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  if (!pitch) return fail(cudaErrorInvalidValue);
  *pitch = (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
  return allocate(pointer, *pitch * height, EMU_DEVICE);
}
cudaError_t cudaMalloc3D(struct cudaPitchedPtr* pitched, struct cudaExtent extent) {
  if (!pitched) return fail(cudaErrorInvalidValue);
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned) {
  if (!pointer || !bytes) return fail(cudaErrorInvalidValue);
  emu_register_host(pointer, bytes);
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* pointer) {
  emu::finish_all();
  emu_unregister_host(pointer);
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  if (!device || !host || flags) return fail(cudaErrorInvalidValue);
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  if (!flags || !host) return fail(cudaErrorInvalidValue);
  *flags = cudaHostAllocMapped;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  if (free_bytes) *free_bytes = emu_memory_total() - emu_memory_used();
  if (total_bytes) *total_bytes = emu_memory_total();
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, const void* pointer) {
  if (!attributes) return fail(cudaErrorInvalidValue);
  void* start;
  size_t bytes;
  int space;
  *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, nullptr};  // documented for memory CUDA does not know: device cudaInvalidDeviceId
  if (!emu_find_allocation(pointer, &start, &bytes, &space)) return cudaSuccess;
  void* p = const_cast<void*>(pointer);
  if (space == EMU_DEVICE) *attributes = {cudaMemoryTypeDevice, 0, p, nullptr};
  if (space == EMU_MANAGED) *attributes = {cudaMemoryTypeManaged, 0, p, p};
  if (space == EMU_PINNED) *attributes = {cudaMemoryTypeHost, 0, p, p};
  return cudaSuccess;
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* pointer, size_t, unsigned) { return pointer ? cudaSuccess : fail(cudaErrorInvalidValue); }
cudaError_t emu_mem_prefetch(const void* pointer, size_t) { return pointer ? device_fault() : fail(cudaErrorInvalidValue); }
cudaError_t emu_mem_advise(const void* pointer, size_t) { return pointer ? device_fault() : fail(cudaErrorInvalidValue); }
}
