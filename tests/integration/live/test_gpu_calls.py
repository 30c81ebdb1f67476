"""What the driver is told of a launch, as a library in its place hears it. Launches on a real GPU are in ``tests/gpu``."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, cast

import pytest

from assistant.lab.compiler import Compiler, Image
from assistant.live.binding import bind
from assistant.live.compiling import CompiledText
from assistant.live.faults import KernelFailed
from assistant.live.gpu_calls import OnGpu
from assistant.live.gpu_modules import GpuModules
from assistant.live.loop import BackgroundLoop
from assistant.model.build import CompilerMissing, Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.ports.lab import Program, RunLimits
from tests.integration.live.driver_library import driver_library
from tests.unit.live.test_binding import SCALE
from tests.unit.live.test_binding import OnGpu as ArrayOnGpu


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
    return driver_library(tmp_path_factory.mktemp("driver"))


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
    runner = OnGpu(loop, cast("Compiler", compiler), compiled, GpuModules(lambda: library))
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


def test_a_text_is_loaded_once_into_each_context_and_unloaded_at_the_end(library: Any, loop: BackgroundLoop) -> None:
    compiled = CompiledText(Program((), Flags((), "")), RunLimits(), CompilerMissing("", ""), None)
    modules = GpuModules(lambda: library)
    runner = OnGpu(loop, cast("Compiler", _Compiler([])), compiled, modules)
    before = len(library.heard())

    def launch() -> None:
        for index in (0, 1):  # the second GPU's context is gone before the end
            bound = bind(SCALE, {"out": ArrayOnGpu(index), "x": ArrayOnGpu(index), "n": 7})
            runner.run(bound, LaunchConfig(Dim3(1), Dim3(32), 0), is_checked=True)

    def heard() -> list[str]:
        return [line for line in library.heard()[before:].decode().splitlines() if "load" in line]

    launch()
    launch()
    assert heard() == ["load /cache/k.cubin"] * 2
    modules.close()
    assert heard()[2:] == ["unload 0x2000 in 0x1000"]
    launch()
    modules.close()
    assert heard()[3:] == ["load /cache/k.cubin", "load /cache/k.cubin", "unload 0x2000 in 0x1000"]


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
    runner = OnGpu(loop, cast("Compiler", _Compiler([])), compiled, GpuModules(missing))
    bound = bind(SCALE, {"out": ArrayOnGpu(), "x": ArrayOnGpu(), "n": 7})
    with pytest.raises(KernelFailed, match="no CUDA driver"):
        runner.run(bound, LaunchConfig(Dim3(1), Dim3(1), 0), is_checked=True)
