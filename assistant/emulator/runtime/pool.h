// The worker threads, started at the first launch and never ended: they must outlive the program's static destructors.
#pragma once
#include <functional>
#include <time.h>
#include <vector>

#include "worker.h"

namespace emu {

// All workers; starts them at the first call.
const std::vector<Worker*>& workers();
// Runs the launch on all workers and returns when they are done, at the latest a moment after one of them has taken `processor_s` for it, or at
// `until_s` of the steady clock.
void run_on_workers(Launch& launch, double processor_s, double until_s);
// Time that the busiest worker has taken for the launch: the processor's, and where all of its blocks wait for others. As much as it would have
// taken on a machine with nothing else to do.
double busiest_s(const Launch& launch);
// The same of the launch that runs now, as it was a moment ago.
double running_s();
// Processor time of the program's own threads since it began.
double host_s();
// Of a clock of the system.
double clock_s(clockid_t clock);

}  // namespace emu
