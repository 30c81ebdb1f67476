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
constexpr double WALL_SHARE = 4;              // of processor time, for how long it may take on a busy machine
constexpr double LAST_LAUNCH_SHARE = 0.05;    // of a launch's time by the clock, for one that begins when the program's launches have had theirs
constexpr double LAUNCHES_OF_PROGRAM = 0.7, ALL_OF_PROGRAM = 0.9;  // of the time that the program has by the clock, at most

const double loaded_s = clock_s(CLOCK_MONOTONIC);

// Of the first launch.
struct Begin { double wall_s, host_s; };
const Begin& begin() {
  static const Begin first{clock_s(CLOCK_MONOTONIC), host_s()};
  return first;
}

std::atomic<double>& launches_s() {
  static std::atomic<double>& sum = *new std::atomic<double>{0};
  return sum;
}

// Processor time of launches that have ended, and of the program between them.
double spent_s() { return launches_s() + host_s() - begin().host_s; }

bool is_case_limited() { return options().case_processor_s > 0; }

// By the clock, for what may take so much of the processor: however busy the machine is, before the program's own time is over.
bool is_clock_up(double processor_s, double share_of_program) {
  const double now_s = clock_s(CLOCK_MONOTONIC);
  return now_s - begin().wall_s >= WALL_SHARE * std::max(processor_s, LEAST_S) || now_s - loaded_s >= share_of_program * options().launch_wall_s;
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

// What launches, and the program between them, may still take.
double left_s() {
  if (is_late()) return 0;
  return std::max(options().whole_s - spent_s(), 0.0);
}

// Blocks that wait for others of their launch cannot be run in part.
bool may_be_cut(const EmuLaunch& request) {
  return options().whole_s > 0 && options().mode != Mode::plain && !request.is_cooperative && !program_communicates;
}

}  // namespace

void limit_time(Launch& launch) {
  if (!launch.is_counted || !may_be_cut(*launch.request) || launch.block_count < 2) return;
  launch.is_limited = true;
  launch.budget_s = std::min(LAUNCH_SHARE * options().whole_s, left_s());
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

bool is_late() { return is_clock_up(options().whole_s, LAUNCHES_OF_PROGRAM); }

bool is_time_up(const Launch& launch, uint64_t position) {
  const double used_s = busiest_s(launch);
  if (is_late()) return true;
  if (used_s <= launch.budget_s) return false;
  double end_s = used_s * static_cast<double>(launch.run_count - position) / static_cast<double>(position);
  if (end_s <= left_s() - used_s) return false;
  return position >= LEAST_BLOCKS_RUN || used_s > std::max(PATIENCE * LAUNCH_SHARE * options().whole_s, LEAST_S);
}

double launch_until_s() {
  static const double programs_until_s = loaded_s + options().launch_wall_s;  // probes shorten it for a launch, never for the program
  const double now_s = clock_s(CLOCK_MONOTONIC), wall_s = options().launch_wall_s;
  if (is_case_limited()) return now_s + wall_s;
  return std::min(now_s + wall_s, std::max(programs_until_s, now_s + LAST_LAUNCH_SHARE * wall_s));
}

double case_left_s() { return is_case_limited() ? std::max(options().case_processor_s - spent_s(), 0.0) : options().launch_wall_s; }

void begin_case() {
  if (is_case_limited()) launches_s() = begin().host_s - host_s();
}

void note_spent(const Launch& launch) {
  if (launch.is_limited || is_case_limited()) launches_s() = launches_s() + busiest_s(launch);
}

bool is_left_out(const EmuLaunch& request) {
  using Shape = std::tuple<const void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, size_t>;
  static std::map<Shape, unsigned>& run = *new std::map<Shape, unsigned>;
  if (!may_be_cut(request)) return false;
  unsigned& count = run[{request.function, request.grid.x, request.grid.y, request.grid.z, request.block.x, request.block.y, request.block.z, request.shared_bytes}];
  if (count < LEAST_LAUNCHES_RUN || left_s() > 0) {
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
    constexpr useconds_t PERIOD_US = 50'000;
    const double most_s = PROGRAM_SHARE * options().whole_s + FURTHER_S;
    while (spent_s() + running_s() < most_s && !is_clock_up(most_s, ALL_OF_PROGRAM)) usleep(PERIOD_US);
    flush_record();
    flush_report();
    _exit(0);
  }).detach();
}

}  // namespace emu
