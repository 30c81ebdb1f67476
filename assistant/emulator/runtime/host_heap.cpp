// The heap of device code: `new` there is spelled `new (emu_device_heap)` by the translator; `delete` finds out by the address.
#include <cstdlib>
#include <new>

#include "abi.h"
#include "memory.h"
#include "worker.h"

// As declared in include/emu/sync.h.
struct EmuDeviceHeap {};

namespace {
// Also reached on the host, from functions that are both host and device code.
void* allocate(size_t bytes) { return emu::on_device() ? emu_device_malloc(bytes) : malloc(bytes ? bytes : 1); }
void release(void* pointer) {
  emu::ArenaRange range = emu::arena();
  if (emu::in_range(reinterpret_cast<uint64_t>(pointer), range.begin, range.size)) emu_device_free(pointer);
  else free(pointer);
}
}  // namespace

void* operator new(size_t bytes, EmuDeviceHeap) noexcept { return allocate(bytes); }
void* operator new[](size_t bytes, EmuDeviceHeap) noexcept { return allocate(bytes); }
void operator delete(void* pointer) noexcept { release(pointer); }
void operator delete[](void* pointer) noexcept { release(pointer); }
void operator delete(void* pointer, size_t) noexcept { release(pointer); }
void operator delete[](void* pointer, size_t) noexcept { release(pointer); }
