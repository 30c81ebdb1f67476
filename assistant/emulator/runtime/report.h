// The report: one JSON object per line and launch, with program counters; the Python side turns them into source lines.
#pragma once
#include <map>
#include <vector>

#include "abi.h"
#include "counters.h"
#include "problems.h"

namespace emu {

struct LaunchReport {
  std::map<uint32_t, Site> sites;
  std::vector<Problem> problems;
  uint64_t blocks_counted = 0;
  uint64_t grid_unique_sectors = 0, block_unique_sectors = 0;
  uint64_t atomic_unique_sectors = 0;      // of global atomics; 0: none, or more than are told apart
  Steps steps;
  uint64_t blocks_run = 0;                 // fewer than the grid has where time was up, and where a replay has chosen some
  int error = 0;
};

void write_launch(uint32_t index, const EmuLaunch& request, const LaunchReport& report);
// A problem of a launch that has been written before.
void write_late_problem(uint32_t index, const Problem& problem);
void flush_report();
// Launches that have no entry of their own are at least counted.
void note_launch_count(uint32_t count);
// Appends later entries to another file; used by the replay.
void redirect_report(const char* path);

}  // namespace emu
