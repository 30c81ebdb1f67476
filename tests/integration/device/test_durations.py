"""The second opinion on a case's time, on a virtual GPU and a library that answers in CUPTI's place."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest

from assistant.device.counters.library import Helper
from assistant.device.counters.protocol import Part, SamplingReply, SamplingRequest
from assistant.device.counters.sampler import Profilers
from assistant.device.counters.sampling import sample
from assistant.device.gpu_protocol import CaseRequest, Image
from assistant.device.gpu_state import GpuState
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.workload import CaseOrigin
from assistant.workload.recordings import NewCase, blob_name, write_case
from tests.unit.device.virtual_gpu import VirtualGpu

CONTENTS = bytes(64)
LIBRARY = """
#include <string>
static std::string said, answer;
static bool is_refused;
#define API extern "C" __attribute__((visibility("default")))
API void stand_in(const char* lines, bool refused) { answer = lines; is_refused = refused; }
API const char* counters_said() { return "no activity records: CUPTI_ERROR_TEST"; }
API const char* counters_answer() { return answer.c_str(); }
API int durations_start() { return is_refused; }
API int durations_stop() { return 0; }
"""
STEPS = "kernel\tkernelopt_sweep\t90000\nkernel\t_Z1kPc\t1200\nkernel\t_Z1kPc\t1300\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    (folder / "stand_in.cpp").write_text(LIBRARY, "utf-8")
    built = folder / "stand_in.so"
    subprocess.run(("g++", "-shared", "-fPIC", "-O0", "-o", str(built), str(folder / "stand_in.cpp")), check=True, timeout=100)
    return built


def reply(folder: Path, library: Path, lines: str, is_refused: bool = False) -> tuple[SamplingReply, list[tuple[int, int]]]:
    """Of a case of two launches of one kernel; and, of each of them, where its buffer lay and what it found there."""
    raw = ctypes.CDLL(str(library))
    raw.stand_in(lines.encode(), is_refused)
    found: list[tuple[int, int]] = []

    def adds(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
        """Adds 1 to the first byte of its buffer and notes the byte that it found."""
        address = int.from_bytes(arguments[0], "little")
        place = gpu.bytes_at(address, 1)
        found.append((address, place[0]))
        place[0] += 1
        return 1e-6

    (folder / "code").write_bytes(b"code")
    argument = RecordedArgument(8, (0x1000).to_bytes(8, "little").hex(), (PointerField(0, 1, 0),))
    states = (BufferState(1, blob_name(CONTENTS), None),)
    launches = tuple(RecordedLaunch(at, "k(char*)", LaunchConfig(Dim3(1), Dim3(32)), (argument,), states, "k.cu", 3) for at in (0, 1))
    recording = Recording((RecordedBuffer(1, len(CONTENTS), 0x1000, None, "device"),), launches, (), ())
    new = NewCase(recording, {blob_name(CONTENTS): CONTENTS}, (0, 1), CaseOrigin("recorded", "", 0, 1.0, 1.0))
    case = CaseRequest(write_case(folder / "case", new).recording, (0, 1))
    image = Image(folder / "code", (("k(char*)", "_Z1kPc"),))
    request = SamplingRequest(Part.DURATIONS, image, (case,), (), first_launch=0, launch_limit=1, wall_s=5.0, helpers=folder / "code")
    state = GpuState(VirtualGpu({"_Z1kPc": adds}))
    return sample(state, Profilers(Helper(library), clock_hz=1e9), request), found


def test_every_call_is_timed_with_all_its_launches_and_on_the_first_contents(tmp_path: Path, library: Path) -> None:
    answered, found = reply(tmp_path, library, STEPS)
    (launch,) = answered.launches
    assert launch.answer == ("cold 2500 warm 2500 " * 3 + "\n") * 8, "our own kernels are no part of the call"
    assert [value for _, value in found] == [0, 1] * 48
    assert len({address for address, _ in found}) == 8, "no two sets of buffers lie at one place: where they lie changes times"


def test_a_call_of_which_nothing_was_heard_has_no_time(tmp_path: Path, library: Path) -> None:
    answered, _ = reply(tmp_path, library, "kernel\tkernelopt_sweep\t90000\n")
    assert [launch.answer.split() for launch in answered.launches] == [[]]


def test_what_cupti_refuses_is_reported(tmp_path: Path, library: Path) -> None:
    answered, _ = reply(tmp_path, library, STEPS, is_refused=True)
    assert answered.failures == ("no activity records: CUPTI_ERROR_TEST",)
