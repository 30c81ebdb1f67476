// What a kernel may see through a parameter that promises that nobody writes what it points to (`const T* __restrict__`).
//
// A GPU may serve such loads from a cache that no write reaches. Where the kernel may write the memory another way, as a further argument of
// the launch points into the same allocation or it is a variable of the device, a checked launch therefore reads through such a parameter a
// copy of it as it was before the launch. Addresses of the copy are known as the original's again before anything is counted or checked.
#pragma once
#include <cstdint>

#include "abi.h"

namespace emu {

struct Launch;

// Before the launch: whether any of its arguments leads to memory that it may write another way.
void look_for_aliases(const EmuLaunch& request, bool is_checked);
// Forgets the copies; after the launch.
void drop_snapshots(Launch& launch);
// Writes to `original` the addresses with those of copies replaced; false if there were none.
bool find_originals(const uint64_t* address, unsigned count, uint64_t* original);
bool is_snapshot(uint64_t address);

}  // namespace emu
