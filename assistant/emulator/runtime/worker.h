// The state of one worker thread: the block it runs, its warps and lanes, its fibers, and what it has counted.
//
// A worker runs one block at a time. Within a block it runs warp after warp, each up to its next barrier; within a warp, lane
// after lane. `scheduler.cpp` moves lanes between the sets below; `align.cpp` turns their traces into warp instructions.
#pragma once
#include <atomic>
#include <pthread.h>
#include <time.h>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "abi.h"
#include "copies.h"
#include "corrections.h"
#include "counters.h"
#include "order.h"
#include "problems.h"
#include "shadow.h"
#include "stacks.h"
#include "trace.h"

namespace emu {

// What ends a launch: a block and an error in one number, so that of several ends the lowest block's is the least.
constexpr uint64_t NO_END = ~uint64_t{0}, LAST_ERROR = 0xFFFF;
constexpr uint64_t end_of(uint64_t block, uint64_t error) { return block * (LAST_ERROR + 1) | error; }

// One launch while it runs; shared by all workers.
struct Launch {
  const EmuLaunch* request = nullptr;
  uint64_t block_count = 0;
  unsigned threads_per_block = 0;
  unsigned warps_per_block = 0;
  uint32_t serial = 0;                       // 1-based; marks shadow memory of this launch
  bool is_counted = false;
  bool is_checked = false;
  bool checks_global_races = false;
  bool has_byte_cells = false;               // there is memory to look for races on parts of words (shadow.h)
  bool is_order_checked = false;             // its blocks may signal to each other: it runs on one worker, and their order is looked at
  uint64_t sample_stride = 1;                // one block of so many is counted
  uint64_t order_multiplier = 1, order_offset = 0;  // block order: (i * multiplier + offset) mod block_count
  double budget_s = 0;                       // processor time after which no further blocks start unless all will soon have run
  bool is_limited = false;                   // by that; else all blocks are run
  uint64_t last_position = 0;                // where the last block comes in that order if it is to run second instead; 0: as it comes
  uint64_t counted_positions = ~uint64_t{0}; // of the blocks in their order, so many are counted
  uint64_t run_count = 0;                    // blocks that run: all, or those that a replay has chosen
  std::atomic<bool> is_cut{false};           // time was up: only `blocks_run` of them ran
  uint64_t blocks_run = 0;
  std::atomic<uint64_t> next_block{0};
  std::atomic<uint64_t> blocks_counted{0};
  std::atomic<uint64_t> grid_unique_sectors{0};
  std::atomic<bool> is_beyond_counters{false};  // it uses what the counters do not model: textures, tensor cores
  std::atomic<bool> has_snapshots{false};    // snapshots.h
  std::atomic<uint32_t> race_serial{0};      // accesses of another race serial are ordered: other launches, other grid phases
  std::atomic<uint32_t> first_race_serial{0};  // of this launch
  std::atomic<uint64_t> grid_phase{0};       // completed grid barriers
  std::atomic<uint64_t> blocks_at_grid_barrier{0}, blocks_finished{0};
  std::atomic<uint64_t> end{NO_END};         // as of `end_of`

  // The block and all above it stop. Those below it go on, as each may have a fault of its own.
  void end_at(uint64_t block, int error) {
    uint64_t now = end.load(), wanted = end_of(block, static_cast<uint64_t>(error));
    while (wanted < now && !end.compare_exchange_weak(now, wanted)) {}
  }
  bool has_ended() const { return end.load(std::memory_order_relaxed) != NO_END; }
  uint64_t end_block() const { return end.load() / (LAST_ERROR + 1); }
  int error() const { return has_ended() ? static_cast<int>(end.load() & LAST_ERROR) : 0; }
};

enum class WarpOperation : uint8_t { sync, shuffle, vote, match, reduce, activemask, multiply };

// What a switch at a barrier needs comes first, in one cache line.
struct alignas(64) Lane {
  void* stack_pointer = nullptr;             // saved context while suspended
  char* stack = nullptr;                     // the fiber it was suspended on; nullptr until then
  Event* trace = nullptr;
  Event* trace_end = nullptr;
  EmuDim3 thread_id{};                       // threadIdx
  uint32_t pc = 0;                           // where it waits
  uint64_t local_top = 0;                    // local memory lies below
  WarpOperation operation = WarpOperation::sync;
  uint16_t atomic_flags = 0;                 // of its next atomic: EVENT_BLOCK_SCOPE, EVENT_UNREAD
  uint8_t polled_traces = 0;                 // full traces that only read `polled`
  unsigned mask = 0, argument = 0, width = 0, mode = 0;
  uint64_t value = 0, result = 0;
  unsigned spins = 0, spins_in_turn = 0;
  int* all_equal = nullptr;
  AsyncCopies* copies = nullptr;             // that it has not waited for
  uint64_t polled = 0;                       // the one address that it has read for a whole trace, without doing anything else
};
static_assert(sizeof(Lane) == 128);          // two cache lines: a barrier passes all lanes of a block

// Sets of lanes, one bit each. A lane is in exactly one of fresh, ready, yielded, at_barrier, in_operation and exited;
// `full` marks ready lanes that wait for their trace to be analysed.
struct Warp {
  uint32_t all = 0, fresh = 0, ready = 0, yielded = 0, at_barrier = 0, in_operation = 0, exited = 0, full = 0;
  uint64_t steps = 0;                        // basic blocks that it executed, where they are counted
  uint32_t sync_epoch = 0;                   // counts warp operations, for the missing-__syncwarp check
};

struct Barrier {
  unsigned arrived = 0;
  unsigned expected = 0;                     // 0: every thread that has not exited
  int predicate_sum = 0;
  int result_sum = 0;                        // of the last completed phase
  unsigned result_arrived = 0;
  uint32_t pc = 0, other_pc = 0;             // two sites whose threads wait for each other
  unsigned other_thread = 0;
};
constexpr unsigned NAMED_BARRIERS = 16;      // PTX ISA, bar.sync: barriers 0 to 15
constexpr unsigned GRID_BARRIER = NAMED_BARRIERS;

struct Block {
  uint64_t linear = 0;
  uint32_t serial = 0;                       // unique on its worker
  uint32_t epoch = 0;                        // barriers that it has passed
  bool is_counted = false;
  bool is_new_at_grid = false;               // has reached the grid barrier, is not yet booked as arrived
  unsigned exited_threads = 0;
  unsigned threads_at_end = 0;               // of them and those about to be: ran to the end of the body, where that is noted
  bool uses_only_barrier_0 = true;
  bool waits_for_grid = false;
  bool was_parked = false;                   // and has met no barrier since: it probably still spins
  unsigned exited_when_parked = 0;
  uint32_t epoch_when_parked = 0;
  uint64_t grid_phase = 0;                   // the grid barrier phase it waits for the end of
  Barrier barriers[NAMED_BARRIERS + 1];
  Warp warps[MAX_BLOCK_WARPS];
  std::unique_ptr<Lane[]> lanes{new Lane[MAX_BLOCK_THREADS + 1]};  // the one behind the last is only looked at
  std::unique_ptr<uint8_t[]> barrier_of{new uint8_t[MAX_BLOCK_THREADS]()};  // all 0 while uses_only_barrier_0
  std::vector<char> shared_image;            // its shared memory while it is parked
};

struct Worker {
  unsigned index = 0;
  Launch* launch = nullptr;
  Block* block = nullptr;
  uint64_t block_end = 0;                    // a launch that ends here or before has ended for the block
  unsigned warp_index = 0;
  Lane* current = nullptr;                   // the running lane; nullptr in the scheduler
  unsigned current_thread = 0;               // its index in the block
  void* scheduler_context = nullptr;
  char* runner_stack = nullptr;              // the fiber that starts fresh lanes
  StackPool stacks;
  double products[MAX_BLOCK_THREADS][4];     // each thread's sums of the latest product of doubles
  std::vector<Event> events;                 // WARP_LANES trace buffers, shared by the warps in turn
  Counters counters;
  std::vector<PendingAccess> pending;        // by correction; of the current warp
  ProblemLog problems;
  SharedShadow shared_shadow;
  SectorShadow sectors;                      // of the current block
  OrderLog order_log;
  OrderLog* order = nullptr;                 // the log, in a launch that is checked for order
  std::set<std::pair<uint32_t, uint32_t>> settled_races;  // of such a launch: pairs of places that need not be judged again
  uint64_t block_unique_sectors = 0;         // summed over blocks
  DistinctSectors atomic_sectors;            // of the launch
  Steps steps;                               // of the launch
  uint32_t barrier_epoch = 1;                // over all blocks of this worker
  uint32_t last_block_serial = 0;
  std::vector<EmuDim3> thread_ids;           // threadIdx of each thread of a block
  bool shared_is_tracked = true;             // whether "never written" in the shared shadow means uninitialised
  bool reverses_order = false;
  int in_core = 0;                           // > 0: inside code that the watchdog must not leave
  pthread_t thread{};
  clockid_t processor_clock{};               // of that thread
  std::atomic<uint32_t> timed_serial{0};     // the launch that it runs or ran last
  std::atomic<double> processor_begin_s{0};  // its processor time when it began with that
  std::atomic<double> waited_s{0};           // for blocks of other workers, since then
};

// All thread-local state of the core, so that the rest of the program's thread-local segment is the kernels' shared memory.
struct ThreadState {
  Event* cursor;                             // where the next event goes; nullptr: not counting
  Event* limit;
  Event* last_store;                         // the running lane's, whose value is not noted yet; nullptr: none, or values are not kept
  bool keeps_stored;                         // the launch is checked for races
  Worker* worker;                            // nullptr on the program's own threads
  uint64_t arena_begin, arena_size;
  uint64_t shared_begin, shared_size;
  uint64_t stacks_begin, stacks_size;
};
extern "C" __thread ThreadState emu_thread;

inline Worker* worker() { return emu_thread.worker; }
inline bool on_device() { return emu_thread.worker && emu_thread.worker->current; }

// Scheduling primitives for code that runs on a lane (scheduler.cpp). Each returns when the lane runs again.
void suspend();                              // the caller has moved the lane into another set
void yield_in_warp();                        // let the warp's other lanes take a step
void yield_in_block();                       // let other warps run, for spin loops
void trace_is_full();

// Runs blocks of the worker's launch until none is left (blocks.cpp).
void run_blocks(Worker& w);
// Starts a block's state afresh; runs it until all its threads have exited, or until it can only be helped by other blocks
// (scheduler.cpp). Returns whether all threads exited.
void begin_block(Worker& w, Block& block, uint64_t linear);
bool run_until_idle(Worker& w, Block& block);
void release_grid_barrier(Block& block);
// The first thread of the block that spins; false if none does.
bool find_spinning(const Worker& w, const Block& block, unsigned& thread);
// The watchdog's order may arrive while no thread runs: then the place is where one of the block's threads waits.
void report_timeout(Worker& w, const Block& block);
void reset_after_abort(Worker& w);

// Analyses the traces of the current warp. `is_final`: nothing more can arrive before the next barrier.
void align_traces(Worker& w, bool is_final);
// Completes the current warp's operations whose lanes have all arrived, or that can no longer get another arrival. Both return
// whether any lane became ready (warp_ops.cpp).
bool complete_arrived_operations(Worker& w);
bool complete_stuck_operations(Worker& w);
// Arrival of the current lane; returns when its barrier phase is over (sync.cpp).
void wait_at_barrier(unsigned id, unsigned expected, int predicate, uint32_t pc);
// Lets threads pass that wait at complete barriers; returns whether any did. `by_force` also ends incomplete ones, with a report.
bool release_barriers(Worker& w, Block& block, bool by_force);

// Ends the launch from a lane: records the problem, sets the launch's error and leaves the lane for good.
[[noreturn]] void abort_launch(const char* kind, uint32_t pc, uint64_t address, const char* message, int error);

// Notes the value of the running lane's last store, which has been done by now.
void note_stored();
// Appends one event to the running lane's trace.
void record_event(void* address, unsigned kind, unsigned size_bytes, uint32_t pc);
// Called by operations that spin loops are made of: now and then lets other warps run.
void pace_spinning(unsigned weight);
// Lets the warp's other lanes take the same step; after very many steps, other warps too.
void step_in_turn();
constexpr unsigned SPIN_LIKELY = 16, SPIN_UNLIKELY = 1;  // compare-and-swap, volatile, fence; other atomics
// A store outside device memory: returns if the kernel may do it, else ends the launch.
void judge_foreign_store(uint64_t address, uint32_t pc);
extern bool program_has_hooks;               // the program was compiled with memory access hooks
extern bool program_communicates;            // its device code holds what blocks could signal to each other with

// Separates what follows from all accesses before: at a launch's start and behind a grid barrier.
void advance_race_serial(Launch& launch, bool is_first);

// The running launch uses what the counters do not model: it gets none, which is said once for each `what` (a literal).
void note_beyond_counters(const char* what);

// Where the lane of the running warp stands, for the order log.
AccessPoint here(const Worker& w, unsigned lane);

inline unsigned thread_index(const Worker& w, unsigned lane) { return w.warp_index * WARP_LANES + lane; }

}  // namespace emu
