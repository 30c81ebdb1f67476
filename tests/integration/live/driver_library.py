"""A library in the place of CUDA's driver: it runs nothing, and keeps what it heard, a line for each call that matters."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

_DRIVER = """
#include <cstdio>
#include <cstring>
extern "C" {
static char said[4096];
static void *current, *pushed;
const char *heard() { return said; }
int cuInit(unsigned) { return 0; }
int cuCtxGetCurrent(void **c) { *c = current; return 0; }
int cuCtxGetDevice(int *d) { *d = (int)((long)current & 0xf); return 0; }
int cuCtxSetCurrent(void *c) { current = c; return 0; }
int cuDeviceGet(int *d, int index) { *d = index; return index > 1 ? 101 : 0; }
int cuDevicePrimaryCtxRetain(void **c, int d) { *c = (void *)(0x1000L + d); return 0; }
int cuDeviceGetAttribute(int *v, int what, int) { *v = what == 75 ? 9 : 0; return 0; }
int cuModuleLoad(void **m, const char *path) { sprintf(said + strlen(said), "load %s\\n", path); *m = (void *)0x2000L; return 0; }
int cuModuleUnload(void *m) { sprintf(said + strlen(said), "unload %p in %p\\n", m, current); return 0; }
int cuCtxPushCurrent_v2(void *c) {
  if (c == (void *)0x1001L) return 709;
  pushed = current;
  current = c;
  return 0;
}
int cuCtxPopCurrent_v2(void **c) { *c = current; current = pushed; return 0; }
int cuCtxSynchronize() { return 0; }
int cuModuleGetFunction(void **f, void *m, const char *name) {
  sprintf(said + strlen(said), "%s of %p\\n", name, m);
  *f = (void *)0x3000L;
  return 0;
}
int cuFuncSetAttribute(void *, int what, int value) { sprintf(said + strlen(said), "attribute %d %d\\n", what, value); return 0; }
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned s, void *stream,
                   void **p, void **) {
  if (bx > 1024) return 1;
  sprintf(said + strlen(said), "launch %p %u %u %u %u %u %u %u %p: %p %p %d\\n", f, gx, gy, gz, bx, by, bz, s, stream,
          *(void **)p[0], *(void **)p[1], *(int *)p[2]);
  return 0;
}
int cuGetErrorName(int code, const char **name) { *name = code == 1 ? "CUDA_ERROR_INVALID_VALUE" : "CUDA_ERROR_INVALID_DEVICE"; return 0; }
}
"""


def driver_library(folder: Path) -> Any:
    """Compiled into ``folder`` and loaded; ``heard()`` gives the lines. The context of a second GPU cannot be made current again."""
    (folder / "cuda.cpp").write_text(_DRIVER)
    subprocess.run(("g++", "-shared", "-fPIC", "-o", str(folder / "libcuda.so"), str(folder / "cuda.cpp")), check=True)
    loaded = ctypes.CDLL(str(folder / "libcuda.so"))
    loaded.heard.restype = ctypes.c_char_p
    return loaded
