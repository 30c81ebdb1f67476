// Room behind a program's own variables: an access beyond a `__device__` array, which is reported, is not to change the runtime's.
#include "memory.h"

namespace emu {
namespace {

char behind_zeros[256 << 10] __attribute__((used));
char behind_values[64 << 10] __attribute__((used)) = {1};

}  // namespace

bool is_behind_variables(uint64_t address) {
  return in_range(address, reinterpret_cast<uint64_t>(behind_zeros), sizeof behind_zeros) ||
         in_range(address, reinterpret_cast<uint64_t>(behind_values), sizeof behind_values);
}

}  // namespace emu
