// Documented entry points that are not implemented: each reports its own name once and returns cudaErrorNotSupported.
#include "abi.h"

#define EMU_NOT_IMPLEMENTED(X)                                                                                                   \
  X(cudaStreamBeginCapture) X(cudaStreamEndCapture) X(cudaStreamBeginCaptureToGraph) X(cudaStreamGetCaptureInfo)                  \
  X(cudaStreamUpdateCaptureDependencies) X(cudaThreadExchangeStreamCaptureMode) X(cudaStreamCopyAttributes)                       \
  X(cudaStreamGetId) X(cudaStreamGetDevice)                                                                                        \
  X(cudaGraphCreate) X(cudaGraphInstantiate) X(cudaGraphInstantiateWithFlags) X(cudaGraphInstantiateWithParams) X(cudaGraphLaunch) \
  X(cudaGraphDestroy) X(cudaGraphExecDestroy) X(cudaGraphUpload) X(cudaGraphClone) X(cudaGraphGetNodes) X(cudaGraphGetRootNodes)   \
  X(cudaGraphGetEdges) X(cudaGraphAddNode) X(cudaGraphAddKernelNode) X(cudaGraphAddMemcpyNode) X(cudaGraphAddMemcpyNode1D)         \
  X(cudaGraphAddMemsetNode) X(cudaGraphAddHostNode) X(cudaGraphAddEmptyNode) X(cudaGraphAddChildGraphNode)                        \
  X(cudaGraphAddDependencies) X(cudaGraphAddEventRecordNode) X(cudaGraphAddEventWaitNode) X(cudaGraphExecUpdate)                   \
  X(cudaGraphExecKernelNodeSetParams) X(cudaGraphKernelNodeGetParams) X(cudaGraphKernelNodeSetParams) X(cudaGraphDebugDotPrint)    \
  X(cudaGraphNodeGetType) X(cudaGraphDestroyNode) X(cudaMallocArray) X(cudaMalloc3DArray) X(cudaMallocMipmappedArray)              \
  X(cudaFreeArray) X(cudaFreeMipmappedArray) X(cudaGetMipmappedArrayLevel) X(cudaArrayGetInfo) X(cudaMemcpyToArray)                \
  X(cudaMemcpyFromArray) X(cudaMemcpy2DToArray) X(cudaMemcpy2DFromArray) X(cudaMemcpy2DArrayToArray) X(cudaMemcpyToArrayAsync)     \
  X(cudaMemcpy2DToArrayAsync) X(cudaMemcpy2DFromArrayAsync) X(cudaMemcpy3DPeer) X(cudaMemcpy3DPeerAsync) X(cudaMemcpyBatchAsync)   \
  X(cudaCreateTextureObject) X(cudaDestroyTextureObject) X(cudaGetTextureObjectResourceDesc) X(cudaCreateSurfaceObject)            \
  X(cudaDestroySurfaceObject) X(cudaGetChannelDesc) X(cudaMemPoolCreate) X(cudaMemPoolDestroy) X(cudaMemPoolTrimTo)                \
  X(cudaMemPoolSetAttribute) X(cudaMemPoolGetAttribute) X(cudaMemPoolSetAccess) X(cudaMallocFromPoolAsync)                         \
  X(cudaDeviceGetDefaultMemPool) X(cudaDeviceGetMemPool) X(cudaDeviceSetMemPool) X(cudaIpcGetMemHandle) X(cudaIpcOpenMemHandle)    \
  X(cudaIpcCloseMemHandle) X(cudaIpcGetEventHandle) X(cudaIpcOpenEventHandle) X(cudaImportExternalMemory)                          \
  X(cudaDestroyExternalMemory) X(cudaImportExternalSemaphore) X(cudaSignalExternalSemaphoresAsync)                                 \
  X(cudaWaitExternalSemaphoresAsync) X(cudaGraphicsMapResources) X(cudaGraphicsUnmapResources) X(cudaGraphicsUnregisterResource)   \
  X(cudaGraphicsResourceGetMappedPointer) X(cudaMemRangeGetAttribute) X(cudaMemRangeGetAttributes) X(cudaDeviceGetP2PAttribute)    \
  X(cudaDeviceGetTexture1DLinearMaxWidth) X(cudaDeviceFlushGPUDirectRDMAWrites) X(cudaLaunchCooperativeKernelMultiDevice)          \
  X(cudaOccupancyMaxActiveClusters) X(cudaOccupancyMaxPotentialClusterSize) X(cudaFuncGetName) X(cudaFuncGetParamInfo)             \
  X(cudaGetFuncBySymbol) X(cudaGetKernel) X(cudaLibraryLoadData) X(cudaLibraryLoadFromFile) X(cudaLibraryGetKernel)                \
  X(cudaGetDriverEntryPoint) X(cudaGetDriverEntryPointByVersion) X(cudaGetExportTable) X(cudaUserObjectCreate)                     \
  X(cudaUserObjectRelease) X(cudaDeviceRegisterAsyncNotification) X(cudaGLGetDevices) X(cudaGraphicsGLRegisterBuffer)

#define EMU_STUB(name) \
  extern "C" __attribute__((weak)) int name() { return emu_unsupported(#name); }
EMU_NOT_IMPLEMENTED(EMU_STUB)
