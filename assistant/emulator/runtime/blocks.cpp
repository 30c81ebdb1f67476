// Which block a worker runs when.
//
// A worker takes blocks in launch order (or a permutation of it) and runs each to its end. A block that can only be helped by
// others - it waits for the grid, or spins on memory - is parked: its shared memory is put aside and the next block runs, as the
// blocks resident on a GPU would. In a launch that is checked for order no further block starts as long as one of those that have started
// may go on: when none can, the kernel relies on blocks being resident at once, or on the order in which they start.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "faults.h"
#include "launch_limits.h"
#include "options.h"
#include "partial.h"
#include "shared_arrays.h"
#include "worker.h"

namespace emu {
namespace {

// In a launch of more blocks, those that had not started when one of a higher index failed are not looked through for lower ones.
constexpr uint64_t MOST_LOOKED_THROUGH = 1 << 20;
// A GPU starts no further block while so many wait.
constexpr long LONGEST_PAUSE_NS = 1'000'000;  // of a worker all of whose blocks wait: so that it takes no processor time to speak of
constexpr unsigned RESIDENT_BLOCKS = MULTIPROCESSORS * BLOCKS_PER_MULTIPROCESSOR;

struct Span { char* begin; size_t bytes; };

// The worker's shared variables, and of the dynamic part only what the launch asked for.
std::vector<Span> shared_spans(const Worker& w) {
  std::vector<Span> spans;
  for (const SharedVariable& variable : shared_variables())
    spans.push_back({reinterpret_cast<char*>(emu_thread.shared_begin + variable.offset), variable.is_dynamic ? w.launch->request->shared_bytes : variable.bytes});
  return spans;
}

void fill_shared(const Worker& w, uint8_t value) {
  for (Span span : shared_spans(w)) memset(span.begin, value, span.bytes);
}

void save_shared(const Worker& w, Block& block) {
  block.shared_image.clear();
  for (Span span : shared_spans(w)) block.shared_image.insert(block.shared_image.end(), span.begin, span.begin + span.bytes);
}

void restore_shared(const Worker& w, const Block& block) {
  const char* from = block.shared_image.data();
  for (Span span : shared_spans(w)) {
    memcpy(span.begin, from, span.bytes);
    from += span.bytes;
  }
}

bool is_sampled(const Launch& launch, uint64_t linear) {
  if (launch.sample_stride == 1) return true;
  uint64_t stratum = linear / launch.sample_stride;  // one block of each stratum, at a scattered position
  uint64_t scattered = (stratum + 1) * 0x9E3779B97F4A7C15ull >> 33;
  return linear % launch.sample_stride == scattered % launch.sample_stride;
}

void enter_block(Worker& w, Block& block) {
  const EmuDim3& grid = w.launch->request->grid;
  EmuThreadContext& at = __emu_tc;
  at.block_x = static_cast<unsigned>(block.linear % grid.x);
  at.block_y = static_cast<unsigned>(block.linear / grid.x % grid.y);
  at.block_z = static_cast<unsigned>(block.linear / grid.x / grid.y);
  w.block = &block;
  w.block_end = end_of(block.linear, LAST_ERROR);
  ++w.barrier_epoch;
}

uint64_t linear_at(const Launch& launch, uint64_t position) {
  const std::vector<uint64_t>& chosen = options().chosen_blocks;
  if (!chosen.empty()) return chosen[position];
  if (launch.last_position && position == 1) return launch.block_count - 1;
  if (launch.last_position && position == launch.last_position) position = 1;
  return static_cast<uint64_t>((static_cast<unsigned __int128>(position) * launch.order_multiplier + launch.order_offset) % launch.block_count);
}

// The next place in the launch's order; run_count or more when there is none. Where time is limited it is looked at before each power of two
// of blocks alone, and it is the processor's: what ran then does not depend on how busy the machine is, as long as it is about as fast. Where
// the program's time by the clock is nearly over, the launch ends at once: it would be stopped as one that hangs.
uint64_t take_position(Launch& launch) {
  if (!launch.is_limited) return launch.next_block.fetch_add(1);
  static std::mutex& one_at_a_time = *new std::mutex;
  std::lock_guard<std::mutex> hold(one_at_a_time);
  uint64_t position = launch.next_block.load();
  if (position >= launch.run_count) return position;
  const bool is_power_of_two = !(position & (position - 1));
  if (position && (is_power_of_two ? is_time_up(launch, position) : is_late())) {
    launch.is_cut = true;
    launch.blocks_run = position;
    launch.next_block = position = launch.run_count;
  } else {
    launch.next_block = position + 1;
  }
  return position;
}

class BlockQueue {
 public:
  explicit BlockQueue(Worker& w) : w_(w), resident_limit_(std::max(1u, RESIDENT_BLOCKS / options().worker_count)) {}

  void run() {
    w_.shared_is_tracked = true;
    holds_back_ = w_.launch->is_order_checked;
    while (!w_.launch->has_ended()) {
      std::unique_ptr<Block> block = take_held_back();
      if (!block) block = take_fresh();
      if (!block) block = take_parked();
      if (!block) break;
      if (run_until_idle(w_, *block)) finish(std::move(block));
      else park(std::move(block));
    }
    if (!parked_.empty()) report_timeout(w_, *parked_.front());
    parked_.clear();
    if (w_.launch->has_ended() && may_have_lower()) run_lower();
  }

 private:
  // Whether a block below the one whose fault ended the launch may not have started: not where blocks start in the order of their indices.
  bool may_have_lower() const {
    const Launch& launch = *w_.launch;
    bool is_in_order = launch.order_multiplier == 1 && launch.order_offset == 0 && !launch.last_position && options().chosen_blocks.empty();
    return !is_in_order && launch.run_count <= MOST_LOOKED_THROUGH;
  }

  // One of them may have that fault, too. What waits for others is given up: what it waits for may never come.
  void run_lower() {
    reset_after_abort(w_);
    while (w_.launch->error() != CUDA_ERROR_LAUNCH_TIMEOUT) {
      std::unique_ptr<Block> block = take_fresh();
      if (!block) return;
      if (run_until_idle(w_, *block)) {
        finish(std::move(block));
      } else {
        reset_after_abort(w_);
        spare_ = std::move(block);
      }
    }
  }

  std::unique_ptr<Block> take_fresh() {
    Launch& launch = *w_.launch;
    if (parked_.size() >= resident_limit_ || launch.next_block.load(std::memory_order_relaxed) >= launch.run_count) return nullptr;
    uint64_t position, linear;
    do {
      position = take_position(launch);
      if (position >= launch.run_count) return nullptr;
      linear = linear_at(launch, position);
    } while (end_of(linear, LAST_ERROR) >= launch.end.load(std::memory_order_relaxed));
    std::unique_ptr<Block> block = spare_ ? std::move(spare_) : std::make_unique<Block>();
    begin_block(w_, *block, linear);
    block->is_counted = launch.is_counted && position < launch.counted_positions && is_sampled(launch, linear);
    if (block->is_counted) launch.blocks_counted.fetch_add(1, std::memory_order_relaxed);
    enter_block(w_, *block);
    if (options().shared_fill) fill_shared(w_, *options().shared_fill);
    return block;
  }

  // The next parked block that can move; waits for other workers while none can.
  std::unique_ptr<Block> take_parked() {
    Launch& launch = *w_.launch;
    timespec pause{0, 50'000};
    while (!parked_.empty() && !launch.has_ended()) {
      for (size_t i = 0; i < parked_.size(); ++i) {
        std::unique_ptr<Block> block = std::move(parked_.front());
        parked_.pop_front();
        if (block->waits_for_grid && launch.grid_phase.load() == block->grid_phase) {
          parked_.push_back(std::move(block));
          continue;
        }
        resume(*block);
        return block;
      }
      pass_grid_barrier(launch);
      nanosleep(&pause, nullptr);
      w_.waited_s = w_.waited_s + 1e-9 * static_cast<double>(pause.tv_nsec);
      pause.tv_nsec = std::min(2 * pause.tv_nsec, LONGEST_PAUSE_NS);
    }
    return nullptr;
  }

  void resume(Block& block) {
    enter_block(w_, block);
    restore_shared(w_, block);
    if (block.waits_for_grid) release_grid_barrier(block);
  }

  // The next parked block, before any further one starts; nullptr once all of them have been tried in vain.
  std::unique_ptr<Block> take_held_back() {
    constexpr unsigned FRUITLESS_ROUNDS = 3;   // a wait may be for one of several things
    if (!holds_back_ || parked_.empty() || parked_.front()->waits_for_grid) return nullptr;
    if (fruitless_ >= FRUITLESS_ROUNDS * parked_.size()) {
      if (w_.launch->next_block.load() < w_.launch->run_count) report_reliance(*parked_.front());
      return nullptr;
    }
    std::unique_ptr<Block> block = std::move(parked_.front());
    parked_.pop_front();
    resume(*block);
    return block;
  }

  // All blocks that have started wait, and others have not started.
  void report_reliance(Block& block) {
    holds_back_ = false;
    const Launch& launch = *w_.launch;
    unsigned thread = 0;
    if (launch.request->is_cooperative || !find_spinning(w_, block, thread)) return;
    uint64_t started = launch.next_block.load();
    bool has_higher = false;
    for (uint64_t position = started; position < launch.run_count && !has_higher; ++position) has_higher = linear_at(launch, position) > block.linear;
    uint32_t pc = block.lanes[thread].pc;
    static std::map<uint32_t, bool>& waits_for_higher = *new std::map<uint32_t, bool>;
    if (waits_for_higher.emplace(pc, has_higher).first->second != has_higher) return;  // a wait for all others has been reported as the first
    enter_block(w_, block);
    if (has_higher)
      report(w_, "co_residency", pc, 0, 0, thread,
             "waits for a block that has not started: right only while all %llu blocks of the launch are on the GPU at once, as a cooperative launch ensures",
             static_cast<unsigned long long>(launch.block_count));
    else
      report(w_, "block_order", pc, 0, 0, thread,
             "waits for a block of lower index, one of %llu: right only if that one starts first, and CUDA starts blocks in any order",
             static_cast<unsigned long long>(launch.block_count));
  }

  void note_progress(const Block& block) {
    bool has_moved = block.exited_threads != block.exited_when_parked || block.epoch != block.epoch_when_parked;
    fruitless_ = has_moved ? 0 : fruitless_ + 1;
  }

  void park(std::unique_ptr<Block> block) {
    if (w_.launch->has_ended()) return report_timeout(w_, *block);  // what it waits for may never come
    note_progress(*block);
    block->exited_when_parked = block->exited_threads;
    block->epoch_when_parked = block->epoch;
    save_shared(w_, *block);
    w_.shared_is_tracked = false;
    block->was_parked = true;
    if (block->waits_for_grid && block->is_new_at_grid) {
      block->is_new_at_grid = false;
      block->grid_phase = w_.launch->grid_phase.load();
      w_.launch->blocks_at_grid_barrier.fetch_add(1);
      pass_grid_barrier(*w_.launch);
    }
    parked_.push_back(std::move(block));
  }

  void finish(std::unique_ptr<Block> block) {
    if (block->is_counted) note_steps(*block);
    w_.launch->blocks_finished.fetch_add(1);
    fruitless_ = 0;
    spare_ = std::move(block);
    if (!parked_.empty()) pass_grid_barrier(*w_.launch);
  }

  void note_steps(const Block& block) {
    Steps own;
    for (unsigned i = 0; i < w_.launch->warps_per_block; ++i) {
      own.sum += block.warps[i].steps;
      own.longest_warp = std::max(own.longest_warp, block.warps[i].steps);
    }
    own.longest_block = own.sum;
    own.block_squares = static_cast<double>(own.sum) * static_cast<double>(own.sum);
    w_.steps.add(own);
  }

  // Opens the grid barrier when every block has arrived or finished. Exactly one caller succeeds.
  static void pass_grid_barrier(Launch& launch) {
    uint64_t arrived = launch.blocks_at_grid_barrier.load();
    if (arrived == 0 || arrived + launch.blocks_finished.load() < launch.block_count) return;
    if (launch.blocks_at_grid_barrier.compare_exchange_strong(arrived, 0)) {
      advance_race_serial(launch, false);
      launch.grid_phase.fetch_add(1);
    }
  }

  Worker& w_;
  size_t resident_limit_;
  bool holds_back_ = false;
  size_t fruitless_ = 0;                      // parked blocks that were tried one after another and did not get on
  std::deque<std::unique_ptr<Block>> parked_;
  std::unique_ptr<Block> spare_;
};

}  // namespace

void run_blocks(Worker& w) {
  emu_thread.keeps_stored = w.launch->checks_global_races;
  emu_thread.last_store = nullptr;
  BlockQueue(w).run();
}

}  // namespace emu
