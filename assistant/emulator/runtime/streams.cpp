#include "streams.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "faults.h"
#include "graphs.h"
#include "memory.h"
#include "options.h"
#include "record.h"

namespace emu {

struct Operation {
  uint64_t number = 0;
  About about;
  Work work;
  std::vector<OperationPointer> needs;
  bool is_done = false;
  int error = CUDA_SUCCESS;
  enum { undecided, latest, earliest } first = undecided;  // of several that it needs
};

namespace {

// How many operations wait at most; a launch into a full queue waits for the oldest one. A GPU's queues hold about as many.
constexpr size_t MOST_WAITING = 1024;

// From this wait of the host on, every second one finds what does not hang on it done before: in a loop over chunks a stream may be as far
// ahead as late.
constexpr uint64_t FIRST_AHEAD = 4;

// A host that makes no call for so long waits for what a GPU would do meanwhile: a flag in its memory, a host function.
constexpr auto LATEST = std::chrono::seconds(2);

struct Stream {
  OperationPointer last;
  bool is_blocking = true;
};

struct Streams {
  std::recursive_mutex mutex;                // operations run under it; a host function may issue further ones
  std::map<uint64_t, OperationPointer> waiting;
  std::map<void*, Stream> open;
  std::vector<OperationPointer> last_of_closed;  // of blocking streams, which the default stream waits for
  uint64_t issued = 0, running = 0, decided = 0, waits = 0;
  uint64_t calls = 0;                        // of the host, that issued, waited or asked
  bool has_begun = false;
};
Streams& streams() {
  static Streams& instance = *new Streams;
  return instance;
}

// Does what waits when the host has made no call for a while.
void watch() {
  Streams& s = streams();
  for (uint64_t seen = 0;;) {
    std::this_thread::sleep_for(LATEST);
    std::lock_guard<std::recursive_mutex> hold(s.mutex);
    if (s.calls == seen) finish_all();
    seen = s.calls;
  }
}

// cudaStreamLegacy is the null stream by its other name.
void* as_known(void* stream) { return reinterpret_cast<uintptr_t>(stream) == 1 ? nullptr : stream; }

void need(Operation& operation, const OperationPointer& other) {
  if (other && !other->is_done) operation.needs.push_back(other);
}

// What orders an operation behind others by the stream that it is issued into.
void order(Operation& operation, void* stream) {
  Streams& s = streams();
  need(operation, s.open[stream].last);
  if (stream && s.open[stream].is_blocking) need(operation, s.open[nullptr].last);
  if (stream) return;
  for (const auto& [handle, other] : s.open)
    if (handle && other.is_blocking) need(operation, other.last);
  for (const OperationPointer& other : s.last_of_closed) need(operation, other);
  s.last_of_closed.clear();  // what is issued from now on finds them through this one
}

bool share_memory(const About& one, const About& other) {
  return std::any_of(one.places.begin(), one.places.end(), [&](uint64_t place) {
    return place && std::find(other.places.begin(), other.places.end(), place) != other.places.end();
  });
}

// What runs before an operation that was issued earlier and uses the same memory: where one of them writes, its result depends on the order.
void note_overtaken(const Operation& operation) {
  for (const auto& [number, earlier] : streams().waiting) {
    if (number >= operation.number) return;
    if (share_memory(operation.about, earlier->about)) note_overtaking(operation.about, earlier->about);
  }
}

void start(const OperationPointer& operation) {
  Streams& s = streams();
  note_overtaken(*operation);
  s.waiting.erase(operation->number);
  operation->is_done = true;  // before it runs: a host function may wait for its own stream, which CUDA forbids
  operation->needs.clear();   // cuts the chain: a long one would be freed by as deep a recursion
  Work work = std::move(operation->work);
  uint64_t outer = s.running;
  s.running = operation->number;
  if (work) operation->error = work();
  s.running = outer;
}

// What is to be done before: of several, in turns the one issued last and the one issued first. One order shows what is waited for too
// late, the other what is filled again too early.
OperationPointer needed_next(Operation& operation) {
  std::vector<OperationPointer> open;
  for (const OperationPointer& other : operation.needs)
    if (!other->is_done) open.push_back(other);
  if (open.empty()) return nullptr;
  if (open.size() > 1 && operation.first == Operation::undecided)
    operation.first = streams().decided++ % 2 ? Operation::earliest : Operation::latest;
  auto [least, most] = std::minmax_element(open.begin(), open.end(), [](const auto& a, const auto& b) { return a->number < b->number; });
  return operation.first == Operation::earliest ? *least : *most;
}

// All that has to be done for an operation, itself too.
std::set<uint64_t> hangs_on(const OperationPointer& mark) {
  std::set<uint64_t> found;
  std::vector<OperationPointer> open{mark};
  while (!open.empty()) {
    OperationPointer operation = open.back();
    open.pop_back();
    if (!operation->is_done && found.insert(operation->number).second)
      open.insert(open.end(), operation->needs.begin(), operation->needs.end());
  }
  return found;
}

void finish_in_order(const OperationPointer& mark) {
  std::vector<OperationPointer> way{mark};
  while (!way.empty()) {
    OperationPointer operation = way.back();
    OperationPointer needed = operation->is_done ? nullptr : needed_next(*operation);
    if (needed) {
      way.push_back(needed);
      continue;
    }
    way.pop_back();
    if (!operation->is_done) start(operation);
  }
}

// What waits and hangs on nothing that the operation hangs on. An operation needs earlier ones only, so that one pass tells.
void run_ahead_of(const OperationPointer& mark) {
  std::set<uint64_t> behind = hangs_on(mark);
  std::vector<OperationPointer> others;
  for (const auto& [number, operation] : streams().waiting) {
    const auto& needs = operation->needs;
    bool hangs = std::any_of(needs.begin(), needs.end(), [&](const auto& one) { return !one->is_done && behind.count(one->number); });
    if (hangs) behind.insert(number);
    if (!behind.count(number)) others.push_back(operation);
  }
  for (const OperationPointer& operation : others)
    if (!operation->is_done) finish_in_order(operation);
}

// An operation that waits for nothing yet.
OperationPointer add(About about, Work work) {
  Streams& s = streams();
  ++s.calls;
  if (!s.has_begun) {
    s.has_begun = true;
    begin_recording();
    std::thread(watch).detach();
  }
  if (s.waiting.size() >= MOST_WAITING) finish_in_order(s.waiting.begin()->second);
  auto operation = std::make_shared<Operation>();
  operation->number = ++s.issued;
  operation->work = std::move(work);
  operation->about = std::move(about);
  s.waiting[operation->number] = operation;
  return operation;
}

OperationPointer put(void* stream, About about, Work work, const OperationPointer& further = nullptr) {
  stream = as_known(stream);
  OperationPointer operation = add(std::move(about), std::move(work));
  order(*operation, stream);
  need(*operation, further);
  streams().open[stream].last = operation;
  return operation;
}

bool is_done_or_none(const OperationPointer& operation) { return !operation || operation->is_done; }

void do_one_of(OperationPointer operation) {
  while (OperationPointer needed = needed_next(*operation)) operation = needed;
  start(operation);
}

}  // namespace

bool runs_late() { return options().runs_late; }

void open_stream(void* stream, bool is_blocking) {
  if (!runs_late()) return;
  std::lock_guard<std::recursive_mutex> hold(streams().mutex);
  streams().open[stream] = {nullptr, is_blocking};
}

void close_stream(void* stream) {
  if (!runs_late()) return;
  Streams& s = streams();
  std::lock_guard<std::recursive_mutex> hold(s.mutex);
  Stream closed = s.open[stream];
  if (closed.is_blocking && !is_done_or_none(closed.last)) s.last_of_closed.push_back(closed.last);
  s.open.erase(stream);
}

int issue(void* stream, About about, Work work) {
  if (capture(stream, about, work)) return CUDA_SUCCESS;
  if (!runs_late()) return work();
  std::lock_guard<std::recursive_mutex> hold(streams().mutex);
  put(stream, std::move(about), std::move(work));
  return CUDA_SUCCESS;
}

int do_steps(void* stream, const std::vector<GraphStep>& steps) {
  int first_error = CUDA_SUCCESS;
  emu_on_order("graph", stream, 0);
  for (const GraphStep& step : steps) {
    note_node(step.needs);
    int error = step.work();
    if (!first_error) first_error = error;
  }
  emu_on_order("graph_end", stream, 0);
  return first_error;
}

int issue_steps(void* stream, const std::vector<GraphStep>& steps) {
  if (!runs_late()) return do_steps(stream, steps);
  std::lock_guard<std::recursive_mutex> hold(streams().mutex);
  OperationPointer begin = put(stream, {"graph"}, nullptr);
  std::vector<OperationPointer> issued;
  for (const GraphStep& step : steps) {
    issued.push_back(add(step.about, step.work));
    need(*issued.back(), begin);
    for (size_t earlier : step.needs) need(*issued.back(), issued[earlier]);
  }
  OperationPointer end = put(stream, {"graph"}, nullptr);
  for (const OperationPointer& one : issued) need(*end, one);
  return CUDA_SUCCESS;
}

int issue_and_wait(void* stream, About about, Work work) {
  if (!runs_late()) return work();
  std::lock_guard<std::recursive_mutex> hold(streams().mutex);
  OperationPointer operation = put(stream, std::move(about), std::move(work));
  finish(operation);
  return operation->error;
}

OperationPointer mark(void* stream, Work work) {
  if (!runs_late()) {
    work();
    return nullptr;
  }
  std::lock_guard<std::recursive_mutex> hold(streams().mutex);
  return put(stream, {"event"}, std::move(work));
}

void wait_for(void* stream, const OperationPointer& mark) {
  if (!runs_late()) return;
  std::lock_guard<std::recursive_mutex> hold(streams().mutex);
  if (!is_done_or_none(mark)) put(stream, {"wait"}, nullptr, mark);
}

void finish(const OperationPointer& mark) {
  if (!runs_late() || !mark) return;
  Streams& s = streams();
  std::lock_guard<std::recursive_mutex> hold(s.mutex);
  ++s.calls;
  if (mark->is_done) return;
  if (++s.waits > FIRST_AHEAD && s.waits % 2) run_ahead_of(mark);
  finish_in_order(mark);
}

void finish_stream(void* stream) {
  if (!runs_late()) return;
  std::lock_guard<std::recursive_mutex> hold(streams().mutex);
  stream = as_known(stream);
  if (stream == nullptr) finish(mark(stream, nullptr));  // also waits for the blocking streams
  else finish(streams().open[stream].last);
}

void finish_all() {
  if (!runs_late()) return;
  Streams& s = streams();
  std::lock_guard<std::recursive_mutex> hold(s.mutex);
  while (!s.waiting.empty()) finish(s.waiting.rbegin()->second);
}

bool is_done(const OperationPointer& mark) {
  if (!runs_late()) return true;
  std::lock_guard<std::recursive_mutex> hold(streams().mutex);
  ++streams().calls;
  if (is_done_or_none(mark)) return true;
  do_one_of(mark);
  return false;
}

bool is_stream_done(void* stream) {
  if (!runs_late()) return true;
  std::lock_guard<std::recursive_mutex> hold(streams().mutex);
  return is_done(streams().open[as_known(stream)].last);
}

uint64_t issue_number() { return streams().running; }

std::vector<uint64_t> unfinished_copies() {
  std::vector<uint64_t> numbers;
  if (!runs_late()) return numbers;
  std::lock_guard<std::recursive_mutex> hold(streams().mutex);
  for (const auto& [number, operation] : streams().waiting) numbers.insert(numbers.end(), operation->about.copy_count, number);
  return numbers;
}

uint64_t place_at(const void* address) {
  auto at = reinterpret_cast<uint64_t>(address);
  if (const EmuSymbol* symbol = find_symbol(at)) return reinterpret_cast<uint64_t>(symbol->address);
  const Allocation* allocation = find_live(at);
  return allocation ? allocation->begin : 0;
}

}  // namespace emu
