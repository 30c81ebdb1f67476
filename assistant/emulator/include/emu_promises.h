// Promises that nothing writes what is read: plain accesses; who comes to the end of a kernel is not noted. The checked flavour takes `checked/emu_promises.h` in place of this header.
#pragma once

#define EMU_NONCOHERENT(pointer) (pointer)
#define EMU_UNREAD
#define EMU_SEEN(name) name
#define EMU_THROUGH(name)
#define EMU_END
