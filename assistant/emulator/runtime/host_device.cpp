// One device: compute capability 9.0 with an H200's figures. Sources: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability", column 9.0; NVIDIA H200 Tensor Core GPU data sheet (SXM: 141 GB, 4.8 TB/s); cudaDeviceProp of an H200 (132 SMs, 60 MiB L2,
// 1.98 GHz, 6144-bit bus at 3.201 GHz), driver 580.
#include <cstdio>
#include <cstring>

#include "host.h"

using emu_host::fail;
using emu_host::synchronize;

namespace {
constexpr int PROCESSORS = 132, THREADS_PER_PROCESSOR = 2048, BLOCKS_PER_PROCESSOR = 32, THREADS_PER_BLOCK = 1024;
constexpr int REGISTERS = 65536, L2_BYTES = 60 << 20, BUS_BITS = 6144, CLOCK_KHZ = 1980000, MEMORY_CLOCK_KHZ = 3201000;
constexpr int SHARED_BYTES = 49152, SHARED_OPTIN_BYTES = 232448, SHARED_PROCESSOR_BYTES = 233472, SHARED_RESERVED_BYTES = 1024;
constexpr int PERSISTING_L2_BYTES = 39321600, COPY_ENGINES = 3;
constexpr const char* PCI_BUS_ID = "0000:00:00.0";
// Defaults of cudaDeviceGetLimit on sm_90, in the order of cudaLimit.
size_t limits[] = {1024, 7 << 20, 8 << 20, 2, 2048, 128, 0};
cudaFuncCache cache_preference = cudaFuncCachePreferNone;
unsigned device_flags = cudaDeviceScheduleAuto;

struct Attribute {
  cudaDeviceAttr name;
  int value;
};
constexpr Attribute ATTRIBUTES[] = {
    {cudaDevAttrMaxThreadsPerBlock, THREADS_PER_BLOCK}, {cudaDevAttrMaxBlockDimX, 1024}, {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64}, {cudaDevAttrMaxGridDimX, 2147483647}, {cudaDevAttrMaxGridDimY, 65535}, {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, SHARED_BYTES}, {cudaDevAttrTotalConstantMemory, 65536}, {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxPitch, 2147483647}, {cudaDevAttrMaxRegistersPerBlock, REGISTERS}, {cudaDevAttrClockRate, CLOCK_KHZ},
    {cudaDevAttrTextureAlignment, 512}, {cudaDevAttrGpuOverlap, 1}, {cudaDevAttrMultiProcessorCount, PROCESSORS},
    {cudaDevAttrCanMapHostMemory, 1}, {cudaDevAttrConcurrentKernels, 1}, {cudaDevAttrEccEnabled, 1}, {cudaDevAttrMemoryClockRate, MEMORY_CLOCK_KHZ},
    {cudaDevAttrGlobalMemoryBusWidth, BUS_BITS}, {cudaDevAttrL2CacheSize, L2_BYTES}, {cudaDevAttrMaxThreadsPerMultiProcessor, THREADS_PER_PROCESSOR},
    {cudaDevAttrAsyncEngineCount, COPY_ENGINES}, {cudaDevAttrUnifiedAddressing, 1}, {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0}, {cudaDevAttrStreamPrioritiesSupported, 1}, {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1}, {cudaDevAttrMaxSharedMemoryPerMultiprocessor, SHARED_PROCESSOR_BYTES},
    {cudaDevAttrMaxRegistersPerMultiprocessor, REGISTERS}, {cudaDevAttrManagedMemory, 1}, {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1}, {cudaDevAttrCooperativeLaunch, 1}, {cudaDevAttrMaxSharedMemoryPerBlockOptin, SHARED_OPTIN_BYTES},
    {cudaDevAttrMaxBlocksPerMultiprocessor, BLOCKS_PER_PROCESSOR}, {cudaDevAttrMaxPersistingL2CacheSize, PERSISTING_L2_BYTES},
    {cudaDevAttrReservedSharedMemoryPerBlock, SHARED_RESERVED_BYTES}, {cudaDevAttrMemoryPoolsSupported, 0}, {cudaDevAttrClusterLaunch, 0},
};

cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice); }
}  // namespace

extern "C" {
cudaError_t cudaDeviceSynchronize() {
  emu_on_order("wait_device", nullptr, 0);
  return synchronize();
}
cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaDeviceReset() {
  synchronize();
  emu_reset_device();
  return cudaSuccess;
}
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaSetDevice(int device) { return check_device(device); }
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return check_device(device); }
cudaError_t cudaGetDevice(int* device) {
  if (!device) return fail(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  if (!count) return fail(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned flags) {
  device_flags = flags;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  if (!flags) return fail(cudaErrorInvalidValue);
  *flags = device_flags;
  return cudaSuccess;
}
cudaError_t cudaSetValidDevices(int* devices, int count) { return devices && count == 1 ? check_device(devices[0]) : fail(cudaErrorInvalidValue); }
cudaError_t cudaChooseDevice(int* device, const struct cudaDeviceProp*) { return cudaGetDevice(device); }

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* p, int device) {
  if (!p) return fail(cudaErrorInvalidValue);
  if (cudaError_t error = check_device(device)) return error;
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "kernelopt CPU emulator (as NVIDIA H200)");
  p->totalGlobalMem = emu_memory_total();
  p->sharedMemPerBlock = SHARED_BYTES;
  p->sharedMemPerBlockOptin = SHARED_OPTIN_BYTES;
  p->sharedMemPerMultiprocessor = SHARED_PROCESSOR_BYTES;
  p->reservedSharedMemPerBlock = SHARED_RESERVED_BYTES;
  p->regsPerBlock = p->regsPerMultiprocessor = REGISTERS;
  p->warpSize = 32;
  p->memPitch = 2147483647;
  p->maxThreadsPerBlock = THREADS_PER_BLOCK;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 2147483647;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->totalConstMem = 65536;
  p->major = 9;
  p->textureAlignment = 512;
  p->texturePitchAlignment = 32;
  p->multiProcessorCount = PROCESSORS;
  p->canMapHostMemory = p->concurrentKernels = p->ECCEnabled = p->unifiedAddressing = p->streamPrioritiesSupported = 1;
  p->globalL1CacheSupported = p->localL1CacheSupported = p->managedMemory = p->concurrentManagedAccess = 1;
  p->computePreemptionSupported = p->cooperativeLaunch = p->hostRegisterSupported = p->unifiedFunctionPointers = p->deviceOverlap = 1;
  p->canUseHostPointerForRegisteredMem = 1;
  p->asyncEngineCount = COPY_ENGINES;
  p->memoryBusWidth = BUS_BITS;
  p->l2CacheSize = L2_BYTES;
  p->persistingL2CacheMaxSize = PERSISTING_L2_BYTES;
  p->maxThreadsPerMultiProcessor = THREADS_PER_PROCESSOR;
  p->maxBlocksPerMultiProcessor = BLOCKS_PER_PROCESSOR;
  p->clockRate = CLOCK_KHZ;
  p->memoryClockRate = MEMORY_CLOCK_KHZ;
  p->singleToDoublePrecisionPerfRatio = 2;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute, int device) {
  if (!value || attribute <= 0 || attribute >= 200) return fail(cudaErrorInvalidValue);
  if (cudaError_t error = check_device(device)) return error;
  *value = 0;
  for (const Attribute& known : ATTRIBUTES)
    if (known.name == attribute) *value = known.value;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  if (!id || length < 13) return fail(cudaErrorInvalidValue);
  if (cudaError_t error = check_device(device)) return error;
  snprintf(id, length, "%s", PCI_BUS_ID);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  if (!device || !id) return fail(cudaErrorInvalidValue);
  *device = 0;
  return strcmp(id, PCI_BUS_ID) == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
  cache_preference = config;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache* config) {
  if (!config) return fail(cudaErrorInvalidValue);
  *config = cache_preference;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig* config) {
  if (!config) return fail(cudaErrorInvalidValue);
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  if (limit < 0 || limit > cudaLimitPersistingL2CacheSize) return fail(cudaErrorUnsupportedLimit);
  limits[limit] = value;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t* value, enum cudaLimit limit) {
  if (!value) return fail(cudaErrorInvalidValue);
  if (limit < 0 || limit > cudaLimitPersistingL2CacheSize) return fail(cudaErrorUnsupportedLimit);
  *value = limits[limit];
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!can) return fail(cudaErrorInvalidValue);
  *can = 0;
  return device || peer ? fail(cudaErrorInvalidDevice) : cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return fail(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return fail(cudaErrorInvalidDevice); }
cudaError_t cudaRuntimeGetVersion(int* version) {
  if (!version) return fail(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
}
