// The program's shared variables by name and place, as its own file lists them, and what lies outside all of them.
//
// A `__shared__` variable is a thread-local one of the program. The build of the checked flavour leaves room behind each (shared_gaps.py),
// so that an access that leaves an array falls into none.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "requests.h"

namespace emu {

struct SharedVariable {
  uint64_t offset, bytes;                    // in the worker's shared memory
  std::string name;                          // as the source has it, without its function
  bool is_dynamic;                           // all of `extern __shared__`
};

// In order of their places, without the core's own. Ends the program where its file cannot be read.
const std::vector<SharedVariable>& shared_variables();

// Of the variable at an address of the calling worker's shared memory; empty where none is.
std::string shared_name(uint64_t address);

// Reports the lanes that access no part of a variable. True if there are any: then `inside` holds the others, with their addresses and
// lanes in the arrays.
bool find_outside(Worker& w, Site& site, const Event& event, const Request& r, uint64_t* address, uint8_t* lane, unsigned& lane_count);

}  // namespace emu
