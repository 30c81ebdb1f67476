// The C++ forms of the runtime API: typed pointers, symbols by reference, kernels by function pointer, default arguments.
#pragma once
#include "launch.h"
#include "runtime_api.h"

template <class T> EMU_HOST cudaError_t cudaMalloc(T** p, size_t n) { return ::cudaMalloc((void**)p, n); }
template <class T> EMU_HOST cudaError_t cudaMallocHost(T** p, size_t n, unsigned flags = 0) { return ::cudaHostAlloc((void**)p, n, flags); }
EMU_HOST inline cudaError_t cudaMallocHost(void** p, size_t n, unsigned flags) { return ::cudaHostAlloc(p, n, flags); }
template <class T> EMU_HOST cudaError_t cudaHostAlloc(T** p, size_t n, unsigned flags) { return ::cudaHostAlloc((void**)p, n, flags); }
template <class T> EMU_HOST cudaError_t cudaHostGetDevicePointer(T** d, void* h, unsigned flags) { return ::cudaHostGetDevicePointer((void**)d, h, flags); }
template <class T> EMU_HOST cudaError_t cudaMallocManaged(T** p, size_t n, unsigned flags = cudaMemAttachGlobal) { return ::cudaMallocManaged((void**)p, n, flags); }
EMU_HOST inline cudaError_t cudaMallocManaged(void** p, size_t n) { return ::cudaMallocManaged(p, n, cudaMemAttachGlobal); }
template <class T> EMU_HOST cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t w, size_t h) { return ::cudaMallocPitch((void**)p, pitch, w, h); }
template <class T> EMU_HOST cudaError_t cudaMallocAsync(T** p, size_t n, cudaStream_t s) { return ::cudaMallocAsync((void**)p, n, s); }
EMU_HOST inline cudaError_t cudaMemcpyAsync(void* d, const void* s, size_t n, cudaMemcpyKind k) { return ::cudaMemcpyAsync(d, s, n, k, nullptr); }
EMU_HOST inline cudaError_t cudaMemcpy2DAsync(void* d, size_t dp, const void* s, size_t sp, size_t w, size_t h, cudaMemcpyKind k) { return ::cudaMemcpy2DAsync(d, dp, s, sp, w, h, k, nullptr); }
EMU_HOST inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p) { return ::cudaMemcpy3DAsync(p, nullptr); }
EMU_HOST inline cudaError_t cudaMemsetAsync(void* p, int v, size_t n) { return ::cudaMemsetAsync(p, v, n, nullptr); }
EMU_HOST inline cudaError_t cudaMemset2DAsync(void* p, size_t pitch, int v, size_t w, size_t h) { return ::cudaMemset2DAsync(p, pitch, v, w, h, nullptr); }
EMU_HOST inline cudaError_t cudaHostRegister(void* p, size_t n) { return ::cudaHostRegister(p, n, 0); }
EMU_HOST inline cudaError_t cudaHostGetDevicePointer(void** d, void* h) { return ::cudaHostGetDevicePointer(d, h, 0); }
EMU_HOST inline cudaError_t cudaEventCreate(cudaEvent_t* e, unsigned flags) { return ::cudaEventCreateWithFlags(e, flags); }
EMU_HOST inline cudaError_t cudaEventRecord(cudaEvent_t e) { return ::cudaEventRecord(e, nullptr); }
EMU_HOST inline cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e) { return ::cudaStreamWaitEvent(s, e, 0); }
template <class T> EMU_HOST cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, T* p, size_t n = 0, unsigned flags = cudaMemAttachSingle) { return ::cudaStreamAttachMemAsync(s, (void*)p, n, flags); }
EMU_HOST inline cudaError_t cudaDeviceEnablePeerAccess(int peer) { return ::cudaDeviceEnablePeerAccess(peer, 0); }
EMU_HOST inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* e, cudaGraph_t g) { return ::cudaGraphInstantiate(e, g, 0); }
EMU_HOST inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* e, cudaGraph_t g, cudaGraphNode_t*, char*, size_t) { return ::cudaGraphInstantiate(e, g, 0); }
// CUDA 12 says what became of an update in a structure, CUDA 11 in two values.
EMU_HOST inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g, cudaGraphExecUpdateResultInfo* info) {
  cudaError_t error = emu_update_graph(e, g);
  *info = {error ? cudaGraphExecUpdateErrorTopologyChanged : cudaGraphExecUpdateSuccess, nullptr, nullptr};
  return error;
}
EMU_HOST inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g, cudaGraphNode_t* node, cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info;
  cudaError_t error = cudaGraphExecUpdate(e, g, &info);
  if (node) *node = nullptr;
  *result = info.result;
  return error;
}

// CUDA 12 names a device by its number, CUDA 13 by a location.
EMU_HOST inline cudaError_t cudaMemPrefetchAsync(const void* p, size_t n, int, cudaStream_t = nullptr) { return emu_mem_prefetch(p, n); }
EMU_HOST inline cudaError_t cudaMemPrefetchAsync(const void* p, size_t n, cudaMemLocation, unsigned, cudaStream_t = nullptr) { return emu_mem_prefetch(p, n); }
EMU_HOST inline cudaError_t cudaMemAdvise(const void* p, size_t n, cudaMemoryAdvise, int) { return emu_mem_advise(p, n); }
EMU_HOST inline cudaError_t cudaMemAdvise(const void* p, size_t n, cudaMemoryAdvise, cudaMemLocation) { return emu_mem_advise(p, n); }

#define EMU_SYMBOL_ADDRESS(symbol) const_cast<const void*>((const volatile void*)__builtin_addressof(symbol))
template <class T> EMU_HOST cudaError_t cudaMemcpyToSymbol(const T& s, const void* from, size_t n, size_t offset = 0, cudaMemcpyKind k = cudaMemcpyHostToDevice) {
  return emu_memcpy_to_symbol(EMU_SYMBOL_ADDRESS(s), sizeof(T), from, n, offset, k, nullptr, false);
}
template <class T> EMU_HOST cudaError_t cudaMemcpyFromSymbol(void* to, const T& s, size_t n, size_t offset = 0, cudaMemcpyKind k = cudaMemcpyDeviceToHost) {
  return emu_memcpy_from_symbol(to, EMU_SYMBOL_ADDRESS(s), sizeof(T), n, offset, k, nullptr, false);
}
template <class T> EMU_HOST cudaError_t cudaMemcpyToSymbolAsync(const T& s, const void* from, size_t n, size_t offset, cudaMemcpyKind k, cudaStream_t stream = nullptr) {
  return emu_memcpy_to_symbol(EMU_SYMBOL_ADDRESS(s), sizeof(T), from, n, offset, k, stream, true);
}
template <class T> EMU_HOST cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& s, size_t n, size_t offset, cudaMemcpyKind k, cudaStream_t stream = nullptr) {
  return emu_memcpy_from_symbol(to, EMU_SYMBOL_ADDRESS(s), sizeof(T), n, offset, k, stream, true);
}
template <class P, class T> EMU_HOST cudaError_t cudaGetSymbolAddress(P** p, const T& s) { *p = (P*)const_cast<void*>(EMU_SYMBOL_ADDRESS(s)); return cudaSuccess; }
template <class T> EMU_HOST cudaError_t cudaGetSymbolSize(size_t* n, const T&) { *n = sizeof(T); return cudaSuccess; }

// Kernels by typed pointer: the signature is known here, so it is registered for cudaLaunchKernel.
template <class... P> EMU_HOST cudaError_t cudaLaunchKernel(void (*f)(P...), dim3 g, dim3 b, void** a, size_t n = 0, cudaStream_t s = nullptr) {
  return ::cudaLaunchKernel((const void*)emu_signed(f), g, b, a, n, s);
}
EMU_HOST inline cudaError_t cudaLaunchKernel(const void* f, dim3 g, dim3 b, void** a, size_t n) { return ::cudaLaunchKernel(f, g, b, a, n, nullptr); }
EMU_HOST inline cudaError_t cudaLaunchKernel(const void* f, dim3 g, dim3 b, void** a) { return ::cudaLaunchKernel(f, g, b, a, 0, nullptr); }
template <class... P> EMU_HOST cudaError_t cudaLaunchCooperativeKernel(void (*f)(P...), dim3 g, dim3 b, void** a, size_t n = 0, cudaStream_t s = nullptr) {
  return ::cudaLaunchCooperativeKernel((const void*)emu_signed(f), g, b, a, n, s);
}
EMU_HOST inline cudaError_t cudaLaunchCooperativeKernel(const void* f, dim3 g, dim3 b, void** a, size_t n) { return ::cudaLaunchCooperativeKernel(f, g, b, a, n, nullptr); }
EMU_HOST inline cudaError_t cudaLaunchCooperativeKernel(const void* f, dim3 g, dim3 b, void** a) { return ::cudaLaunchCooperativeKernel(f, g, b, a, 0, nullptr); }
template <class... P, class... A> EMU_HOST cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*f)(P...), A&&... arguments) {
  return [&](P... converted) {
    void* pointers[sizeof...(P) + 1] = {(void*)__builtin_addressof(converted)..., nullptr};
    return ::cudaLaunchKernelExC(config, (const void*)emu_signed(f), pointers);
  }(std::forward<A>(arguments)...);
}
template <class... P> EMU_HOST cudaError_t cudaFuncSetAttribute(void (*f)(P...), cudaFuncAttribute a, int v) { return ::cudaFuncSetAttribute((const void*)f, a, v); }
template <class... P> EMU_HOST cudaError_t cudaFuncSetCacheConfig(void (*f)(P...), cudaFuncCache c) { return ::cudaFuncSetCacheConfig((const void*)f, c); }
template <class... P> EMU_HOST cudaError_t cudaFuncSetSharedMemConfig(void (*f)(P...), cudaSharedMemConfig c) { return ::cudaFuncSetSharedMemConfig((const void*)f, c); }
template <class... P> EMU_HOST cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, void (*f)(P...)) { return ::cudaFuncGetAttributes(a, (const void*)f); }
template <class F> EMU_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* n, F* f, int block, size_t shared) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, (const void*)f, block, shared);
}
template <class F> EMU_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* n, F* f, int block, size_t shared, unsigned) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, (const void*)f, block, shared);
}
// The largest multiple of a warp that reaches the greatest number of resident threads (CUDA Runtime API, "Occupancy").
template <class F, class S> EMU_HOST cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, F f, S shared_of_block, int limit = 0) {
  int best = 0, most = 0, processors = 0;
  cudaError_t error = ::cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  for (int size = limit > 0 && limit < 1024 ? limit : 1024; size > 0; size = (size - 1) / 32 * 32) {
    int blocks = 0;
    error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void*)f, size, shared_of_block(size));
    if (error != cudaSuccess) return error;
    if (blocks * size > most) { most = blocks * size; best = size; *grid = blocks * processors; }
  }
  *block = best;
  return error;
}
template <class F> EMU_HOST cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F f, size_t shared = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, f, [=](int) { return shared; }, limit);
}
template <class F, class S> EMU_HOST cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* g, int* b, F f, S s, int limit, unsigned) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(g, b, f, s, limit);
}
template <class F> EMU_HOST cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* g, int* b, F f, size_t s, int limit, unsigned) {
  return cudaOccupancyMaxPotentialBlockSize(g, b, f, s, limit);
}
