// CUDA graphs: capture, explicit nodes, instances. A node is made by issuing its work into a stream of its own that is being captured.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "graphs.h"
#include "host.h"

using emu_host::device_fault;
using emu_host::fail;

struct CUgraphExec_st {
  std::vector<emu::GraphStep> steps;
  std::map<cudaGraphNode_t, size_t> step_of;
};

namespace {

// Owned jointly: a capture that is under way needs its graph.
std::map<cudaGraph_t, std::shared_ptr<CUgraph_st>>& graphs() {
  static auto& instance = *new std::map<cudaGraph_t, std::shared_ptr<CUgraph_st>>;
  return instance;
}

cudaGraph_t keep(std::shared_ptr<CUgraph_st> graph) {
  cudaGraph_t handle = graph.get();
  graphs()[handle] = std::move(graph);
  return handle;
}

std::shared_ptr<CUgraph_st> graph_of(cudaGraph_t handle) {
  auto found = graphs().find(handle);
  return found == graphs().end() ? nullptr : found->second;
}

// The node that `issue(stream)` puts into the stream; its error is what issuing it returned.
template <class F>
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* needs, size_t count, F issue) {
  std::shared_ptr<CUgraph_st> graph = graph_of(handle);
  if (!graph || (count && !needs)) return fail(cudaErrorInvalidValue);
  char own;
  auto stream = reinterpret_cast<cudaStream_t>(&own);
  emu::begin_capture(stream, graph, emu::GraphNodes(needs, needs + count));
  size_t before = graph->nodes.size();
  cudaError_t error = issue(stream);
  if (!error && graph->nodes.size() == before) emu::capture(stream, {"empty"}, [] { return 0; });
  if (graph->nodes.size() > before && node) *node = graph->nodes.back().get();
  emu::leave_capture(stream);
  return error;
}

cudaError_t launch(const struct cudaKernelNodeParams& p, cudaStream_t stream) {
  return cudaLaunchKernel(p.func, p.emu_user_gridDim, p.emu_user_blockDim, p.kernelParams, p.sharedMemBytes, stream);
}

cudaError_t fill(const struct cudaMemsetParams& p) {
  emu_on_fills(p.height, p.height * p.width * p.elementSize, nullptr, false);
  for (size_t y = 0; y < p.height; ++y) {
    char* row = static_cast<char*>(p.dst) + y * p.pitch;
    if (int error = emu_on_memset(row, p.width * p.elementSize)) return fail(static_cast<cudaError_t>(error));
    for (size_t x = 0; x < p.width; ++x) memcpy(row + x * p.elementSize, &p.value, p.elementSize);
  }
  return cudaSuccess;
}

bool make_steps(const CUgraph_st& graph, CUgraphExec_st& made) {
  emu::GraphNodes ordered = emu::in_order(graph);
  if (ordered.size() < graph.nodes.size()) return false;
  for (cudaGraphNode_t node : ordered) {
    emu::GraphStep step{node->about, node->work, {}};
    for (cudaGraphNode_t other : node->needs) step.needs.push_back(made.step_of[other]);
    made.step_of[node] = made.steps.size();
    made.steps.push_back(std::move(step));
  }
  return true;
}

enum cudaGraphNodeType type_of(const CUgraphNode_st& node) {
  static const std::pair<const char*, cudaGraphNodeType> TYPES[] = {{"launch", cudaGraphNodeTypeKernel}, {"copy", cudaGraphNodeTypeMemcpy},
                                                                    {"fill", cudaGraphNodeTypeMemset}, {"host_function", cudaGraphNodeTypeHost},
                                                                    {"graph", cudaGraphNodeTypeGraph}};
  for (const auto& [kind, type] : TYPES)
    if (!strcmp(node.about.kind, kind)) return type;
  return cudaGraphNodeTypeEmpty;
}

cudaError_t list(const emu::GraphNodes& found, cudaGraphNode_t* nodes, size_t* count) {
  if (!count) return fail(cudaErrorInvalidValue);
  if (nodes) std::copy_n(found.begin(), std::min(*count, found.size()), nodes);
  *count = nodes ? std::min(*count, found.size()) : found.size();
  return cudaSuccess;
}

// The work of a launch with these parameters.
bool launch_work(const struct cudaKernelNodeParams* p, emu::About& about, emu::Work& work) {
  auto scratch = std::make_shared<CUgraph_st>();
  cudaGraph_t handle = keep(scratch);
  cudaGraphNode_t node = nullptr;
  cudaError_t error = p ? add_node(&node, handle, nullptr, 0, [&](cudaStream_t stream) { return launch(*p, stream); }) : cudaErrorInvalidValue;
  graphs().erase(handle);
  if (error || !node) return false;
  about = node->about;
  work = node->work;
  return true;
}

bool is_default(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

}  // namespace

extern "C" {
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode) {
  if (is_default(stream)) return fail(cudaErrorStreamCaptureUnsupported);
  return emu::begin_capture(stream, std::make_shared<CUgraph_st>(), {}) ? cudaSuccess : fail(cudaErrorIllegalState);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (!graph) return fail(cudaErrorInvalidValue);
  *graph = nullptr;
  bool is_joined = false;
  emu::CapturePoint ended = emu::end_capture(stream, is_joined);
  if (!ended.graph) return fail(cudaErrorIllegalState);
  if (!is_joined) return fail(cudaErrorStreamCaptureUnjoined);
  *graph = keep(ended.graph);
  return device_fault();
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus* status) {
  if (!status) return fail(cudaErrorInvalidValue);
  *status = emu::is_capturing(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  if (!graph) return fail(cudaErrorInvalidValue);
  *graph = keep(std::make_shared<CUgraph_st>());
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return graphs().erase(graph) ? cudaSuccess : fail(cudaErrorInvalidValue); }
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count, const struct cudaKernelNodeParams* p) {
  if (!p) return fail(cudaErrorInvalidValue);
  return add_node(node, graph, needs, count, [&](cudaStream_t stream) { return launch(*p, stream); });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count, const struct cudaMemcpy3DParms* p) {
  return add_node(node, graph, needs, count, [&](cudaStream_t stream) { return cudaMemcpy3DAsync(p, stream); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count, void* to, const void* from,
                                     size_t bytes, enum cudaMemcpyKind kind) {
  return add_node(node, graph, needs, count, [&](cudaStream_t stream) { return cudaMemcpyAsync(to, from, bytes, kind, stream); });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count, const struct cudaMemsetParams* p) {
  bool is_valid = p && p->dst && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
  if (!is_valid || !emu_find_allocation(p->dst, nullptr, nullptr, nullptr)) return fail(cudaErrorInvalidValue);
  return add_node(node, graph, needs, count, [&](cudaStream_t stream) {
    emu::capture(stream, {"fill", nullptr, 0, {emu::place_at(p->dst)}}, [kept = *p] { return fill(kept); });
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count, const struct cudaHostNodeParams* p) {
  if (!p) return fail(cudaErrorInvalidValue);
  return add_node(node, graph, needs, count, [&](cudaStream_t stream) { return cudaLaunchHostFunc(stream, p->fn, p->userData); });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count) {
  return add_node(node, graph, needs, count, [](cudaStream_t) { return cudaSuccess; });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t count, cudaGraph_t child) {
  auto inner = std::make_shared<CUgraphExec_st>();
  if (!graph_of(child) || !make_steps(*child, *inner)) return fail(cudaErrorInvalidValue);
  return add_node(node, graph, needs, count, [&](cudaStream_t stream) {
    emu::capture(stream, {"graph"}, [inner] { return emu::do_steps(nullptr, inner->steps); });
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count) {
  if (!graph_of(graph) || (count && (!from || !to))) return fail(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) to[i]->needs.push_back(from[i]);
  return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams* p) {
  return node && launch_work(p, node->about, node->work) ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, const struct cudaKernelNodeParams* p) {
  if (!executable || !executable->step_of.count(node)) return fail(cudaErrorInvalidValue);
  emu::GraphStep& step = executable->steps[executable->step_of[node]];
  return launch_work(p, step.about, step.work) ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType* type) {
  if (!node || !type) return fail(cudaErrorInvalidValue);
  *type = type_of(*node);
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (!graph_of(graph)) return fail(cudaErrorInvalidValue);
  emu::GraphNodes all;
  for (const auto& node : graph->nodes) all.push_back(node.get());
  return list(all, nodes, count);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (!graph_of(graph)) return fail(cudaErrorInvalidValue);
  emu::GraphNodes roots;
  for (const auto& node : graph->nodes)
    if (node->needs.empty()) roots.push_back(node.get());
  return list(roots, nodes, count);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  if (!executable || !graph_of(graph)) return fail(cudaErrorInvalidValue);
  auto made = std::make_unique<CUgraphExec_st>();
  if (!make_steps(*graph, *made)) return fail(cudaErrorInvalidValue);
  *executable = made.release();
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) { return executable ? device_fault() : fail(cudaErrorInvalidValue); }
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (!executable) return fail(cudaErrorInvalidValue);
  if (cudaError_t error = device_fault()) return error;
  if (emu::capture(stream, {"graph"}, [steps = executable->steps] { return emu::do_steps(nullptr, steps); })) return cudaSuccess;
  return static_cast<cudaError_t>(emu::issue_steps(stream, executable->steps));
}
// With the work of a graph that has the same nodes.
cudaError_t emu_update_graph(cudaGraphExec_t executable, cudaGraph_t graph) {
  CUgraphExec_st made;
  if (!executable || !graph_of(graph) || !make_steps(*graph, made)) return fail(cudaErrorInvalidValue);
  bool is_alike = made.steps.size() == executable->steps.size();
  for (size_t i = 0; is_alike && i < made.steps.size(); ++i)
    is_alike = !strcmp(made.steps[i].about.kind, executable->steps[i].about.kind) && made.steps[i].needs == executable->steps[i].needs;
  if (!is_alike) return fail(cudaErrorGraphExecUpdateFailure);
  *executable = std::move(made);
  return cudaSuccess;
}
}
