// Room in front of the first shared variable, so that what is accessed before it is none of another library's variables. Linked first.
extern "C" __thread char __emu_before_shared[16384];
__thread char __emu_before_shared[16384] __attribute__((aligned(16)));
