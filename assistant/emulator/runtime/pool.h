// The worker threads, started at the first launch and never ended: they must outlive the program's static destructors.
#pragma once
#include <functional>
#include <vector>

#include "worker.h"

namespace emu {

// All workers; starts them at the first call.
const std::vector<Worker*>& workers();
// Runs the launch on all workers and returns when they are done, at the latest a moment after `wall_s`.
void run_on_workers(Launch& launch, double wall_s);

}  // namespace emu
