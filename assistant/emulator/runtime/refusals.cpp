// What a program needs and the emulator does not run or count: said by name, once; a kernel that needs what is not run fails.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "faults.h"
#include "options.h"
#include "worker.h"

#define EMU_CALLER static_cast<uint32_t>(reinterpret_cast<uint64_t>(__builtin_return_address(0)))

namespace emu {

void note_beyond_counters(const char* what) {
  Worker& w = *worker();
  if (w.launch->is_beyond_counters.exchange(true, std::memory_order_relaxed) || options().mode == Mode::plain) return;
  ++w.in_core;
  emu_unsupported((std::string("not modelled: ") + what + ", so that launches of kernels with them have no counters").c_str());
  --w.in_core;
}

}  // namespace emu

static void note_place(const char* which, const char* what, const char* file, int line) {
  const char* slash = strrchr(file, '/');
  std::string place = std::string(which) + ": " + what + " (" + (slash ? slash + 1 : file) + ":" + std::to_string(line) + ")";
  emu_unsupported(place.c_str());
}

extern "C" {
void emu_refuse(const char* what, const char* file, int line) {
  using namespace emu;
  if (!on_device()) {
    note_place("stopped at", what, file, line);
    fprintf(stderr, "emulator: %s:%d uses %s, which is not run here: the program ends\n", file, line, what);
    exit(EXIT_FAILURE);
  }
  ++worker()->in_core;
  note_place("not run", what, file, line);
  --worker()->in_core;
  worker()->launch->is_beyond_counters.store(true);
  abort_launch("unsupported", EMU_CALLER, 0, (std::string("the emulator does not run ") + what).c_str(), CUDA_ERROR_NOT_SUPPORTED);
}
}
