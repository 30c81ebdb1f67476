// emu_launch: is the configuration valid, run the grid, report, keep the error.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>

#include "faults.h"
#include "graphs.h"
#include "launch_limits.h"
#include "memory.h"
#include "options.h"
#include "partial.h"
#include "pool.h"
#include "probes.h"
#include "record.h"
#include "report.h"
#include "snapshots.h"
#include "streams.h"

#define EMU_CALLER static_cast<uint32_t>(reinterpret_cast<uint64_t>(__builtin_return_address(0)))

namespace emu {
namespace {

// The race table takes 8 bytes for each byte of device memory (shadow.h), and 32 more where parts of words are accessed: it may use half
// of the memory limit.
constexpr size_t RACE_TABLE_SHARE = 2 * sizeof(GlobalCell) / sizeof(uint32_t), BYTE_TABLE_SHARE = RACE_TABLE_SHARE + 2 * sizeof(GlobalCell);

// Launches that are not counted have little to tell: kernel, configuration and error.
constexpr uint64_t PLAIN_LAUNCHES_REPORTED = 1024;

struct DeviceError {
  std::mutex mutex;
  int last = CUDA_SUCCESS;
  int sticky = CUDA_SUCCESS;   // a fault ends the context: every later call fails with it
  std::map<const void*, size_t> dynamic_shared_limits;
};
DeviceError& device() {
  static DeviceError& instance = *new DeviceError;
  return instance;
}

struct Refusal { int error; const char* message; };

Refusal refuse(const EmuLaunch& l) {
  uint64_t threads = count(l.block);
  if (threads == 0) return {CUDA_ERROR_INVALID_CONFIGURATION, "a block dimension is 0"};
  if (l.block.x > MAX_BLOCK_X || l.block.y > MAX_BLOCK_X || l.block.z > MAX_BLOCK_Z || threads > MAX_BLOCK_THREADS)
    return {CUDA_ERROR_INVALID_CONFIGURATION, "a block has at most 1024 threads, and at most 1024 x 1024 x 64 of them along its axes"};
  if (count(l.grid) == 0) return {CUDA_ERROR_INVALID_CONFIGURATION, "a grid dimension is 0"};
  if (l.grid.x > MAX_GRID_X || l.grid.y > MAX_GRID_YZ || l.grid.z > MAX_GRID_YZ)
    return {CUDA_ERROR_INVALID_CONFIGURATION, "a grid has at most 2147483647 x 65535 x 65535 blocks"};
  if (l.shared_bytes > EMU_MAX_DYNAMIC_SHARED_BYTES) return {CUDA_ERROR_INVALID_VALUE, "more than 227 KiB of shared memory a block"};
  if (l.shared_bytes > emu_dynamic_shared_limit(l.function))
    return {CUDA_ERROR_INVALID_VALUE, "more than 48 KiB of dynamic shared memory without cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize)"};
  if (l.is_cooperative && !fits_at_once(l.grid, l.block))
    return {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "a cooperative grid must be resident at once"};
  return {CUDA_SUCCESS, nullptr};
}

// Blocks that may wait for each other start in one of two orders: then what they wait for has a lower or a higher index. A replay tries
// both, the usual one first (probes.h).
void permute_blocks(Launch& launch, uint64_t seed) {
  if (launch.is_order_checked) {
    bool is_reversed = options().replay_directory.empty() ? seed & 1 : options().reverses_blocks;
    if (!is_reversed) return;
    launch.order_multiplier = std::max<uint64_t>(launch.block_count - 1, 1);
    launch.order_offset = launch.block_count - 1;
    return;
  }
  if (seed == 0 || launch.block_count < 2) return;
  uint64_t mixed = (seed + 1) * 0x9E3779B97F4A7C15ull;
  launch.order_multiplier = (mixed >> 20) % launch.block_count | 1;
  while (std::gcd(launch.order_multiplier, launch.block_count) != 1) ++launch.order_multiplier;
  launch.order_offset = (mixed >> 7) % launch.block_count;
}

void describe(Launch& launch, const EmuLaunch& request, uint32_t serial, bool is_reported) {
  const Options& o = options();
  launch.request = &request;
  launch.block_count = count(request.grid);
  launch.threads_per_block = request.block.x * request.block.y * request.block.z;
  launch.warps_per_block = (launch.threads_per_block + WARP_LANES - 1) / WARP_LANES;
  launch.serial = serial;
  advance_race_serial(launch, true);
  launch.is_checked = program_has_hooks && o.mode == Mode::check;
  launch.checks_global_races = launch.is_checked && emu_memory_used() <= options().memory_bytes / RACE_TABLE_SHARE && program_image().text_end < CELL_PC_LIMIT;
  launch.has_byte_cells = emu_memory_used() <= options().memory_bytes / BYTE_TABLE_SHARE;
  launch.is_order_checked = launch.checks_global_races && program_communicates;
  if (launch.is_checked && !launch.checks_global_races) emu_unsupported("race check of global memory: the program's arrays are too large for it");
  launch.is_counted = launch.is_checked || (program_has_hooks && o.mode == Mode::count && is_reported);
  if (o.sample_blocks && launch.block_count > o.sample_blocks && !launch.is_checked) launch.sample_stride = launch.block_count / o.sample_blocks;
  launch.run_count = o.chosen_blocks.empty() ? launch.block_count : o.chosen_blocks.size();
  if (!o.chosen_blocks.empty()) launch.sample_stride = 1;
  permute_blocks(launch, o.seed);
  limit_time(launch);
}

// What is wrong was found all the same.
void drop_counters(LaunchReport& report) {
  report.sites.clear();
  report.blocks_counted = report.grid_unique_sectors = report.block_unique_sectors = report.atomic_unique_sectors = 0;
  report.steps = {};
}

LaunchReport collect(Launch& launch) {
  LaunchReport result;
  std::vector<std::vector<Problem>> logs;
  DistinctSectors atomic_sectors;
  for (Worker* w : workers()) {
    w->counters.drain_into(result.sites);
    logs.push_back(w->problems.take());
    result.block_unique_sectors += w->block_unique_sectors;
    w->block_unique_sectors = 0;
    w->atomic_sectors.drain_into(atomic_sectors);
    result.steps.add(w->steps);
    w->steps = {};
  }
  result.atomic_unique_sectors = atomic_sectors.count();
  if (launch.is_order_checked && launch.block_count > 1 && workers().front()->order_log.now() > 0) note_block_signals();
  result.error = launch.error();
  bool is_by_a_block = result.error && result.error != CUDA_ERROR_LAUNCH_TIMEOUT;
  result.problems = merge(std::move(logs), is_by_a_block ? launch.end_block() : ~uint64_t{0});
  result.grid_unique_sectors = launch.grid_unique_sectors.load();
  result.blocks_counted = launch.blocks_counted.load();
  result.blocks_run = launch.is_cut ? launch.blocks_run : launch.run_count;
  if (launch.is_beyond_counters.load()) drop_counters(result);
  return result;
}

// A launch that waits for ever without running a thread has no better place than the launch itself; nor has one that was between two blocks.
void ensure_timeout_is_reported(const Launch& launch, LaunchReport& result) {
  if (result.error != CUDA_ERROR_LAUNCH_TIMEOUT) return;
  for (const Problem& problem : result.problems)
    if (!strcmp(problem.kind, "timeout")) return;
  const char* why = launch.blocks_finished.load() ? "it ran too long for the emulator" : "none of its blocks had ended; its threads wait for each other, or do more than there was time for";
  result.problems.push_back(Problem{"timeout", 0, 0, 0, {0, 0, 0}, {0, 0, 0}, std::string("the launch was stopped: ") + why, 1});
}

int run(const EmuLaunch& request) {
  static uint32_t launch_count = 0;
  uint32_t index = launch_count++;
  bool is_reported = index < std::min(options().launch_limit, options().mode == Mode::plain ? PLAIN_LAUNCHES_REPORTED : ~uint64_t{0});
  Refusal refusal = refuse(request);
  if (refusal.error) {
    LaunchReport result;
    result.error = refusal.error;
    result.problems.push_back(Problem{"bad_launch", 0, 0, 0, {0, 0, 0}, {0, 0, 0}, refusal.message, 1});
    write_launch(index, request, result);
    return refusal.error;
  }
  if (is_left_out(request)) {
    record_left_out(index, request);
    note_launch_count(index + 1);
    return CUDA_SUCCESS;
  }
  Launch launch;
  describe(launch, request, index + 1, is_reported);
  look_for_aliases(request, launch.is_checked);

  LaunchRecord record = begin_record(index, request);
  run_on_workers(launch, case_left_s(), launch_until_s());
  note_spent(launch);
  LaunchReport result = collect(launch);
  drop_snapshots(launch);
  ensure_timeout_is_reported(launch, result);
  if (launch.is_cut) end_soon();
  end_record(record, result.error ? LaunchEnd::failed : launch.is_cut ? LaunchEnd::cut : LaunchEnd::whole, launch.blocks_run);

  if (options().is_quiet) return result.error;
  withhold_unsettled(index, result);
  if (is_reported || !result.problems.empty()) write_launch(index, request, result);
  else note_launch_count(index + 1);
  return result.error;
}

int launch_now(const EmuLaunch& request) {
  static std::mutex& one_at_a_time = *new std::mutex;
  std::lock_guard<std::mutex> hold(one_at_a_time);
  DeviceError& d = device();
  if (d.sticky) return d.sticky;
  int error = run(request);
  if (error) emu_set_error(error);
  return error;
}

// A launch with its arguments as they are when it is issued.
struct KeptLaunch {
  std::vector<std::vector<char>> values;
  std::vector<void*> arguments;
  EmuLaunch request;
  explicit KeptLaunch(const EmuLaunch& issued) : request(issued) {
    for (unsigned i = 0; i < issued.argument_count; ++i) {
      auto* value = static_cast<const char*>(issued.arguments[i]);
      values.emplace_back(value, value + issued.argument_bytes[i]);
    }
    for (auto& value : values) arguments.push_back(value.data());
    request.arguments = arguments.data();
  }
  KeptLaunch(const KeptLaunch&) = delete;
  KeptLaunch& operator=(const KeptLaunch&) = delete;
};

// What the arguments, or pointers inside them, point into.
std::vector<uint64_t> places_of(const EmuLaunch& l) {
  std::vector<uint64_t> places;
  for (unsigned i = 0; i < l.argument_count; ++i)
    for (size_t offset = 0; offset + sizeof(void*) <= l.argument_bytes[i]; offset += sizeof(void*)) {
      void* value;
      memcpy(&value, static_cast<const char*>(l.arguments[i]) + offset, sizeof value);
      if (uint64_t place = place_at(value)) places.push_back(place);
    }
  return places;
}

}  // namespace
}  // namespace emu

using namespace emu;

extern "C" int emu_launch(const EmuLaunch* request) {
  if (on_device()) abort_launch("unsupported", EMU_CALLER, 0, "a kernel starts a kernel: dynamic parallelism is not emulated", CUDA_ERROR_NOT_SUPPORTED);
  if (!(runs_late() || is_capturing(request->stream)) || refuse(*request).error) return launch_now(*request);
  if (device().sticky) return device().sticky;
  auto kept = std::make_shared<KeptLaunch>(*request);
  return issue(request->stream, {"launch", request->function, request->line, places_of(*request)}, [kept] { return launch_now(kept->request); });
}

extern "C" int emu_last_error(bool clear) {
  DeviceError& d = device();
  std::lock_guard<std::mutex> hold(d.mutex);
  int error = d.sticky ? d.sticky : d.last;
  if (clear) d.last = CUDA_SUCCESS;
  return error;
}

extern "C" void emu_set_error(int error) {
  DeviceError& d = device();
  std::lock_guard<std::mutex> hold(d.mutex);
  d.last = error;
  bool is_fault = error >= CUDA_ERROR_ILLEGAL_ADDRESS && error <= CUDA_ERROR_LAUNCH_FAILURE && error != 701;  // 701: out of resources
  if (is_fault && !d.sticky) d.sticky = error;
}

extern "C" void emu_reset_device() {
  DeviceError& d = device();
  std::lock_guard<std::mutex> hold(d.mutex);
  d.last = d.sticky = CUDA_SUCCESS;
}

extern "C" void emu_allow_dynamic_shared(const void* function, size_t bytes) {
  DeviceError& d = device();
  std::lock_guard<std::mutex> hold(d.mutex);
  d.dynamic_shared_limits[function] = bytes;
}

extern "C" size_t emu_dynamic_shared_limit(const void* function) {
  DeviceError& d = device();
  std::lock_guard<std::mutex> hold(d.mutex);
  auto found = d.dynamic_shared_limits.find(function);
  size_t raised = found == d.dynamic_shared_limits.end() ? 0 : found->second;
  return std::max<size_t>(raised, DEFAULT_DYNAMIC_SHARED_BYTES);
}
