// What the environment asks of this run. Read once, before the first use of the device.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace emu {

enum class Mode { plain, count, check };

struct Options {
  Mode mode = Mode::plain;                     // EMU_MODE: plain | count | check
  unsigned worker_count = 1;                   // EMU_WORKERS; default: one per core
  uint64_t seed = 0;                           // EMU_SEED; 0 runs blocks in launch order, others permute blocks, warps and lanes
  bool runs_late = false;                      // EMU_LATE; 1: what is put into streams runs as late as CUDA allows (streams.h)
  uint64_t sample_blocks = 0;                  // EMU_SAMPLE_BLOCKS; 0 counts every block
  uint64_t launch_limit = ~uint64_t{0};        // EMU_LAUNCH_LIMIT; launches after the first so many are run but not counted
  size_t stack_bytes = size_t{576} << 10;      // EMU_STACK_KIB; CUDA allows 512 KiB of local memory a thread (Programming Guide)
  double launch_wall_s = 300;                  // EMU_LAUNCH_WALL_S; a launch that runs longer ends with cudaErrorLaunchTimeout
  double case_processor_s = 0;                 // EMU_CASE_PROCESSOR_S; for all launches of a replay's case, which end likewise; 0: no limit
  double whole_s = 0;                          // EMU_WHOLE_S; processor time beyond which launches that are counted or checked are left out; 0: all runs
  std::vector<uint64_t> chosen_blocks;         // of the launch that a replay runs next, the only ones that run (linear numbers); empty: all
  size_t memory_bytes = 0;                     // EMU_MEMORY_BYTES; device memory; default: the host's memory
  std::string report_path;                     // EMU_REPORT; JSON lines, one a launch
  std::string corrections;                     // EMU_CORRECTIONS; accesses to be counted as one (corrections.h)
  std::string record_directory;                // EMU_RECORD
  uint64_t record_launch_bytes = uint64_t{256} << 20;  // EMU_RECORD_LAUNCH_BYTES
  uint64_t record_total_bytes = uint64_t{2} << 30;     // EMU_RECORD_TOTAL_BYTES
  uint64_t record_per_shape = 8;                       // EMU_RECORD_PER_SHAPE; launches kept of each kernel and configuration
  std::string replay_directory;                // EMU_REPLAY
  std::string uploads_directory;               // EMU_UPLOADS; contents to be copied to the device in place of others (uploads.h)
  std::optional<uint8_t> device_fill;          // EMU_DEVICE_FILL; byte written into fresh device memory
  std::optional<uint8_t> shared_fill;          // EMU_SHARED_FILL; byte written into shared memory before each block

  // Of the runs that a checked replay adds (probes.h).
  bool reverses_blocks = false;                // the last block starts first
  bool is_quiet = false;                       // nothing is reported; one worker runs all, always in the same order
  std::optional<uint64_t> inactive_value;      // what a lane gets from one that takes no part; otherwise its own value
  bool splits_activemask = false;              // __activemask() finds every other lane only
};

// The one set of options; the replay changes seed and fills from case to case.
Options& options();

}  // namespace emu
