#include "graphs.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

namespace emu {
namespace {

struct Captures {
  std::mutex mutex;
  std::map<const void*, CapturePoint> by_stream;
};
Captures& captures() {
  static Captures& instance = *new Captures;
  return instance;
}
std::atomic<unsigned> capture_count{0};      // most programs capture nothing

void add_missing(GraphNodes& to, const GraphNodes& from) {
  for (CUgraphNode_st* node : from)
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
}

// All nodes of the graph that no other one needs.
GraphNodes leaves(const CUgraph_st& graph) {
  std::set<CUgraphNode_st*> needed;
  for (const auto& node : graph.nodes) needed.insert(node->needs.begin(), node->needs.end());
  GraphNodes found;
  for (const auto& node : graph.nodes)
    if (!needed.count(node.get())) found.push_back(node.get());
  return found;
}

}  // namespace

bool begin_capture(void* stream, std::shared_ptr<CUgraph_st> into, GraphNodes needs) {
  Captures& c = captures();
  std::lock_guard<std::mutex> hold(c.mutex);
  bool is_new = c.by_stream.emplace(stream, CapturePoint{std::move(into), std::move(needs)}).second;
  capture_count += is_new;
  return is_new;
}

bool is_capturing(const void* stream) {
  if (capture_count.load() == 0) return false;
  Captures& c = captures();
  std::lock_guard<std::mutex> hold(c.mutex);
  return c.by_stream.count(stream) != 0;
}

bool capture(void* stream, const About& about, const Work& work) {
  if (capture_count.load() == 0) return false;
  Captures& c = captures();
  std::lock_guard<std::mutex> hold(c.mutex);
  auto found = c.by_stream.find(stream);
  if (found == c.by_stream.end()) return false;
  CapturePoint& at = found->second;
  at.graph->nodes.push_back(std::make_unique<CUgraphNode_st>(CUgraphNode_st{about, work, at.needs}));
  at.needs = {at.graph->nodes.back().get()};
  return true;
}

CapturePoint capture_point(const void* stream) {
  Captures& c = captures();
  std::lock_guard<std::mutex> hold(c.mutex);
  auto found = c.by_stream.find(stream);
  return found == c.by_stream.end() ? CapturePoint{} : found->second;
}

bool wait_for_point(void* stream, const CapturePoint& point) {
  Captures& c = captures();
  std::lock_guard<std::mutex> hold(c.mutex);
  bool goes_on = std::any_of(c.by_stream.begin(), c.by_stream.end(), [&](const auto& one) { return one.second.graph == point.graph; });
  if (!goes_on) return true;                 // the event was recorded in a capture that has ended
  auto [at, is_new] = c.by_stream.emplace(stream, point);
  capture_count += is_new;
  if (at->second.graph != point.graph) return false;
  add_missing(at->second.needs, point.needs);
  return true;
}

CapturePoint end_capture(void* stream, bool& is_joined) {
  Captures& c = captures();
  std::lock_guard<std::mutex> hold(c.mutex);
  auto found = c.by_stream.find(stream);
  if (found == c.by_stream.end()) return {};
  CapturePoint ended = found->second;
  for (auto it = c.by_stream.begin(); it != c.by_stream.end();) {
    bool is_part = it->second.graph == ended.graph;
    capture_count -= is_part;
    it = is_part ? c.by_stream.erase(it) : std::next(it);
  }
  GraphNodes open = leaves(*ended.graph);
  is_joined = std::all_of(open.begin(), open.end(), [&](CUgraphNode_st* node) { return std::find(ended.needs.begin(), ended.needs.end(), node) != ended.needs.end(); });
  return ended;
}

void leave_capture(void* stream) {
  Captures& c = captures();
  std::lock_guard<std::mutex> hold(c.mutex);
  capture_count -= static_cast<unsigned>(c.by_stream.erase(stream));
}

GraphNodes in_order(const CUgraph_st& graph) {
  GraphNodes ordered;
  std::set<CUgraphNode_st*> done;
  while (ordered.size() < graph.nodes.size()) {
    size_t before = ordered.size();
    for (const auto& node : graph.nodes) {
      bool is_ready = std::all_of(node->needs.begin(), node->needs.end(), [&](CUgraphNode_st* other) { return done.count(other) != 0; });
      if (!is_ready || !done.insert(node.get()).second) continue;
      ordered.push_back(node.get());
    }
    if (ordered.size() == before) return {};
  }
  return ordered;
}

}  // namespace emu
