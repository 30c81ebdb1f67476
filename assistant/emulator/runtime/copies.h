// Asynchronous copies of one thread that it has not waited for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace emu {

struct AsyncCopy {
  char* to;
  const char* from;
  uint32_t pc;                               // of the write
  uint32_t group;                            // which of the thread's groups it belongs to, or will when that is committed
  uint8_t bytes, zero_bytes;
  char seen[16];                             // the source when the copy was asked for
};

struct AsyncCopies {
  std::vector<AsyncCopy> waiting;            // in the order of the program
  uint32_t committed_groups = 0;
  void forget() { waiting.clear(), committed_groups = 0; }
};

}  // namespace emu
