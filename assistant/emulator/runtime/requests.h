// What one warp-wide memory access adds to the counters, and which checks it passes.
#pragma once
#include "patterns.h"
#include "worker.h"

namespace emu {

void analyse_request(Worker& w, const Event& event, const uint64_t* address, const uint8_t* lane, unsigned lane_count);

// The same for events that are no accesses of the program's own.
void check_uncounted(Worker& w, const Event& event, const uint64_t* address, const uint8_t* lane, unsigned lane_count);
void note_fences(Worker& w, const uint64_t* scope, const uint8_t* lane, unsigned lane_count);

// Adds one request to a site.
void count_global(Worker& w, Site& site, const Request& request);
void count_shared(Site& site, const Event& event, const Request& request);

// The checks; `site` holds the allocation the request fell into, if it is one.
bool is_misaligned(const Request& request);  // in any lane
void fail_misaligned(Worker& w, const Event& event, const Request& request);  // ends the launch, as a GPU does
void check_bounds(Worker& w, Site& site, const Event& event, const Request& request);
void check_global_initialised(Worker& w, const Site& site, const Event& event, const Request& request);
void check_global_races(Worker& w, const Site& site, const Event& event, const Request& request);
// Lanes that write other values to one global address in one instruction. Takes what is `stored` out of the addresses.
void check_lanes(Worker& w, const Event& event, uint64_t* address, const uint8_t* lane, unsigned lane_count);
// A load that may be served from a cache which the launch's own writes do not reach.
void check_read_only(Worker& w, const Event& event, const Request& request);
void check_shared(Worker& w, Site& site, const Event& event, const Request& request);
// What an asynchronous copy has written, now that its thread has waited for it.
void check_copy_end(Worker& w, const Event& event, const Request& request);

}  // namespace emu
