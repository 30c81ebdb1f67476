// Launches inside graphs.
//
// A graph runs as one, so that nobody sees what each of its kernels starts from. Before a graph is launched its nodes are therefore run
// one after another, in an order that its edges allow, each kernel recorded; then all memory they reached is put back as it was, and
// the program's own launch goes on. What is instantiated is remembered as a copy of its graph; updates change the copy.
#include "calls.h"

#include <algorithm>

namespace capture {
namespace {

struct Instance {
  CUgraph copy = nullptr;
  const char* declined = nullptr;  // why its launches are not recorded
};

std::map<CUgraphExec, Instance>& instances() {
  static auto& all = *new std::map<CUgraphExec, Instance>;
  return all;
}

// Nodes in an order that the edges allow; ties as the graph lists them.
std::vector<CUgraphNode> ordered_nodes(CUgraph graph) {
  size_t node_count = 0, edge_count = 0;
  driver()->graph_get_nodes(graph, nullptr, &node_count);
  std::vector<CUgraphNode> nodes(node_count);
  driver()->graph_get_nodes(graph, nodes.data(), &node_count);
  driver()->graph_get_edges(graph, nullptr, nullptr, nullptr, &edge_count);
  std::vector<CUgraphNode> from(edge_count), to(edge_count);
  std::vector<CUgraphEdgeData> data(edge_count);
  driver()->graph_get_edges(graph, from.data(), to.data(), data.data(), &edge_count);
  std::map<CUgraphNode, size_t> waits_for;
  for (CUgraphNode node : to) ++waits_for[node];
  std::vector<CUgraphNode> ordered;
  while (ordered.size() < nodes.size()) {
    auto ready = std::find_if(nodes.begin(), nodes.end(), [&](CUgraphNode n) { return n && waits_for[n] == 0; });
    if (ready == nodes.end()) break;
    for (size_t i = 0; i < edge_count; ++i) waits_for[to[i]] -= from[i] == *ready;
    ordered.push_back(*ready);
    *ready = nullptr;
  }
  return ordered;
}

CUgraphNodeType type_of(CUgraphNode node) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  driver()->graph_node_type(node, &type);
  return type;
}

// Why nodes cannot be run one by one; nullptr if they can.
const char* reason_to_decline(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
    case CU_GRAPH_NODE_TYPE_MEMCPY:
    case CU_GRAPH_NODE_TYPE_MEMSET:
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return nullptr;
    case CU_GRAPH_NODE_TYPE_HOST: return "its graph calls a function of the host";
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return "its graph allocates memory";
    case CU_GRAPH_NODE_TYPE_CONDITIONAL: return "its graph has conditional nodes";
    default: return "its graph has nodes that cannot be run by themselves";
  }
}

struct Step {
  CUgraphNode node;
  CUgraphNodeType type;
};

// All nodes in running order, those of child graphs in their place; `declined` is set where one cannot be run by itself.
void flatten(CUgraph graph, std::vector<Step>& steps, const char*& declined) {
  for (CUgraphNode node : ordered_nodes(graph)) {
    CUgraphNodeType type = type_of(node);
    if (const char* reason = reason_to_decline(type)) declined = reason;
    CUgraph child = nullptr;
    if (type == CU_GRAPH_NODE_TYPE_GRAPH && driver()->graph_child_graph(node, &child) == CUDA_SUCCESS) flatten(child, steps, declined);
    else steps.push_back({node, type});
  }
}

Launch launch_of(CUgraphNode node, const char* declined) {
  CUDA_KERNEL_NODE_PARAMS p{};
  Launch l;
  l.declined = declined;
  if (driver()->graph_kernel_params(node, &p) != CUDA_SUCCESS) {
    l.declined = "its graph does not say how it is launched";
    return l;
  }
  l.function = p.func ? p.func : reinterpret_cast<CUfunction>(p.kern);
  const char* name = nullptr;
  bool is_named = (p.kern && driver()->kernel_get_name(&name, p.kern) == CUDA_SUCCESS) ||
                  driver()->kernel_get_name(&name, reinterpret_cast<CUkernel>(l.function)) == CUDA_SUCCESS ||
                  driver()->func_get_name(&name, l.function) == CUDA_SUCCESS;
  l.kernel = is_named ? name : "?";
  unsigned grid[] = {p.gridDimX, p.gridDimY, p.gridDimZ}, block[] = {p.blockDimX, p.blockDimY, p.blockDimZ};
  std::copy(grid, grid + 3, l.grid);
  std::copy(block, block + 3, l.block);
  l.shared_bytes = p.sharedMemBytes;
  l.parameters = p.kernelParams;
  l.extra = p.extra;
  CUlaunchAttributeValue value{};
  if (driver()->graph_get_attribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value) == CUDA_SUCCESS) l.is_cooperative = value.cooperative != 0;
  value = {};
  if (driver()->graph_get_attribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value) == CUDA_SUCCESS) l.set_cluster(value);
  return l;
}

// What has to be put back after nodes were run one by one.
class Saved {
 public:
  void keep(const Kept& kept) {
    for (size_t i = 0; i < kept.regions.size(); ++i) before_.try_emplace(kept.regions[i].begin, kept.regions[i], kept.before[i]);
  }
  bool keep(Recorder& recorder, uint64_t address) {
    Region region;
    if (!recorder.memory.find(address, region) || before_.count(region.begin)) return true;
    Bytes bytes;
    if (!Memory::read(region, bytes)) return false;
    before_.try_emplace(region.begin, region, std::move(bytes));
    return true;
  }
  void keep_host(void* data, size_t bytes) {
    const auto* begin = static_cast<const unsigned char*>(data);
    host_.emplace_back(begin, Bytes(begin, begin + bytes));
  }
  void put_back() const {
    for (const auto& entry : before_) Memory::write(entry.second.first, entry.second.second);
    for (auto entry = host_.rbegin(); entry != host_.rend(); ++entry)
      std::copy(entry->second.begin(), entry->second.end(), const_cast<unsigned char*>(entry->first));
  }

 private:
  std::map<uint64_t, std::pair<Region, Bytes>> before_;
  std::vector<std::pair<const unsigned char*, Bytes>> host_;
};

// A graph of that node alone, run to its end.
bool run_alone(CUgraphNode node, CUgraphNodeType type) {
  CUcontext context = nullptr;
  driver()->ctx_get_current(&context);
  CUgraph graph = nullptr;
  CUgraphNode copy = nullptr;
  CUgraphExec instance = nullptr;
  if (driver()->graph_create(&graph, 0) != CUDA_SUCCESS) return false;
  CUresult result = CUDA_SUCCESS;
  if (type == CU_GRAPH_NODE_TYPE_KERNEL) {
    CUDA_KERNEL_NODE_PARAMS p{};
    result = driver()->graph_kernel_params(node, &p);
    if (result == CUDA_SUCCESS) result = driver()->graph_add_kernel_node(&copy, graph, nullptr, 0, &p);
    if (result == CUDA_SUCCESS) result = driver()->graph_copy_attributes(copy, node);
  } else if (type == CU_GRAPH_NODE_TYPE_MEMCPY) {
    CUDA_MEMCPY3D p{};
    result = driver()->graph_memcpy_params(node, &p);
    if (result == CUDA_SUCCESS) result = driver()->graph_add_memcpy_node(&copy, graph, nullptr, 0, &p, context);
  } else {
    CUDA_MEMSET_NODE_PARAMS p{};
    result = driver()->graph_memset_params(node, &p);
    if (result == CUDA_SUCCESS) result = driver()->graph_add_memset_node(&copy, graph, nullptr, 0, &p, context);
  }
  if (result == CUDA_SUCCESS) result = driver()->graph_instantiate(&instance, graph, 0);
  if (result == CUDA_SUCCESS) result = driver()->graph_launch(instance, Memory::own_stream());
  if (result == CUDA_SUCCESS) result = driver()->stream_synchronize(Memory::own_stream());
  if (instance) driver()->graph_exec_destroy(instance);
  driver()->graph_destroy(graph);
  return result == CUDA_SUCCESS;
}

bool save_copy(Recorder& recorder, CUgraphNode node, Saved& saved) {
  CUDA_MEMCPY3D p{};
  if (driver()->graph_memcpy_params(node, &p) != CUDA_SUCCESS || p.dstMemoryType == CU_MEMORYTYPE_ARRAY) return false;
  void* to = p.dstMemoryType == CU_MEMORYTYPE_HOST ? p.dstHost : reinterpret_cast<void*>(p.dstDevice);
  if (!is_host(to)) return saved.keep(recorder, reinterpret_cast<uint64_t>(to));
  size_t pitch = p.dstPitch ? p.dstPitch : p.WidthInBytes;
  size_t rows = p.Depth > 1 ? p.dstHeight * p.Depth : std::max<size_t>(p.Height, 1);
  auto* begin = static_cast<char*>(to) + (p.dstZ * p.dstHeight + p.dstY) * pitch + p.dstXInBytes;
  saved.keep_host(begin, (rows - 1) * pitch + p.WidthInBytes);
  return true;
}

bool save_fill(Recorder& recorder, CUgraphNode node, Saved& saved) {
  CUDA_MEMSET_NODE_PARAMS p{};
  return driver()->graph_memset_params(node, &p) == CUDA_SUCCESS && saved.keep(recorder, p.dst);
}

// Runs one node, recorded if it is a kernel of which contents are kept; false where it could not be run.
bool run_step(Recorder& recorder, const Step& step, Saved& saved) {
  if (step.type == CU_GRAPH_NODE_TYPE_MEMCPY) return save_copy(recorder, step.node, saved) && run_alone(step.node, step.type);
  if (step.type == CU_GRAPH_NODE_TYPE_MEMSET) return save_fill(recorder, step.node, saved) && run_alone(step.node, step.type);
  if (step.type != CU_GRAPH_NODE_TYPE_KERNEL) return true;
  Kept kept;
  if (!recorder.begin(launch_of(step.node, nullptr), kept)) return false;
  saved.keep(kept);
  bool has_run = run_alone(step.node, step.type);
  recorder.end(kept, has_run);
  return has_run;
}

void before_launch(Recorder& recorder, const Call& call) {
  CUstream stream = call.stream(call.as<cuGraphLaunch_params>().hStream);
  if (is_capturing(stream)) return;
  auto found = instances().find(call.as<cuGraphLaunch_params>().hGraph);
  if (found == instances().end()) {
    recorder.note("a graph whose making was not seen was launched: its launches cannot be captured");
    return;
  }
  std::vector<Step> steps;
  const char* declined = found->second.declined;
  flatten(found->second.copy, steps, declined);
  bool is_kept = !declined && std::any_of(steps.begin(), steps.end(), [&](const Step& s) {
    return s.type == CU_GRAPH_NODE_TYPE_KERNEL && recorder.would_keep(launch_of(s.node, nullptr));
  });
  if (is_kept) wait_for(stream);
  if (is_kept) stop_times();
  Saved saved;
  for (const Step& step : steps) {
    if (is_kept) is_kept = run_step(recorder, step, saved);
    else if (step.type == CU_GRAPH_NODE_TYPE_KERNEL) {
      Kept none;
      recorder.begin(launch_of(step.node, declined ? declined : "enough launches of this graph"), none);
    }
  }
  saved.put_back();
  resume_times();
}

void after_launch(Recorder& recorder, const Call& call) {
  CUstream stream = call.stream(call.as<cuGraphLaunch_params>().hStream);
  auto found = instances().find(call.as<cuGraphLaunch_params>().hGraph);
  if (call.result != CUDA_SUCCESS || found == instances().end() || is_capturing(stream)) return;
  std::vector<Step> steps;
  const char* declined = nullptr;
  flatten(found->second.copy, steps, declined);
  bool has_waited = false;
  for (const Step& step : steps) {
    CUDA_MEMCPY3D p{};
    if (step.type != CU_GRAPH_NODE_TYPE_MEMCPY || driver()->graph_memcpy_params(step.node, &p) != CUDA_SUCCESS) continue;
    if (!has_waited && !wait_for(stream)) return;
    has_waited = true;
    record_copy(recorder, p);
  }
}

void remember(CUgraphExec instance, CUgraph graph) {
  Instance& entry = instances()[instance];
  if (entry.copy) driver()->graph_destroy(entry.copy);
  entry = {};
  if (driver()->graph_clone(&entry.copy, graph) != CUDA_SUCCESS) entry = {nullptr, "its graph cannot be copied"};
}

void after_instantiation(Recorder&, const Call& call) {
  const auto& p = call.as<cuGraphInstantiateWithFlags_params>();
  if (call.result == CUDA_SUCCESS) remember(*p.phGraphExec, p.hGraph);
}

void after_update(Recorder&, const Call& call) {
  const auto& p = call.as<cuGraphExecUpdate_v2_params>();
  if (call.result == CUDA_SUCCESS) remember(p.hGraphExec, p.hGraph);
}

void before_destruction(Recorder&, const Call& call) {
  auto found = instances().find(call.as<cuGraphExecDestroy_params>().hGraphExec);
  if (found == instances().end()) return;
  if (found->second.copy) driver()->graph_destroy(found->second.copy);
  instances().erase(found);
}

// The copy's node for one of the graph that was instantiated; nullptr where there is none.
CUgraphNode node_in_copy(CUgraphExec instance, CUgraphNode node) {
  auto found = instances().find(instance);
  CUgraphNode copy = nullptr;
  if (found == instances().end() || !found->second.copy) return nullptr;
  return driver()->graph_find_in_clone(&copy, node, found->second.copy) == CUDA_SUCCESS ? copy : nullptr;
}

void decline(CUgraphExec instance) { instances()[instance].declined = "its graph was changed after it was instantiated"; }

void after_kernel_change(Recorder&, const Call& call) {
  const auto& p = call.as<cuGraphExecKernelNodeSetParams_v2_params>();
  if (call.result != CUDA_SUCCESS) return;
  CUgraphNode node = node_in_copy(p.hGraphExec, p.hNode);
  if (!node || driver()->graph_set_kernel_params(node, p.nodeParams) != CUDA_SUCCESS) decline(p.hGraphExec);
}

void after_copy_change(Recorder&, const Call& call) {
  const auto& p = call.as<cuGraphExecMemcpyNodeSetParams_params>();
  if (call.result != CUDA_SUCCESS) return;
  CUgraphNode node = node_in_copy(p.hGraphExec, p.hNode);
  if (!node || driver()->graph_set_memcpy_params(node, p.copyParams) != CUDA_SUCCESS) decline(p.hGraphExec);
}

void after_fill_change(Recorder&, const Call& call) {
  const auto& p = call.as<cuGraphExecMemsetNodeSetParams_params>();
  if (call.result != CUDA_SUCCESS) return;
  CUgraphNode node = node_in_copy(p.hGraphExec, p.hNode);
  if (!node || driver()->graph_set_memset_params(node, p.memsetParams) != CUDA_SUCCESS) decline(p.hGraphExec);
}

// Any other change: its first parameter is the instance.
void after_other_change(Recorder&, const Call& call) {
  if (call.result == CUDA_SUCCESS) decline(call.as<cuGraphExecNodeSetParams_params>().hGraphExec);
}

void after_begin(Recorder&, const Call& call) {
  if (call.result == CUDA_SUCCESS) note_capture(1);
}
void after_end(Recorder&, const Call&) { note_capture(-1); }  // a capture that failed has ended too

#define CAPTURE_ID(name) CUPTI_DRIVER_TRACE_CBID_##name

}  // namespace

void forget_graphs() {
  for (const auto& entry : instances())
    if (entry.second.copy && driver()) driver()->graph_destroy(entry.second.copy);
  instances().clear();
}

const std::vector<Watched>& graph_calls() {
  static const std::vector<Watched> calls = {
      {CAPTURE_ID(cuStreamBeginCapture_v2), nullptr, after_begin, false},
      {CAPTURE_ID(cuStreamBeginCapture_v2_ptsz), nullptr, after_begin, true},
      {CAPTURE_ID(cuStreamBeginCaptureToGraph), nullptr, after_begin, false},
      {CAPTURE_ID(cuStreamBeginCaptureToGraph_ptsz), nullptr, after_begin, true},
      {CAPTURE_ID(cuStreamEndCapture), nullptr, after_end, false},
      {CAPTURE_ID(cuStreamEndCapture_ptsz), nullptr, after_end, true},
      {CAPTURE_ID(cuGraphInstantiateWithFlags), nullptr, after_instantiation, false},
      {CAPTURE_ID(cuGraphInstantiateWithParams), nullptr, after_instantiation, false},
      {CAPTURE_ID(cuGraphInstantiateWithParams_ptsz), nullptr, after_instantiation, true},
      {CAPTURE_ID(cuGraphExecUpdate_v2), nullptr, after_update, false},
      {CAPTURE_ID(cuGraphExecDestroy), before_destruction, nullptr, false},
      {CAPTURE_ID(cuGraphExecKernelNodeSetParams_v2), nullptr, after_kernel_change, false},
      {CAPTURE_ID(cuGraphExecMemcpyNodeSetParams), nullptr, after_copy_change, false},
      {CAPTURE_ID(cuGraphExecMemsetNodeSetParams), nullptr, after_fill_change, false},
      {CAPTURE_ID(cuGraphExecNodeSetParams), nullptr, after_other_change, false},
      {CAPTURE_ID(cuGraphExecChildGraphNodeSetParams), nullptr, after_other_change, false},
      {CAPTURE_ID(cuGraphExecHostNodeSetParams), nullptr, after_other_change, false},
      {CAPTURE_ID(cuGraphNodeSetEnabled), nullptr, after_other_change, false},
      {CAPTURE_ID(cuGraphLaunch), before_launch, after_launch, false},
      {CAPTURE_ID(cuGraphLaunch_ptsz), before_launch, after_launch, true},
  };
  return calls;
}

}  // namespace capture
