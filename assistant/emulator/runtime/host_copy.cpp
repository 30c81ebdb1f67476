// Copies and fills. Every transfer is first shown to the core, which checks its ends and records it.
#include <cstring>

#include "host.h"
#include "memory.h"

using emu_host::device_fault;
using emu_host::fail;

namespace {
bool is_known_kind(int kind) { return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault; }

bool lies_within(size_t offset, size_t bytes, size_t size) { return offset <= size && bytes <= size - offset; }

bool is_in_arena(const void* pointer) {
  emu::ArenaRange range = emu::arena();
  return emu::in_range(reinterpret_cast<uint64_t>(pointer), range.begin, range.size);
}

// Whether all the bytes belong to one live allocation, or to one device variable.
bool is_device_range(const void* pointer, size_t bytes) {
  void* start;
  size_t size;
  if (emu_find_allocation(pointer, &start, &size, nullptr))
    return lies_within(static_cast<const char*>(pointer) - static_cast<char*>(start), bytes, size);
  auto address = reinterpret_cast<uint64_t>(pointer);
  const EmuSymbol* symbol = emu::find_symbol(address);
  return symbol && lies_within(address - reinterpret_cast<uint64_t>(symbol->address), bytes, symbol->bytes);
}

// Host memory is everything outside the arena, and inside it what the host may touch as well.
bool is_host_range(const void* pointer, size_t bytes) {
  if (!is_in_arena(pointer)) return true;
  int space;
  return emu_find_allocation(pointer, nullptr, nullptr, &space) && space != EMU_DEVICE && is_device_range(pointer, bytes);
}

bool is_end_valid(const void* pointer, size_t bytes, bool must_be_device, bool must_be_host) {
  if (must_be_device) return is_device_range(pointer, bytes);
  if (must_be_host) return is_host_range(pointer, bytes);
  return !is_in_arena(pointer) || is_device_range(pointer, bytes);
}

cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (cudaError_t error = device_fault()) return error;
  if (!is_known_kind(kind)) return fail(cudaErrorInvalidMemcpyDirection);
  if (bytes == 0) return cudaSuccess;
  if (!to || !from) return fail(cudaErrorInvalidValue);
  bool reads_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  bool writes_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool is_default = kind == cudaMemcpyDefault;
  if (!is_end_valid(from, bytes, reads_device, !reads_device && !is_default) || !is_end_valid(to, bytes, writes_device, !writes_device && !is_default))
    return fail(cudaErrorInvalidValue);
  if (int error = emu_on_copy(to, from, bytes, kind)) return fail(static_cast<cudaError_t>(error));
  if (!emu_upload_other(to, from, bytes)) memmove(to, from, bytes);
  return device_fault();
}

cudaError_t fill(void* pointer, int value, size_t bytes) {
  if (cudaError_t error = device_fault()) return error;
  if (bytes == 0) return cudaSuccess;
  if (!pointer) return fail(cudaErrorInvalidValue);
  if (!is_device_range(pointer, bytes)) return fail(cudaErrorInvalidValue);
  if (int error = emu_on_memset(pointer, bytes)) return fail(static_cast<cudaError_t>(error));
  memset(pointer, value, bytes);
  return cudaSuccess;
}

cudaError_t copy_rows(char* to, size_t to_pitch, const char* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind) {
  if (to_pitch < width || from_pitch < width) return fail(cudaErrorInvalidPitchValue);
  if (to_pitch == width && from_pitch == width) return copy(to, from, width * height, kind);
  for (size_t row = 0; row < height; row++)
    if (cudaError_t error = copy(to + row * to_pitch, from + row * from_pitch, width, kind)) return error;
  return cudaSuccess;
}
}  // namespace

extern "C" {
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  emu_on_synchronize();
  return copy(to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) { return copy(to, from, bytes, kind); }
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return to_device || from_device ? fail(cudaErrorInvalidDevice) : cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t) {
  return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind) {
  emu_on_synchronize();
  return copy_rows(static_cast<char*>(to), to_pitch, static_cast<const char*>(from), from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return copy_rows(static_cast<char*>(to), to_pitch, static_cast<const char*>(from), from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms* p) {
  emu_on_synchronize();
  return cudaMemcpy3DAsync(p, nullptr);
}
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms* p, cudaStream_t) {
  if (!p) return fail(cudaErrorInvalidValue);
  if (p->srcArray || p->dstArray) return static_cast<cudaError_t>(emu_unsupported("cudaMemcpy3D with CUDA arrays"));
  for (size_t z = 0; z < p->extent.depth; z++) {
    auto place = [z](const cudaPitchedPtr& q, const cudaPos& at) {
      return static_cast<char*>(q.ptr) + ((at.z + z) * q.ysize + at.y) * q.pitch + at.x;
    };
    cudaError_t error = copy_rows(place(p->dstPtr, p->dstPos), p->dstPtr.pitch, place(p->srcPtr, p->srcPos), p->srcPtr.pitch,
                                  p->extent.width, p->extent.height, p->kind);
    if (error) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemset(void* pointer, int value, size_t bytes) { return fill(pointer, value, bytes); }
cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t) { return fill(pointer, value, bytes); }
cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  if (pitch < width) return fail(cudaErrorInvalidValue);
  for (size_t row = 0; row < height; row++)
    if (cudaError_t error = fill(static_cast<char*>(pointer) + row * pitch, value, width)) return error;
  return cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t) {
  return cudaMemset2D(pointer, pitch, value, width, height);
}
cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
  for (size_t z = 0; z < extent.depth; z++)
    if (cudaError_t error = cudaMemset2D(static_cast<char*>(p.ptr) + z * p.ysize * p.pitch, p.pitch, value, extent.width, extent.height)) return error;
  return cudaSuccess;
}
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent, cudaStream_t) { return cudaMemset3D(p, value, extent); }

cudaError_t emu_memcpy_to_symbol(const void* symbol, size_t symbol_bytes, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  if (!lies_within(offset, bytes, symbol_bytes)) return fail(cudaErrorInvalidValue);
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return fail(cudaErrorInvalidMemcpyDirection);
  return copy(static_cast<char*>(const_cast<void*>(symbol)) + offset, from, bytes, kind);
}
cudaError_t emu_memcpy_from_symbol(void* to, const void* symbol, size_t symbol_bytes, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  if (!lies_within(offset, bytes, symbol_bytes)) return fail(cudaErrorInvalidValue);
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return fail(cudaErrorInvalidMemcpyDirection);
  emu_on_synchronize();
  return copy(to, static_cast<const char*>(symbol) + offset, bytes, kind);
}
}
