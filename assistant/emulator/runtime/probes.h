// Problems of a launch that only further runs can settle, and those runs.
//
// Many correct kernels get values from lanes that take no part and do not use them, or ask which lanes are active and do right by any
// answer. A replay runs such a launch again with other values there, and other lanes found: what it leaves then tells whether it matters.
// A launch whose blocks signal to each other runs again with the last block first.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "report.h"

namespace emu {

struct Launch;

// Takes out of the report what a replay settles afterwards; in other runs drops what would be no problem of most kernels.
void withhold_unsettled(uint32_t launch_index, LaunchReport& report);
// The launch was looked at for order and its blocks did signal.
void note_block_signals();
// Runs the case again where that tells more. `outcome`: restores the case, runs it and returns a text that is the same where it left the
// same. `first_s`: how long its first run took.
void run_probes(const std::function<std::string()>& outcome, double first_s);

}  // namespace emu
