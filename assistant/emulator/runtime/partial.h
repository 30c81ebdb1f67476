// Programs that take too long to be run whole: of a launch only some blocks run, of a series only the first launches.
//
// All launches together may take EMU_WHOLE_S. A launch that will not end in what is left of it stops after a fifth of it; a launch of a shape that
// ran twice is left out when it is over. What such a program computes is not right; which blocks and launches ran is in its report.
// Time is the processor's, of the busiest worker and of the program's own threads, so that a busy machine runs as much as an idle one; only where it
// would take four times as long by the clock, less runs.
#pragma once
#include <cstdint>

#include "abi.h"
#include "worker.h"

namespace emu {

// Sets the launch's time and the order of its blocks, where time is limited and its blocks may be left out.
void limit_time(Launch& launch);
// Whether launches have had what they may of the program's time by the clock, or several times their own.
bool is_late();
// Whether no further block of a launch is to start; `position` of them have.
bool is_time_up(const Launch& launch, uint64_t position);
// When a launch that begins now has had its time, on the system's steady clock: before the program's is over, so that the report names the place.
double launch_until_s();
// Processor time that the launches of a replay's case may still take; it counts from `begin_case`.
double case_left_s();
void begin_case();
// What a launch took is no longer left for others.
void note_spent(const Launch& launch);
// Whether this launch of a series need not run.
bool is_left_out(const EmuLaunch& request);
// Whether something was left out by now: what launches find in memory need not be what the program computes.
bool has_left_out();
// The program ends some time after its launches have had theirs: nothing that it does with its results counts.
void end_soon();

}  // namespace emu
