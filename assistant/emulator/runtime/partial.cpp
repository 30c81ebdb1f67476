#include "partial.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <numeric>
#include <thread>
#include <time.h>
#include <tuple>
#include <unistd.h>

#include "options.h"
#include "pool.h"
#include "record.h"
#include "report.h"

namespace emu {
namespace {

constexpr double LAUNCH_SHARE = 0.2;          // of the time of all launches, for one that does not end in what is left
constexpr double PROGRAM_SHARE = 2;           // of it, for the whole program once something was left out
constexpr double FURTHER_S = 2;               // and so much more
constexpr uint64_t LEAST_BLOCKS_RUN = 64;     // counters rest on no fewer, unless these take too long as well
constexpr double PATIENCE = 2, LEAST_S = 1;   // a launch may take so many times its share for the least blocks, or so long
constexpr unsigned LEAST_LAUNCHES_RUN = 2;    // of each shape

double now_s() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Of the first launch.
double begin_s() {
  static const double begin = now_s();
  return begin;
}

std::atomic<bool>& left_out_flag() {
  static std::atomic<bool>& flag = *new std::atomic<bool>{false};
  return flag;
}

// The x with factor · x = 1 modulo `modulus`; they share no divisor.
uint64_t inverse(uint64_t factor, uint64_t modulus) {
  __int128 old_r = factor, r = modulus, old_s = 1, s = 0;
  while (r) {
    __int128 quotient = old_r / r, next_r = old_r - quotient * r, next_s = old_s - quotient * s;
    old_r = r, r = next_r, old_s = s, s = next_s;
  }
  return static_cast<uint64_t>((old_s % modulus + modulus) % modulus);
}

double all_until_s() { return begin_s() + options().whole_s; }

// Blocks that wait for others of their launch cannot be run in part.
bool may_be_cut(const EmuLaunch& request) {
  return options().whole_s > 0 && options().mode != Mode::plain && !request.is_cooperative && !program_communicates;
}

}  // namespace

void limit_time(Launch& launch) {
  if (!launch.is_counted || !may_be_cut(*launch.request) || launch.block_count < 2) return;
  launch.begin_s = now_s();
  launch.budget_until_s = launch.begin_s + std::min(LAUNCH_SHARE * options().whole_s, std::max(all_until_s() - launch.begin_s, 0.0));
  if (launch.block_count <= LEAST_BLOCKS_RUN) return;
  // Steps of the golden section: however far the launch gets, the blocks that ran lie evenly over the grid.
  launch.order_offset = 0;
  launch.order_multiplier = std::max<uint64_t>(static_cast<uint64_t>(0.6180339887498949 * static_cast<double>(launch.block_count)), 1);
  while (std::gcd(launch.order_multiplier, launch.block_count) != 1) ++launch.order_multiplier;
  // The last block, which often has less to do than others, runs second.
  launch.last_position = launch.block_count - inverse(launch.order_multiplier, launch.block_count);
  launch.sample_stride = 1;
  if (options().sample_blocks && !launch.is_checked) launch.counted_positions = options().sample_blocks;
}

bool is_time_up(const Launch& launch, uint64_t position) {
  const double now = now_s(), used_s = now - launch.begin_s;
  if (now <= launch.budget_until_s) return false;
  double end_s = now + used_s * static_cast<double>(launch.run_count - position) / static_cast<double>(position);
  if (end_s <= all_until_s()) return false;
  return position >= LEAST_BLOCKS_RUN || used_s > std::max(PATIENCE * LAUNCH_SHARE * options().whole_s, LEAST_S);
}

bool is_left_out(const EmuLaunch& request) {
  using Shape = std::tuple<const void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, size_t>;
  static std::map<Shape, unsigned>& run = *new std::map<Shape, unsigned>;
  if (!may_be_cut(request)) return false;
  unsigned& count = run[{request.function, request.grid.x, request.grid.y, request.grid.z, request.block.x, request.block.y, request.block.z, request.shared_bytes}];
  if (count < LEAST_LAUNCHES_RUN || now_s() <= all_until_s()) {
    ++count;
    return false;
  }
  end_soon();
  return true;
}

bool has_left_out() { return left_out_flag(); }

void end_soon() {
  if (left_out_flag().exchange(true)) return;
  std::thread([] {
    double left_s = begin_s() + PROGRAM_SHARE * options().whole_s + FURTHER_S - now_s();
    if (left_s > 0) usleep(static_cast<useconds_t>(1e6 * left_s));
    flush_record();
    flush_report();
    _exit(0);
  }).detach();
}

}  // namespace emu
