// The CUDA runtime API: C entry points, then the C++ forms that nvcc's cuda_runtime.h adds. Implemented in ../../runtime/host_*.cpp.
#pragma once
#include "runtime_types.h"

#ifdef __cplusplus
#define EMU_API extern "C"
#else
#include <stdbool.h>
#define EMU_API extern
#endif
EMU_API const char* cudaGetErrorName(cudaError_t error);
EMU_API const char* cudaGetErrorString(cudaError_t error);
EMU_API cudaError_t cudaGetLastError();
EMU_API cudaError_t cudaPeekAtLastError();

EMU_API cudaError_t cudaDeviceSynchronize();
EMU_API cudaError_t cudaThreadSynchronize();
EMU_API cudaError_t cudaDeviceReset();
EMU_API cudaError_t cudaThreadExit();
EMU_API cudaError_t cudaSetDevice(int device);
EMU_API cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
EMU_API cudaError_t cudaGetDevice(int* device);
EMU_API cudaError_t cudaGetDeviceCount(int* count);
EMU_API cudaError_t cudaSetDeviceFlags(unsigned flags);
EMU_API cudaError_t cudaGetDeviceFlags(unsigned* flags);
EMU_API cudaError_t cudaSetValidDevices(int* devices, int count);
EMU_API cudaError_t cudaChooseDevice(int* device, const struct cudaDeviceProp* properties);
EMU_API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* properties, int device);
EMU_API cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute, int device);
EMU_API cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device);
EMU_API cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id);
EMU_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
EMU_API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
EMU_API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache* config);
EMU_API cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
EMU_API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig* config);
EMU_API cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
EMU_API cudaError_t cudaDeviceGetLimit(size_t* value, enum cudaLimit limit);
EMU_API cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
EMU_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
EMU_API cudaError_t cudaDeviceDisablePeerAccess(int peer);
EMU_API cudaError_t cudaRuntimeGetVersion(int* version);
EMU_API cudaError_t cudaDriverGetVersion(int* version);
EMU_API cudaError_t cudaProfilerStart();
EMU_API cudaError_t cudaProfilerStop();

EMU_API cudaError_t cudaMalloc(void** pointer, size_t bytes);
EMU_API cudaError_t cudaFree(void* pointer);
EMU_API cudaError_t cudaMallocHost(void** pointer, size_t bytes);
EMU_API cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags);
EMU_API cudaError_t cudaFreeHost(void* pointer);
EMU_API cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags);
EMU_API cudaError_t cudaHostUnregister(void* pointer);
EMU_API cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
EMU_API cudaError_t cudaHostGetFlags(unsigned* flags, void* host);
EMU_API cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags);
EMU_API cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);
EMU_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr* pitched, struct cudaExtent extent);
EMU_API cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream);
EMU_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
EMU_API cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes);
EMU_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, const void* pointer);
EMU_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t bytes, unsigned flags);

EMU_API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind);
EMU_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream);
EMU_API cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind);
EMU_API cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream);
EMU_API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms* parameters);
EMU_API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms* parameters, cudaStream_t stream);
EMU_API cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes);
EMU_API cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t stream);
EMU_API cudaError_t cudaMemset(void* pointer, int value, size_t bytes);
EMU_API cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream);
EMU_API cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height);
EMU_API cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream);
EMU_API cudaError_t cudaMemset3D(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent);
EMU_API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent, cudaStream_t stream);
EMU_API cudaError_t emu_memcpy_to_symbol(const void* symbol, size_t symbol_bytes, const void* from, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream, bool is_async);
EMU_API cudaError_t emu_memcpy_from_symbol(void* to, const void* symbol, size_t symbol_bytes, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream, bool is_async);
EMU_API cudaError_t emu_mem_prefetch(const void* pointer, size_t bytes);
EMU_API cudaError_t emu_mem_advise(const void* pointer, size_t bytes);

EMU_API cudaError_t cudaStreamCreate(cudaStream_t* stream);
EMU_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
EMU_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
EMU_API cudaError_t cudaStreamDestroy(cudaStream_t stream);
EMU_API cudaError_t cudaStreamSynchronize(cudaStream_t stream);
EMU_API cudaError_t cudaStreamQuery(cudaStream_t stream);
EMU_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
EMU_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags);
EMU_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
EMU_API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, enum cudaStreamAttrID id, union cudaStreamAttrValue* value);
EMU_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaStreamAttrID id, const union cudaStreamAttrValue* value);
EMU_API cudaError_t cudaCtxResetPersistingL2Cache(void);
EMU_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags);
EMU_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);
EMU_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus* status);
EMU_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
EMU_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
EMU_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags);
EMU_API cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
EMU_API cudaError_t cudaGraphDestroy(cudaGraph_t graph);
EMU_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
EMU_API cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags);
EMU_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags);
EMU_API cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream);
EMU_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count, const struct cudaKernelNodeParams* parameters);
EMU_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count, const struct cudaMemcpy3DParms* parameters);
EMU_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count, void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind);
EMU_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count, const struct cudaMemsetParams* parameters);
EMU_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count, const struct cudaHostNodeParams* parameters);
EMU_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count);
EMU_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count, cudaGraph_t child);
EMU_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count);
EMU_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams* parameters);
EMU_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, const struct cudaKernelNodeParams* parameters);
EMU_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType* type);
EMU_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
EMU_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
EMU_API cudaError_t emu_update_graph(cudaGraphExec_t executable, cudaGraph_t graph);

EMU_API cudaError_t cudaEventCreate(cudaEvent_t* event);
EMU_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
EMU_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
EMU_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags);
EMU_API cudaError_t cudaEventSynchronize(cudaEvent_t event);
EMU_API cudaError_t cudaEventQuery(cudaEvent_t event);
EMU_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);
EMU_API cudaError_t cudaEventDestroy(cudaEvent_t event);

EMU_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attributes, const void* function);
EMU_API cudaError_t cudaFuncSetAttribute(const void* function, enum cudaFuncAttribute attribute, int value);
EMU_API cudaError_t cudaFuncSetCacheConfig(const void* function, enum cudaFuncCache config);
EMU_API cudaError_t cudaFuncSetSharedMemConfig(const void* function, enum cudaSharedMemConfig config);
EMU_API cudaError_t cudaFuncGetName(const char** name, const void* function);
EMU_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size, size_t shared_bytes);
EMU_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int block_size, size_t shared_bytes, unsigned flags);
EMU_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks, int block_size);
EMU_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes, cudaStream_t stream);
EMU_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes, cudaStream_t stream);
EMU_API cudaError_t cudaLaunchKernelExC(const struct cudaLaunchConfig_t* config, const void* function, void** arguments);
