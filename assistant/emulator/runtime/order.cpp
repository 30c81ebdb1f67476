#include "order.h"

#include <algorithm>
#include <deque>
#include <set>

namespace emu {
namespace {

constexpr uint32_t EPOCH_MASK = (1u << 18) - 1, SYNC_MASK = (1u << 14) - 1;
constexpr size_t MOST_OPS = 1 << 20;         // fences and signals kept of one launch: 64 MiB
constexpr unsigned MOST_STEPS = 50'000;      // of one search
constexpr size_t KNOWN_ANSWERS = 1 << 12;

bool is_later_epoch(uint32_t later, uint32_t earlier) {
  uint32_t distance = (later - earlier) & EPOCH_MASK;
  return distance != 0 && distance < EPOCH_MASK / 2;
}

uint64_t mixed(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15ull + (hash << 6) + (hash >> 2);
  return hash * 0xBF58476D1CE4E5B9ull;
}

}  // namespace

void OrderLog::reset() {
  tick_ = 0;
  op_count_ = 0;
  blocks_.clear();
  reading_blocks_.clear();
  known_.assign(KNOWN_ANSWERS, {0, Ordering::unknown});
}

void OrderLog::add_fence(AccessPoint at, Scope scope) { add({at, 0, 0, false, false, scope}); }

void OrderLog::add_signal(AccessPoint at, uint64_t location, bool reads, bool writes, Scope scope) {
  add({at, 0, location, reads, writes, scope});
}

// The thread's last entry if this one is the same again: a poll.
OrderLog::Op* OrderLog::last_equal(BlockLog& log, const Op& op) {
  auto found = log.last_of_thread.find(op.at.thread);
  if (found == log.last_of_thread.end()) return nullptr;
  Op& last = log.ops[found->second];
  bool is_equal = last.location == op.location && last.reads == op.reads && last.writes == op.writes && last.scope == op.scope &&
                  last.at.epoch == op.at.epoch && last.at.sync == op.at.sync;
  return is_equal ? &last : nullptr;
}

void OrderLog::add(Op op) {
  op.at.tick = op.last_tick = ++tick_;
  BlockLog& log = blocks_[op.at.block];
  if (Op* last = last_equal(log, op)) {
    last->last_tick = op.last_tick;
    return;
  }
  if (op_count_ == MOST_OPS) return;
  ++op_count_;
  if (op.reads) {
    std::vector<size_t>& readers = log.readers[op.location];
    if (readers.empty()) reading_blocks_[op.location].push_back(op.at.block);
    readers.push_back(log.ops.size());
  }
  log.last_of_thread[op.at.thread] = log.ops.size();
  log.ops.push_back(op);
}

// Whether program order, a barrier or a warp operation puts `later` behind `earlier`, both of one block.
bool OrderLog::is_after(const AccessPoint& later, uint32_t later_tick, const AccessPoint& earlier, bool needs_syncwarp) {
  if (later_tick <= earlier.tick) return false;
  if (later.thread == earlier.thread) return true;
  if (is_later_epoch(later.epoch, earlier.epoch)) return true;
  bool is_same_warp = later.thread / WARP_LANES == earlier.thread / WARP_LANES;
  return is_same_warp && (!needs_syncwarp || ((later.sync ^ earlier.sync) & SYNC_MASK));
}

bool OrderLog::has_seen(const AccessPoint& first, const AccessPoint& second, uint64_t location) const {
  auto log = blocks_.find(second.block);
  if (log == blocks_.end()) return false;
  auto readers = log->second.readers.find(location);
  if (readers == log->second.readers.end()) return false;
  return std::any_of(readers->second.rbegin(), readers->second.rend(), [&](size_t index) {
    const Op& op = log->second.ops[index];
    return op.last_tick > first.tick && (op.at.thread == second.thread || is_after(second, tick_ + 1, op.at, true));
  });
}

bool OrderLog::take_turns(const AccessPoint& first, const AccessPoint& second) const {
  auto log = blocks_.find(second.block);
  if (log == blocks_.end()) return false;
  std::set<uint64_t> exchanged;
  for (const Op& op : log->second.ops)
    if (op.reads && op.writes && op.at.thread == first.thread) exchanged.insert(op.location);
  return std::any_of(log->second.ops.begin(), log->second.ops.end(), [&](const Op& op) {
    return op.reads && op.writes && op.at.thread == second.thread && exchanged.count(op.location);
  });
}

// A search forwards from the first access, over threads that it is known to.
class OrderLog::Search {
 public:
  Search(const OrderLog& log, const AccessPoint& second, Rules rules, bool crosses_blocks, uint64_t excluded, unsigned& steps_left)
      : log_(log), second_(second), rules_(rules), scope_(crosses_blocks ? Scope::device : Scope::block), excluded_(excluded), steps_left_(steps_left) {}

  bool run(const AccessPoint& first) {
    waiting_.push_back(first);
    while (!waiting_.empty()) {
      AccessPoint from = waiting_.front();
      waiting_.pop_front();
      if (leaves(from)) return true;
    }
    return false;
  }

 private:
  // Looks at every signal that carries what was known at `from`; true once one of them has reached the second access.
  bool leaves(const AccessPoint& from) {
    auto log = log_.blocks_.find(from.block);
    if (log == log_.blocks_.end()) return false;
    const std::vector<Op>& ops = log->second.ops;
    std::vector<const Op*> fences;
    auto begin = std::partition_point(ops.begin(), ops.end(), [&](const Op& op) { return op.last_tick <= from.tick; });
    for (auto op = begin; op != ops.end(); ++op) {
      if (steps_left_ == 0) return false;
      --steps_left_;
      if (op->location == 0) {
        if (op->scope >= scope_ && is_after(op->at, op->last_tick, from, rules_.needs_syncwarp)) fences.push_back(&*op);
        continue;
      }
      if (!op->writes || op->scope < scope_ || op->location == excluded_ || !is_carried(*op, from, fences)) continue;
      if (arrives(*op, from)) return true;
    }
    return false;
  }

  bool is_carried(const Op& signal, const AccessPoint& from, const std::vector<const Op*>& fences) const {
    if (!rules_.needs_writer_fence) return is_after(signal.at, signal.last_tick, from, rules_.needs_syncwarp);
    return std::any_of(fences.begin(), fences.end(),
                       [&](const Op* fence) { return is_after(signal.at, signal.last_tick, fence->at, rules_.needs_syncwarp); });
  }

  // Everyone who has read the location since; true if that is ordered before the second access.
  bool arrives(const Op& signal, const AccessPoint& from) {
    uint32_t sent = signal.at.tick > from.tick ? signal.at.tick : signal.last_tick;
    auto blocks = log_.reading_blocks_.find(signal.location);
    if (blocks == log_.reading_blocks_.end()) return false;
    const BlockLog* goal = reader_log(second_.block, signal.location);
    if (goal)
      for (size_t index : goal->readers.at(signal.location)) {
        const Op& op = goal->ops[index];
        if (op.last_tick > sent && op.scope >= scope_ && reaches_second(*goal, op)) return true;
      }
    for (uint32_t block : blocks->second) {
      const BlockLog* log = reader_log(block, signal.location);
      if (!log) continue;
      const std::vector<size_t>& readers = log->readers.at(signal.location);
      for (size_t index : readers) {
        const Op& op = log->ops[index];
        if (steps_left_ == 0) return false;
        --steps_left_;
        if (op.last_tick <= sent || op.scope < scope_ || &op == &signal || !visited_.insert(&op).second) continue;
        AccessPoint arrival = op.at;
        arrival.tick = op.at.tick > sent ? op.at.tick : op.last_tick;
        waiting_.push_back(arrival);
      }
    }
    return false;
  }

  const BlockLog* reader_log(uint32_t block, uint64_t location) const {
    auto log = log_.blocks_.find(block);
    return log != log_.blocks_.end() && log->second.readers.count(location) ? &log->second : nullptr;
  }

  bool is_before_second(const Op& op) const {
    return op.at.thread == second_.thread || is_after(second_, log_.tick_ + 1, op.at, rules_.needs_syncwarp);
  }

  // The programming guide's own example has no fence behind the atomic by which the last block knows itself, but one in front of it.
  bool reaches_second(const BlockLog& log, const Op& arrival) const {
    if (!is_before_second(arrival)) return false;
    if (!rules_.needs_reader_fence) return true;
    bool is_exchange = arrival.reads && arrival.writes;
    return std::any_of(log.ops.begin(), log.ops.end(), [&](const Op& op) {
      if (op.location != 0 || op.scope < scope_) return false;
      if (is_exchange && op.at.thread == arrival.at.thread && op.at.tick < arrival.last_tick) return true;
      if (is_exchange && is_after(arrival.at, arrival.last_tick, op.at, rules_.needs_syncwarp)) return true;
      return is_after(op.at, op.last_tick, arrival.at, rules_.needs_syncwarp) && is_before_second(op);
    });
  }

  const OrderLog& log_;
  const AccessPoint& second_;
  Rules rules_;
  Scope scope_;
  uint64_t excluded_;
  unsigned& steps_left_;
  std::deque<AccessPoint> waiting_;
  std::set<const Op*> visited_;
};

bool OrderLog::is_reached(const AccessPoint& first, const AccessPoint& second, uint64_t excluded, Rules rules, unsigned& steps_left) const {
  return Search(*this, second, rules, first.block != second.block, excluded, steps_left).run(first);
}

Ordering OrderLog::search(const AccessPoint& first, const AccessPoint& second, bool is_strong, uint64_t excluded) {
  if (op_count_ == MOST_OPS) return Ordering::unknown;
  unsigned steps = MOST_STEPS;
  if (is_reached(first, second, excluded, {true, !is_strong, true}, steps)) return Ordering::ordered;
  if (is_reached(first, second, excluded, {true, false, true}, steps)) return Ordering::no_reader_fence;
  if (is_reached(first, second, excluded, {true, false, false}, steps)) return Ordering::no_syncwarp;
  if (is_reached(first, second, excluded, {false, false, true}, steps)) return Ordering::no_writer_fence;
  return steps ? Ordering::unordered : Ordering::unknown;
}

Ordering OrderLog::judge(const AccessPoint& first, const AccessPoint& second, bool is_strong, uint64_t excluded) {
  if (tick_ == 0) return Ordering::unordered;
  uint64_t key = mixed(mixed(mixed(mixed(tick_, first.tick), uint64_t{first.block} << 32 | second.block),
                             uint64_t{first.epoch} << 46 | uint64_t{second.epoch & EPOCH_MASK} << 28 | uint64_t{first.sync & SYNC_MASK} << 14 | (second.sync & SYNC_MASK)),
                       mixed(uint64_t{first.thread} << 16 | second.thread, excluded + is_strong)) | 1;
  Known& known = known_[key % KNOWN_ANSWERS];
  if (known.key != key) known = {key, search(first, second, is_strong, excluded)};
  return known.ordering;
}

}  // namespace emu
