"""Kernels from Python on arrays of a GPU, as a library in the driver's place hears it. Launches on a real GPU are in ``tests/gpu``."""

from __future__ import annotations

from pathlib import Path

import pytest

import kernelopt
from assistant.lab.process import WorkerProcess
from assistant.live.gpu_modules import GpuModules
from tests.deadlines import HANG_S
from tests.integration.live.driver_library import driver_library
from tests.processes import children_of
from tests.unit.live.test_binding import OnGpu as ArrayOnGpu

TEXT = "__global__ void scale(float *out, const float *x, int n) { int i = threadIdx.x; if (i < n) out[i] = 2.0f * x[i]; }"


def test_a_kernel_is_loaded_at_its_first_call_and_unloaded_with_its_session(tmp_path: Path) -> None:
    library = driver_library(tmp_path)
    with kernelopt.Session("auto") as session:
        session.modules = GpuModules(lambda: library)
        scale = kernelopt.compile(TEXT, grid=1, block=256, session=session)
        if scale.registers is None:
            pytest.skip("no CUDA compiler is here")
        for _ in range(2):
            scale(ArrayOnGpu(), ArrayOnGpu(), 7)
            scale[2, 128](ArrayOnGpu(), ArrayOnGpu(), 7)
        calls = [line.partition(" ")[0] for line in library.heard().decode().splitlines()]
        assert calls == ["load", "_Z5scalePfPKfi", "launch", "launch", "launch", "launch"]
    assert library.heard().decode().splitlines()[len(calls) :] == ["unload 0x2000 in 0x1000"]


def test_what_reads_arrays_of_a_gpu_ends_with_the_session() -> None:
    """Its worker is one without a GPU here: that it ends is what counts."""
    before = children_of()
    with kernelopt.Session("cpu") as session:
        worker = session.shared._workers["GPU-1"] = WorkerProcess("assistant.emulator")  # pyright: ignore[reportPrivateUsage]
        session.loop.wait(worker.request({"op": "describe"}, HANG_S))
        (child,) = children_of() - before
    assert child not in children_of()
