// CUDA's driver as the capture library calls it: looked up in the libcuda that the program has loaded, never linked.
#pragma once
#include <cstddef>
#include <cstdint>

#include <cuda.h>

namespace capture {

// One member per function; the names are those that cuda.h's macros stand for (cuMemAlloc is cuMemAlloc_v2).
struct Driver {
  decltype(&cuCtxGetCurrent) ctx_get_current;
  decltype(&cuCtxSynchronize) ctx_synchronize;
  decltype(&cuFuncGetModule) func_get_module;
  decltype(&cuFuncGetName) func_get_name;
  decltype(&cuFuncGetParamInfo) func_get_param_info;
  decltype(&cuKernelGetFunction) kernel_get_function;
  decltype(&cuKernelGetLibrary) kernel_get_library;
  decltype(&cuKernelGetName) kernel_get_name;
  decltype(&cuKernelGetParamInfo) kernel_get_param_info;
  decltype(&cuLibraryGetGlobal) library_get_global;
  decltype(&cuIpcCloseMemHandle) ipc_close_mem_handle;
  decltype(&cuIpcOpenMemHandle) ipc_open_mem_handle;
  decltype(&cuMemcpyDtoDAsync) memcpy_dtod_async;
  decltype(&cuMemcpyDtoHAsync) memcpy_dtoh_async;
  decltype(&cuMemcpyHtoDAsync) memcpy_htod_async;
  decltype(&cuModuleGetGlobal) module_get_global;
  decltype(&cuPointerGetAttribute) pointer_get_attribute;
  decltype(&cuStreamCreate) stream_create;
  decltype(&cuStreamIsCapturing) stream_is_capturing;
  decltype(&cuStreamSynchronize) stream_synchronize;
  decltype(&cuThreadExchangeStreamCaptureMode) exchange_capture_mode;
  decltype(&cuGraphAddKernelNode) graph_add_kernel_node;
  decltype(&cuGraphAddMemcpyNode) graph_add_memcpy_node;
  decltype(&cuGraphAddMemsetNode) graph_add_memset_node;
  decltype(&cuGraphChildGraphNodeGetGraph) graph_child_graph;
  decltype(&cuGraphClone) graph_clone;
  decltype(&cuGraphCreate) graph_create;
  decltype(&cuGraphDestroy) graph_destroy;
  decltype(&cuGraphExecDestroy) graph_exec_destroy;
  decltype(&cuGraphGetNodes) graph_get_nodes;
  decltype(&cuGraphInstantiateWithFlags) graph_instantiate;
  decltype(&cuGraphKernelNodeCopyAttributes) graph_copy_attributes;
  decltype(&cuGraphKernelNodeGetAttribute) graph_get_attribute;
  decltype(&cuGraphKernelNodeGetParams) graph_kernel_params;
  decltype(&cuGraphKernelNodeSetParams) graph_set_kernel_params;
  decltype(&cuGraphLaunch) graph_launch;
  decltype(&cuGraphMemcpyNodeGetParams) graph_memcpy_params;
  decltype(&cuGraphMemcpyNodeSetParams) graph_set_memcpy_params;
  decltype(&cuGraphMemsetNodeGetParams) graph_memset_params;
  decltype(&cuGraphMemsetNodeSetParams) graph_set_memset_params;
  decltype(&cuGraphNodeFindInClone) graph_find_in_clone;
  decltype(&cuGraphNodeGetType) graph_node_type;
  // With the edges' data: under this name in every driver since CUDA 12.3.
  CUresult(CUDAAPI* graph_get_edges)(CUgraph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData*, size_t* count);
};

// nullptr where the driver lacks one of them: it is older than CUDA 12.4.
const Driver* driver();

// While it lives, calls of this thread are allowed although one of its streams is being captured into a graph.
class RelaxedCapture {
 public:
  RelaxedCapture() { driver()->exchange_capture_mode(&mode_); }
  ~RelaxedCapture() { driver()->exchange_capture_mode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace capture
