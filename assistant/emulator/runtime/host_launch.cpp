// Launches by address (cudaLaunchKernel and its kin), and what can be asked of a kernel.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "host.h"

// As declared in include/emu/launch.h, which needs the translated program's prelude.
struct EmuSignature {
  void (*invoke)(const void* function, void** arguments);
  const size_t* argument_bytes;
  unsigned argument_count;
};

using emu_host::device_fault;
using emu_host::fail;

namespace {
constexpr int THREADS_PER_PROCESSOR = 2048, BLOCKS_PER_PROCESSOR = 32, MAX_THREADS = 1024;
constexpr size_t SHARED_PROCESSOR_BYTES = 233472, SHARED_RESERVED_BYTES = 1024, SHARED_OPTIN_BYTES = 232448;
// A kernel's real use of registers is ptxas's to say; this figure never limits occupancy.
constexpr int NOMINAL_REGISTERS = 32;

struct Signatures {
  std::mutex mutex;
  std::map<const void*, EmuSignature> by_function;
};
Signatures& signatures() {
  static Signatures& instance = *new Signatures;
  return instance;
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes, cudaStream_t stream, bool is_cooperative) {
  EmuSignature signature;
  {
    Signatures& known = signatures();
    std::lock_guard<std::mutex> hold(known.mutex);
    auto found = known.by_function.find(function);
    if (found == known.by_function.end()) return fail(cudaErrorInvalidDeviceFunction);
    signature = found->second;
  }
  if (cudaError_t error = device_fault()) return error;
  EmuLaunch l{};
  l.function = function;
  l.invoke = signature.invoke;
  l.arguments = arguments;
  l.argument_bytes = signature.argument_bytes;
  l.argument_count = signature.argument_count;
  l.grid = {grid.x, grid.y, grid.z};
  l.block = {block.x, block.y, block.z};
  l.shared_bytes = shared_bytes;
  l.stream = stream;
  l.is_cooperative = is_cooperative;
  l.file = "";
  return static_cast<cudaError_t>(emu_launch(&l));
}
}  // namespace

extern "C" {
void emu_register_signature(const void* function, const EmuSignature* signature) {
  Signatures& known = signatures();
  std::lock_guard<std::mutex> hold(known.mutex);
  known.by_function[function] = *signature;
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared_bytes, stream, false);
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared_bytes, stream, true);
}
cudaError_t cudaLaunchKernelExC(const struct cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (!config) return fail(cudaErrorInvalidValue);
  bool is_cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; i++) {
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) return static_cast<cudaError_t>(emu_unsupported("launch with thread block clusters"));
    if (config->attrs[i].id == cudaLaunchAttributeCooperative) is_cooperative = config->attrs[i].val.cooperative != 0;
  }
  return launch(function, config->emu_user_gridDim, config->emu_user_blockDim, arguments, config->dynamicSmemBytes, config->stream, is_cooperative);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attributes, const void* function) {
  if (!attributes) return fail(cudaErrorInvalidValue);
  if (!function) return fail(cudaErrorInvalidDeviceFunction);
  memset(attributes, 0, sizeof *attributes);
  attributes->maxThreadsPerBlock = MAX_THREADS;
  attributes->numRegs = NOMINAL_REGISTERS;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(emu_dynamic_shared_limit(function));
  attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* function, enum cudaFuncAttribute attribute, int value) {
  if (!function) return fail(cudaErrorInvalidDeviceFunction);
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || static_cast<size_t>(value) > SHARED_OPTIN_BYTES) return fail(cudaErrorInvalidValue);
    emu_allow_dynamic_shared(function, static_cast<size_t>(value));
    return cudaSuccess;
  }
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return value >= -1 && value <= 100 ? cudaSuccess : fail(cudaErrorInvalidValue);
  return static_cast<cudaError_t>(emu_unsupported("cudaFuncSetAttribute with a cluster attribute"));
}
cudaError_t cudaFuncSetCacheConfig(const void* function, enum cudaFuncCache) { return function ? cudaSuccess : fail(cudaErrorInvalidDeviceFunction); }
cudaError_t cudaFuncSetSharedMemConfig(const void* function, enum cudaSharedMemConfig) { return function ? cudaSuccess : fail(cudaErrorInvalidDeviceFunction); }

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size, size_t shared_bytes) {
  if (!blocks || !function || block_size <= 0) return fail(cudaErrorInvalidValue);
  int warps = (block_size + 31) / 32;
  int by_threads = block_size > MAX_THREADS ? 0 : THREADS_PER_PROCESSOR / (warps * 32);
  int by_shared = shared_bytes > SHARED_OPTIN_BYTES ? 0 : static_cast<int>(SHARED_PROCESSOR_BYTES / (shared_bytes + SHARED_RESERVED_BYTES));
  *blocks = std::min({by_threads, by_shared, BLOCKS_PER_PROCESSOR});
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int block_size, size_t shared_bytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared_bytes);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks, int) {
  if (!bytes || !function || blocks <= 0) return fail(cudaErrorInvalidValue);
  *bytes = std::min(SHARED_OPTIN_BYTES, SHARED_PROCESSOR_BYTES / blocks - SHARED_RESERVED_BYTES);
  return cudaSuccess;
}
}
