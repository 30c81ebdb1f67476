#include "pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <link.h>
#include <mutex>
#include <thread>

#include "faults.h"
#include "memory.h"
#include "options.h"

extern "C" {
__thread EmuThreadContext __emu_tc;
__thread char __emu_dynamic_shared[EMU_MAX_DYNAMIC_SHARED_BYTES] __attribute__((aligned(1024)));
__thread emu::ThreadState emu_thread;
}

namespace emu {

bool program_has_hooks = false;
bool program_communicates = false;

namespace {

struct Pool {
  std::mutex mutex;
  std::condition_variable is_done;
  std::vector<Worker*> workers;
  std::vector<std::condition_variable*> has_work;  // one a worker: small grids wake only as many as they have blocks
  std::vector<Launch*> assigned;                   // one a worker; nullptr: nothing to do
  unsigned running = 0;
};
Pool& pool() {
  static Pool& instance = *new Pool;  // never destroyed
  return instance;
}

// The main program's thread-local segment on this thread: the kernels' shared memory.
int find_shared_memory(dl_phdr_info* info, size_t, void*) {
  if (info->dlpi_name && info->dlpi_name[0]) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
    emu_thread.shared_begin = reinterpret_cast<uint64_t>(info->dlpi_tls_data);
    emu_thread.shared_size = info->dlpi_phdr[i].p_memsz;
  }
  return 1;
}

void prepare(Worker& w) {
  emu_thread.worker = &w;
  emu_thread.arena_begin = arena().begin;
  emu_thread.arena_size = arena().size;
  dl_iterate_phdr(find_shared_memory, nullptr);
  w.stacks.reserve();
  emu_thread.stacks_begin = w.stacks.begin();
  emu_thread.stacks_size = w.stacks.size();
  use_alternate_stack();
  ProgramImage image = program_image();
  w.counters.reserve(static_cast<uint32_t>(image.begin), image.text_end - image.begin);
  w.shared_shadow.reserve(emu_thread.shared_begin, emu_thread.shared_size);
  w.sectors.reserve();
  w.thread_ids.resize(MAX_BLOCK_THREADS);
}

void begin_launch(Worker& w, Launch& launch) {
  w.waited_s = 0;
  w.processor_begin_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
  w.timed_serial = launch.serial;
  w.launch = &launch;
  w.block = nullptr;
  w.block_end = 0;
  w.block_unique_sectors = 0;
  w.atomic_sectors = {};
  w.steps = {};
  w.order = launch.is_order_checked ? &w.order_log : nullptr;
  if (w.order) w.order->reset();
  w.settled_races.clear();
  EmuDim3 block = launch.request->block, grid = launch.request->grid;
  for (unsigned i = 0; i < launch.threads_per_block; ++i)
    w.thread_ids[i] = {i % block.x, i / block.x % block.y, i / block.x / block.y};
  EmuThreadContext& at = __emu_tc;
  at.block_dim_x = block.x;
  at.block_dim_y = block.y;
  at.block_dim_z = block.z;
  at.grid_dim_x = grid.x;
  at.grid_dim_y = grid.y;
  at.grid_dim_z = grid.z;
  w.reverses_order = options().seed & 1;
  if (launch.is_counted && w.events.empty()) w.events.resize(WARP_LANES * TRACE_STRIDE);
}

void run_launch(Worker& w, Launch& launch) {
  begin_launch(w, launch);
  run_blocks(w);
  if (launch.has_ended()) reset_after_abort(w);
}

void worker_main(Worker* w) {
  prepare(*w);
  Pool& p = pool();
  std::unique_lock<std::mutex> hold(p.mutex);
  Launch*& assigned = p.assigned[w->index];
  for (;;) {
    p.has_work[w->index]->wait(hold, [&] { return assigned != nullptr; });
    Launch* launch = assigned;
    hold.unlock();
    run_launch(*w, *launch);
    hold.lock();
    assigned = nullptr;
    if (--p.running == 0) p.is_done.notify_all();
  }
}

void start_workers(Pool& p) {
  install_fault_handlers();
  p.assigned.resize(options().worker_count);
  for (unsigned i = 0; i < options().worker_count; ++i) p.has_work.push_back(new std::condition_variable);
  for (unsigned i = 0; i < options().worker_count; ++i) {
    auto* w = new Worker;
    w->index = i;
    p.workers.push_back(w);
    std::thread thread(worker_main, w);
    w->thread = thread.native_handle();
    pthread_getcpuclockid(w->thread, &w->processor_clock);
    thread.detach();
  }
}

}  // namespace

const std::vector<Worker*>& workers() {
  Pool& p = pool();
  if (p.workers.empty()) start_workers(p);
  return p.workers;
}

double clock_s(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double busiest_s(const Launch& launch) {
  double most_s = 0;
  for (const Worker* w : workers())
    if (w->timed_serial == launch.serial) most_s = std::max(most_s, clock_s(w->processor_clock) - w->processor_begin_s + w->waited_s);
  return most_s;
}

double host_s() {
  double own_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
  for (const Worker* w : workers()) own_s -= clock_s(w->processor_clock);
  return std::max(own_s, 0.0);
}

std::atomic<double> running_busy_s{0};

double running_s() { return running_busy_s; }

void run_on_workers(Launch& launch, double processor_s, double until_s) {
  constexpr auto INTERRUPT_PERIOD = std::chrono::milliseconds(20), LOOK_PERIOD = std::chrono::milliseconds(20);
  Pool& p = pool();
  const std::vector<Worker*>& all = workers();
  std::unique_lock<std::mutex> hold(p.mutex);
  const bool needs_one = launch.is_order_checked || options().is_quiet;  // what happens is looked at in its order, or must be repeatable
  p.running = needs_one ? 1 : static_cast<unsigned>(std::min<uint64_t>(all.size(), launch.block_count));
  for (unsigned i = 0; i < p.running; ++i) {
    p.assigned[i] = &launch;
    p.has_work[i]->notify_one();
  }
  auto finished = [&] { return p.running == 0; };
  while (running_busy_s < processor_s && clock_s(CLOCK_MONOTONIC) < until_s) {
    if (p.is_done.wait_for(hold, LOOK_PERIOD, finished)) break;
    running_busy_s = busiest_s(launch);
  }
  running_busy_s = 0;
  if (finished()) return;
  launch.end_at(0, CUDA_ERROR_LAUNCH_TIMEOUT);
  while (!finished()) {
    for (Worker* w : all)
      if (p.assigned[w->index]) interrupt(*w);
    p.is_done.wait_for(hold, INTERRUPT_PERIOD, finished);
  }
}

}  // namespace emu
