// assert that also works in kernels: the core reports file, line, block and thread.
#include_next <assert.h>
#ifdef __cplusplus
#include "emu/assert_macro.h"
#endif
