// Device memory: one reserved range of addresses, cut into allocations with guard gaps, and the program's device symbols.
//
// Knows nothing of kernels. Everything here may be called from any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "abi.h"

namespace emu {

struct Allocation {
  uint64_t begin = 0, end = 0;
  uint64_t mapped_end = 0;          // end of the guard gap behind it
  int space = EMU_DEVICE;
  bool is_live = false;
  bool is_initialised = false;      // wholly written by the host, or host-visible: reads are never uninitialised
  uint64_t size() const { return end - begin; }
};

// Bytes of accessible guard around every allocation. A GPU's pages hide small overruns in the same way; the checks see them,
// and a replay fills these bytes with canaries.
constexpr uint64_t GUARD_BYTES = 4096;

struct ArenaRange { uint64_t begin, size; };
// The reserved range; reserves it at the first call.
ArenaRange arena();
inline bool in_range(uint64_t address, uint64_t begin, uint64_t size) { return address - begin < size; }

// The live allocation that holds the address; nullptr if none. Pointers stay valid until process end.
Allocation* find_live(uint64_t address);
// The allocation at or nearest below the address, live or freed; nullptr if none. For messages.
Allocation* nearest(uint64_t address);
std::vector<Allocation*> live_allocations();

// Device symbols, sorted by address.
const std::vector<EmuSymbol*>& symbols();
const EmuSymbol* find_symbol(uint64_t address);
// The one that begins nearest before the address; nullptr if none does.
const EmuSymbol* symbol_before(uint64_t address);
// Whether the address lies behind the program's own variables, where nothing of it is.
bool is_behind_variables(uint64_t address);
const EmuSymbol* symbol_named(const char* name);

// Host memory that kernels may use (cudaHostRegister).
bool is_registered_host(uint64_t address);

bool is_mapped(uint64_t address);

// Bounds of the program's own static data (device symbols live there) and of everything it loaded from its file.
struct ProgramImage { uint64_t begin, text_end, data_begin, end; };
ProgramImage program_image();

}  // namespace emu
