// `new` and `delete` of device code use the device's heap; on the host they are malloc and free.
#include <cstdlib>
#include <new>

#include "abi.h"
#include "memory.h"
#include "worker.h"

namespace {
void* allocate(size_t bytes) {
  void* pointer = emu::on_device() ? emu_device_malloc(bytes) : malloc(bytes ? bytes : 1);
  if (!pointer && !emu::on_device()) throw std::bad_alloc();
  return pointer;
}
void release(void* pointer) {
  emu::ArenaRange range = emu::arena();
  if (emu::in_range(reinterpret_cast<uint64_t>(pointer), range.begin, range.size)) emu_device_free(pointer);
  else free(pointer);
}
}  // namespace

void* operator new(size_t bytes) { return allocate(bytes); }
void* operator new[](size_t bytes) { return allocate(bytes); }
void operator delete(void* pointer) noexcept { release(pointer); }
void operator delete[](void* pointer) noexcept { release(pointer); }
void operator delete(void* pointer, size_t) noexcept { release(pointer); }
void operator delete[](void* pointer, size_t) noexcept { release(pointer); }
