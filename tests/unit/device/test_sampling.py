"""The process that drives CUPTI, on kernels of the host and a library that answers in CUPTI's place: contents, order, refusals."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.device.counters.library import Helper
from assistant.device.counters.protocol import Part, SamplingReply, SamplingRequest
from assistant.device.counters.sampling import sample
from assistant.device.gpu_protocol import CaseRequest, Image
from assistant.device.gpu_state import GpuState
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.workload import CaseOrigin
from assistant.workload.recordings import NewCase, blob_name, write_case
from tests.unit.device.host_driver import HostCode, HostDriver, HostKernel, address_of

CONTENTS = b"contents"
LIBRARY = """
#include <cstring>
#include <string>
static std::string refused, said, answer, calls;
static int called(const char* name, const char* lines) {
  calls += std::string(name) + " ";
  if (refused == name) return said = refused + ": CUPTI_ERROR_TEST", 1;
  return answer = lines, 0;
}
#define API extern "C" __attribute__((visibility("default")))
API void refuse(const char* name) { refused = name; calls.clear(); }
API const char* called_so_far() { return calls.c_str(); }
API const char* counters_said() { return said.c_str(); }
API const char* counters_answer() { return answer.c_str(); }
API int stalls_enable(unsigned) { return called("stalls_enable", ""); }
API int stalls_start() { return called("stalls_start", ""); }
API int stalls_stop() { return called("stalls_stop", "stalls\\n"); }
API int stalls_disable() { return called("stalls_disable", ""); }
API int instructions_start(const char*) { return called("instructions_start", ""); }
API int instructions_stop() { return called("instructions_stop", "instructions\\n"); }
API int launch_enable(const char*) { return called("launch_enable", ""); }
API int launch_start() { return called("launch_start", ""); }
API int launch_stop() { return called("launch_stop", "whole\\n"); }
API int launch_disable() { return called("launch_disable", ""); }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    (folder / "stand_in.cpp").write_text(LIBRARY, "utf-8")
    built = folder / "stand_in.so"
    subprocess.run(("g++", "-shared", "-fPIC", "-O0", "-o", str(built), str(folder / "stand_in.cpp")), check=True, timeout=100)
    return built


class Sampled:
    """Two launches of a kernel that adds one to its first byte, and what it saw there each time."""

    def __init__(self, folder: Path, library: Path) -> None:
        (folder / "code").write_bytes(b"code")
        self.seen: list[int] = []
        self._driver = HostDriver({b"code": HostCode({"_Z1kPc": HostKernel(((0, 8),), self._add)})})
        self._library = library
        buffer = RecordedBuffer(1, 8, 0x1000, None, "device")
        argument = RecordedArgument(8, (0x1000).to_bytes(8, "little").hex(), (PointerField(0, 1, 0),))
        states = (BufferState(1, blob_name(CONTENTS), None),)
        launches = tuple(RecordedLaunch(at, "k(char*)", LaunchConfig(Dim3(1), Dim3(32)), (argument,), states, "k.cu", 3) for at in (0, 1))
        recording = Recording((buffer,), launches, (), ())
        new = NewCase(recording, {blob_name(CONTENTS): CONTENTS}, (0, 1), CaseOrigin("recorded", "", 0, 1.0, 1.0))
        case = CaseRequest(write_case(folder / "case", new).recording, (0, 1))
        image = Image(folder / "code", (("k(char*)", "_Z1kPc"),))
        self.request = SamplingRequest(Part.SAMPLED, image, (case,), ("_Z1kPc",), first_launch=0, launch_limit=8, wall_s=5.0)

    def reply(self, part: Part, first_launch: int, launch_limit: int, refused: str = "") -> tuple[SamplingReply, list[str]]:
        """What comes of it, and the library's calls."""
        helper, raw = Helper(self._library), ctypes.CDLL(str(self._library))
        raw.refuse(refused.encode())
        raw.called_so_far.restype = ctypes.c_char_p
        request = replace(self.request, part=part, first_launch=first_launch, launch_limit=launch_limit)
        return sample(GpuState(self._driver), helper, request), raw.called_so_far().decode().split()

    def _add(self, driver: HostDriver, given: tuple[bytes, ...]) -> None:
        place = address_of(given[0])
        (first,) = driver.read(place, 1)
        self.seen.append(first - CONTENTS[0])
        driver.write(place, bytes([first + 1]))


@pytest.fixture
def sampled(tmp_path: Path, library: Path) -> Sampled:
    return Sampled(tmp_path, library)


def test_every_part_runs_a_launch_on_what_those_before_it_leave(sampled: Sampled) -> None:
    reply, calls = sampled.reply(Part.SAMPLED, first_launch=0, launch_limit=8)
    assert [launch.answer for launch in reply.launches] == ["stalls\nwhole\n"] * 2 and reply.failures == ()
    assert sampled.seen == [0, 0, 0, *(0, 1), *(0, 1), *(0, 1)]  # plain, sampled, as a whole: of the first, then of the second
    once = [
        "stalls_enable",
        "stalls_start",
        "stalls_stop",
        "stalls_disable",
        "launch_enable",
        "launch_start",
        "launch_stop",
        "launch_disable",
    ]
    assert calls == once * 2


def test_the_instructions_of_one_launch_are_counted(sampled: Sampled) -> None:
    reply, calls = sampled.reply(Part.INSTRUCTIONS, first_launch=1, launch_limit=1)
    assert [launch.answer for launch in reply.launches] == ["instructions\n"]
    assert sampled.seen == [0, 1, 0, 1] and calls == ["instructions_start", "instructions_stop"]


@pytest.mark.parametrize(("refused", "left"), [("stalls_start", "whole\n"), ("launch_start", "stalls\n"), ("stalls_enable", "whole\n")])
def test_a_part_that_cupti_refuses_is_left_out_and_named_once(sampled: Sampled, refused: str, left: str) -> None:
    reply, _ = sampled.reply(Part.SAMPLED, first_launch=0, launch_limit=8, refused=refused)
    assert [launch.answer for launch in reply.launches] == [left] * 2
    assert reply.failures == (f"{refused}: CUPTI_ERROR_TEST",) and not reply.is_lost
