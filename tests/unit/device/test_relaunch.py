"""The process that profilers and sanitizers watch: it starts launches as the program did; a tool that saw none has not looked."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.device.driver import PreparedLaunch, StreamHandle
from assistant.device.gpu_protocol import CaseRequest, Image
from assistant.device.gpu_state import GpuState
from assistant.device.relaunch import RelaunchRequest, relaunch
from assistant.device.sanitizer.run import SanitizeReply, SanitizeRequest, sanitize
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.workload import CaseOrigin
from assistant.workload.recordings import NewCase, blob_name, write_case
from tests.unit.device.host_driver import HostCode, HostDriver, HostKernel, address_of

CONTENTS = b"contents"
_CLEAN = "========= COMPUTE-SANITIZER\n{said}========= ERROR SUMMARY: 0 errors\n"


class WatchedDriver(HostDriver):
    """Keeps how each kernel was started."""

    launched: tuple[bool, ...] = ()

    def launch(self, prepared: PreparedLaunch, stream: StreamHandle | None = None) -> None:
        self.launched += (prepared.is_cooperative,)
        super().launch(prepared, stream)


def recorded(folder: Path, is_cooperative: bool) -> CaseRequest:
    buffer = RecordedBuffer(1, 8, 0x1000, None, "device")
    argument = RecordedArgument(8, (0x1000).to_bytes(8, "little").hex(), (PointerField(0, 1, 0),))
    states = (BufferState(1, blob_name(CONTENTS), None),)
    launch = RecordedLaunch(0, "k(char*)", LaunchConfig(Dim3(1), Dim3(32)), (argument,), states, "k.cu", 3, is_cooperative)
    new = NewCase(Recording((buffer,), (launch,), (), ()), {blob_name(CONTENTS): CONTENTS}, (0,), CaseOrigin("recorded", "", 0, 1.0, 1.0))
    return CaseRequest(write_case(folder / "case", new).recording, (0,))


@pytest.mark.parametrize("is_cooperative", [True, False])
def test_a_launch_is_started_the_way_it_was_recorded(tmp_path: Path, is_cooperative: bool) -> None:
    (tmp_path / "code").write_bytes(b"code")
    seen: list[bytes] = []
    kernel = HostKernel(((0, 8),), lambda driver, given: seen.append(driver.read(address_of(given[0]), 8)))
    driver = WatchedDriver({b"code": HostCode({"_Z1kPc": kernel})})
    image = Image(tmp_path / "code", (("k(char*)", "_Z1kPc"),))
    relaunch(driver, RelaunchRequest(image, (recorded(tmp_path, is_cooperative),), 0xAB, is_poison_written=True, wall_s=1.0))
    assert (driver.launched, seen) == ((is_cooperative,), [CONTENTS])


def looked(folder: Path, monkeypatch: pytest.MonkeyPatch, said: str, status: int) -> SanitizeReply:
    """What comes of a tool that finds nothing in a program which says and ends so."""
    tool = folder / "bin" / "compute-sanitizer"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\ncat <<'END'\n{_CLEAN.format(said=said)}END\nexit {status}\n", "utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(folder))
    request = SanitizeRequest(Image(folder / "code", ()), (), (), (), wall_s=20.0, tools=("memcheck",))
    return sanitize(GpuState(HostDriver({})), request)


def test_a_tool_that_found_nothing_in_launches_that_ran_has_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked(tmp_path, monkeypatch, "", status=0) == SanitizeReply((), ())


def test_a_tool_that_found_nothing_in_launches_that_failed_has_not_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = looked(tmp_path, monkeypatch, "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)\n", status=1)
    assert reply.missing == ("compute-sanitizer's memcheck failed: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)",)
