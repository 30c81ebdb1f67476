"""What the driver is told of a launch, as a library in its place hears it. Launches on a real GPU are in ``tests/gpu``."""

import ctypes
import subprocess
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, cast

import pytest

from assistant.lab.compiler import Compiler, Image
from assistant.live.binding import bind
from assistant.live.compiling import CompiledText
from assistant.live.faults import KernelFailed
from assistant.live.gpu_calls import OnGpu
from assistant.live.loop import BackgroundLoop
from assistant.model.build import CompilerMissing, Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.ports.lab import Program, RunLimits
from tests.unit.live.test_binding import SCALE
from tests.unit.live.test_binding import OnGpu as ArrayOnGpu

_DRIVER = """
#include <cstdio>
#include <cstring>
extern "C" {
static char said[4096];
static void *current;
const char *heard() { return said; }
int cuInit(unsigned) { return 0; }
int cuCtxGetCurrent(void **c) { *c = current; return 0; }
int cuCtxGetDevice(int *d) { *d = 0; return 0; }
int cuCtxSetCurrent(void *c) { current = c; return 0; }
int cuDeviceGet(int *d, int index) { *d = index; return index > 1 ? 101 : 0; }
int cuDevicePrimaryCtxRetain(void **c, int d) { *c = (void *)(0x1000L + d); return 0; }
int cuDeviceGetAttribute(int *v, int what, int) { *v = what == 75 ? 9 : 0; return 0; }
int cuModuleLoad(void **m, const char *path) { sprintf(said + strlen(said), "load %s\\n", path); *m = (void *)0x2000L; return 0; }
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


@dataclass
class _Compiler:
    """Gives one image, and remembers for which GPU it was asked."""

    asked: list[str]
    has_c_linkage: bool = False

    async def image(self, program: Program, architecture: str) -> Image:
        self.asked.append(f"{architecture} {program.kernels[0]}")
        return Image("/cache/k.cubin", (("k", "k") if self.has_c_linkage else (program.kernels[0], "_Z1kPfPKfi"),))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("driver")
    (folder / "cuda.cpp").write_text(_DRIVER)
    subprocess.run(("g++", "-shared", "-fPIC", "-o", str(folder / "libcuda.so"), str(folder / "cuda.cpp")), check=True)
    loaded = ctypes.CDLL(str(folder / "libcuda.so"))
    loaded.heard.restype = ctypes.c_char_p
    return loaded


@pytest.fixture
def loop() -> Generator[BackgroundLoop]:
    async def nothing() -> None: ...

    made = BackgroundLoop()
    yield made
    made.close(nothing)


def check(
    library: Any, loop: BackgroundLoop, config: LaunchConfig, index: int = 0, has_c_linkage: bool = False
) -> tuple[list[str], list[str]]:
    """(what the driver heard, what the compiler was asked) of two launches of the same kernel."""
    compiled = CompiledText(Program((), Flags((), "")), RunLimits(), CompilerMissing("", ""), None)
    compiler = _Compiler([], has_c_linkage)
    runner = OnGpu(loop, cast("Compiler", compiler), compiled, lambda: library)
    before = len(library.heard())
    bound = bind(SCALE, {"out": ArrayOnGpu(index), "x": ArrayOnGpu(index), "n": 7})
    runner.run(bound, config, is_checked=True)
    runner.run(bound, config, is_checked=True)
    return library.heard()[before:].decode().splitlines(), compiler.asked


def test_a_launch_says_grid_block_and_arguments_and_compiles_once_for_its_gpu(library: Any, loop: BackgroundLoop) -> None:
    heard, asked = check(library, loop, LaunchConfig(Dim3(2, 3, 4), Dim3(32, 8, 1), 1024))
    launch = "launch 0x3000 2 3 4 32 8 1 1024 (nil): 0x70000000 0x70000000 7"
    assert heard == ["load /cache/k.cubin", "_Z1kPfPKfi of 0x2000", launch, launch]
    assert asked == ["sm_90 k(float*, float const*, int)"]


def test_a_kernel_with_c_linkage_is_found_by_its_name(library: Any, loop: BackgroundLoop) -> None:
    heard, _ = check(library, loop, LaunchConfig(Dim3(1), Dim3(32), 0), has_c_linkage=True)
    assert heard[1] == "k of 0x2000"


def test_much_dynamic_shared_memory_is_asked_for(library: Any, loop: BackgroundLoop) -> None:
    heard, _ = check(library, loop, LaunchConfig(Dim3(1), Dim3(32), 64 << 10))
    assert "attribute 8 65536" in heard


def test_arrays_of_a_second_gpu_are_worked_on_there(library: Any, loop: BackgroundLoop) -> None:
    heard, _ = check(library, loop, LaunchConfig(Dim3(1), Dim3(32), 0), index=1)
    assert heard[-1].endswith(": 0x70100000 0x70100000 7")


def test_what_the_driver_refuses_is_known_by_its_name(library: Any, loop: BackgroundLoop) -> None:
    with pytest.raises(KernelFailed, match="cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE"):
        check(library, loop, LaunchConfig(Dim3(1), Dim3(2048), 0))
    with pytest.raises(KernelFailed, match="cuDeviceGet failed: CUDA_ERROR_INVALID_DEVICE"):
        check(library, loop, LaunchConfig(Dim3(1), Dim3(32), 0), index=5)


def test_a_machine_without_a_driver_is_reported(loop: BackgroundLoop) -> None:
    def missing() -> Any:
        raise KernelFailed("no CUDA driver: libcuda.so.1", "install it")

    compiled = CompiledText(Program((), Flags((), "")), RunLimits(), CompilerMissing("", ""), None)
    runner = OnGpu(loop, cast("Compiler", _Compiler([])), compiled, missing)
    bound = bind(SCALE, {"out": ArrayOnGpu(), "x": ArrayOnGpu(), "n": 7})
    with pytest.raises(KernelFailed, match="no CUDA driver"):
        runner.run(bound, LaunchConfig(Dim3(1), Dim3(1), 0), is_checked=True)
