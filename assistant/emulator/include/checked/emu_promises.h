// What the checked flavour tells the core of accesses: loads of what a kernel promises that nothing writes (__ldg, and parameters declared
// `const T* __restrict__`), atomics whose result is not looked at. The other flavours take the header of this name in the folder above:
// a folder, not a macro, tells them apart, so that no program can ask which one it is.
#pragma once
#include "../emu/builtins.h"

extern "C" int emu_has_aliases;
template <class T> EMU_INLINE T* emu_noncoherent(T* pointer) {
  emu_note_read_only((const void*)pointer, sizeof(T));
  return pointer;
}
// What the device may see through such a parameter. The flag is read by assembly, which the hooks do not see.
template <class T> EMU_INLINE T* emu_through(T* pointer) {
  int has_aliases;
  __asm__("movl emu_has_aliases, %0" : "=r"(has_aliases));
  return has_aliases ? (T*)emu_read_only((const void*)pointer) : pointer;
}
#define EMU_NONCOHERENT(pointer) emu_noncoherent(pointer)
// The translator writes this in front of an atomic whose result nothing looks at.
#define EMU_UNREAD emu_note_unread(),
// The translator writes the first around the name of such a parameter, and the second at the start of its kernel's body.
#define EMU_SEEN(name) emu_given_##name
#define EMU_THROUGH(name) auto name = emu_through(emu_given_##name);
// The translator writes this at the end of a kernel's body.
#define EMU_END emu_note_end();
