"""The worker's timing of several cases, on a virtual GPU: what is kept where somebody else has the GPU in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.device.gpu_protocol import CaseRequest, Image
from assistant.device.gpu_state import GpuState
from assistant.device.timing.ops import TimedCase, TimeRequest, time_pairs
from assistant.disk.gpu_lease import GpuBusyError, Lease
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.timing import LaunchIdentity, MeasuredPeaks, TimingOptions
from assistant.model.workload import CaseOrigin
from assistant.workload.recordings import NewCase, blob_name, write_case
from tests.unit.device.virtual_gpu import VirtualGpu

CONTENTS = bytes(64)
PEAKS = MeasuredPeaks("GPU-0", "580", 4.6e12, 7.9e12, 3.2e13, 1.6e13, 3.2e13, "best of 5")


class Kept(Lease):
    """Does not come back when it is offered for the ``at``-th time."""

    def __init__(self, folder: Path, at: int) -> None:
        super().__init__("GPU-0", folder)
        self._left = at

    def offer(self) -> bool:
        self._left -= 1
        if self._left == 0:
            raise GpuBusyError("another kernelopt measures")
        return False


def timed(folder: Path, kept_at: int) -> list[str]:
    """Shapes that are timed of three, where somebody else keeps the GPU from the ``kept_at``-th on."""
    (folder / "code").write_bytes(b"code")
    states = (BufferState(1, blob_name(CONTENTS), None),)
    argument = RecordedArgument(8, (0x1000).to_bytes(8, "little").hex(), (PointerField(0, 1, 0),))
    launch = RecordedLaunch(0, "k(char*)", LaunchConfig(Dim3(1), Dim3(32)), (argument,), states, "k.cu", 3)
    recording = Recording((RecordedBuffer(1, len(CONTENTS), 0x1000, None, "device"),), (launch,), (), ())
    new = NewCase(recording, {blob_name(CONTENTS): CONTENTS}, (0,), CaseOrigin("recorded", "", 0, 1.0, 1.0))
    asked = CaseRequest(write_case(folder / "case", new).recording, (0,))
    image = Image(folder / "code", (("k(char*)", "_Z1kPc"),))
    cases = tuple(TimedCase(asked, asked, f"n={index}", 1.0) for index in range(3))
    state = GpuState(VirtualGpu({"_Z1kPc": lambda gpu, arguments: 60e-6}))
    state.lease = Kept(folder, kept_at)
    request = TimeRequest(image, image, folder / "code", "nvcc", cases, TimingOptions(seed=1, wall_s=0.01), PEAKS, folder / "out")
    timing = time_pairs(state, request)
    assert all(case.a_launches == case.b_launches == (LaunchIdentity(launch.kernel, launch.config),) for case in timing.cases)
    return [case.shape for case in timing.cases]


def test_shapes_that_are_timed_are_kept_when_another_process_takes_the_gpu(tmp_path: Path) -> None:
    assert timed(tmp_path, kept_at=3) == ["n=0", "n=1"]


def test_a_gpu_that_another_process_keeps_from_the_start_is_busy(tmp_path: Path) -> None:
    with pytest.raises(GpuBusyError):
        timed(tmp_path, kept_at=1)
