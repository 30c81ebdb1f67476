#include "driver.h"

#include <cstdio>
#include <dlfcn.h>

namespace capture {
namespace {

#define CAPTURE_TEXT(name) #name
#define CAPTURE_NAME(name) CAPTURE_TEXT(name)  // expands cuda.h's macros first

struct Lookup {
  Driver driver{};
  bool is_complete = true;

  template <class Function>
  void find(Function& function, const char* name) {
    static void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    function = library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
    if (function) return;
    fprintf(stderr, "kernelopt: this CUDA driver has no %s: launches are not captured\n", name);
    is_complete = false;
  }
};

Lookup look_up() {
  Lookup l;
  Driver& d = l.driver;
  l.find(d.ctx_get_current, CAPTURE_NAME(cuCtxGetCurrent));
  l.find(d.ctx_synchronize, "cuCtxSynchronize");
  l.find(d.func_get_module, CAPTURE_NAME(cuFuncGetModule));
  l.find(d.func_get_name, CAPTURE_NAME(cuFuncGetName));
  l.find(d.func_get_param_info, CAPTURE_NAME(cuFuncGetParamInfo));
  l.find(d.kernel_get_function, CAPTURE_NAME(cuKernelGetFunction));
  l.find(d.kernel_get_library, CAPTURE_NAME(cuKernelGetLibrary));
  l.find(d.kernel_get_name, CAPTURE_NAME(cuKernelGetName));
  l.find(d.kernel_get_param_info, CAPTURE_NAME(cuKernelGetParamInfo));
  l.find(d.library_get_global, CAPTURE_NAME(cuLibraryGetGlobal));
  l.find(d.ipc_close_mem_handle, "cuIpcCloseMemHandle");
  l.find(d.ipc_open_mem_handle, CAPTURE_NAME(cuIpcOpenMemHandle));
  l.find(d.memcpy_dtod_async, CAPTURE_NAME(cuMemcpyDtoDAsync));
  l.find(d.memcpy_dtoh_async, CAPTURE_NAME(cuMemcpyDtoHAsync));
  l.find(d.memcpy_htod_async, CAPTURE_NAME(cuMemcpyHtoDAsync));
  l.find(d.module_get_global, CAPTURE_NAME(cuModuleGetGlobal));
  l.find(d.pointer_get_attribute, CAPTURE_NAME(cuPointerGetAttribute));
  l.find(d.stream_create, CAPTURE_NAME(cuStreamCreate));
  l.find(d.stream_is_capturing, CAPTURE_NAME(cuStreamIsCapturing));
  l.find(d.stream_synchronize, CAPTURE_NAME(cuStreamSynchronize));
  l.find(d.exchange_capture_mode, CAPTURE_NAME(cuThreadExchangeStreamCaptureMode));
  l.find(d.graph_add_kernel_node, CAPTURE_NAME(cuGraphAddKernelNode));
  l.find(d.graph_add_memcpy_node, CAPTURE_NAME(cuGraphAddMemcpyNode));
  l.find(d.graph_add_memset_node, CAPTURE_NAME(cuGraphAddMemsetNode));
  l.find(d.graph_child_graph, CAPTURE_NAME(cuGraphChildGraphNodeGetGraph));
  l.find(d.graph_clone, CAPTURE_NAME(cuGraphClone));
  l.find(d.graph_create, CAPTURE_NAME(cuGraphCreate));
  l.find(d.graph_destroy, CAPTURE_NAME(cuGraphDestroy));
  l.find(d.graph_exec_destroy, CAPTURE_NAME(cuGraphExecDestroy));
  l.find(d.graph_get_nodes, CAPTURE_NAME(cuGraphGetNodes));
  l.find(d.graph_instantiate, CAPTURE_NAME(cuGraphInstantiateWithFlags));
  l.find(d.graph_copy_attributes, CAPTURE_NAME(cuGraphKernelNodeCopyAttributes));
  l.find(d.graph_get_attribute, CAPTURE_NAME(cuGraphKernelNodeGetAttribute));
  l.find(d.graph_kernel_params, CAPTURE_NAME(cuGraphKernelNodeGetParams));
  l.find(d.graph_set_kernel_params, CAPTURE_NAME(cuGraphKernelNodeSetParams));
  l.find(d.graph_launch, CAPTURE_NAME(cuGraphLaunch));
  l.find(d.graph_memcpy_params, CAPTURE_NAME(cuGraphMemcpyNodeGetParams));
  l.find(d.graph_set_memcpy_params, CAPTURE_NAME(cuGraphMemcpyNodeSetParams));
  l.find(d.graph_memset_params, CAPTURE_NAME(cuGraphMemsetNodeGetParams));
  l.find(d.graph_set_memset_params, CAPTURE_NAME(cuGraphMemsetNodeSetParams));
  l.find(d.graph_find_in_clone, CAPTURE_NAME(cuGraphNodeFindInClone));
  l.find(d.graph_node_type, CAPTURE_NAME(cuGraphNodeGetType));
  l.find(d.graph_get_edges, "cuGraphGetEdges_v2");
  return l;
}

}  // namespace

const Driver* driver() {
  static const Lookup found = look_up();
  return found.is_complete ? &found.driver : nullptr;
}

}  // namespace capture
