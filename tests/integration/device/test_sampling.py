"""The process that drives CUPTI, on kernels of the host and a library that answers in CUPTI's place: contents, order, refusals."""

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
from tests.unit.device.host_driver import HostCode, HostDriver, HostKernel, address_of

CONTENTS = b"contents"
LIBRARY = """
#include <cstring>
#include <string>
static std::string refused, said, answer, calls, samples;
static int called(const char* name, const char* lines) {
  calls += std::string(name) + " ";
  if (refused == name) return said = refused + ": CUPTI_ERROR_TEST", 1;
  return answer = lines, 0;
}
#define API extern "C" __attribute__((visibility("default")))
API void refuse(const char* name) { refused = name; calls.clear(); }
API void find(const char* lines) { samples = lines; }
API const char* called_so_far() { return calls.c_str(); }
API const char* counters_said() { return said.c_str(); }
API const char* counters_answer() { return answer.c_str(); }
API int stalls_enable(unsigned) { return called("stalls_enable", ""); }
API int stalls_start() { return called("stalls_start", ""); }
API int stalls_stop() { return called("stalls_stop", samples.c_str()); }
API int stalls_disable() { return called("stalls_disable", ""); }
API int instructions_start(const char*) { return called("instructions_start", ""); }
API int instructions_stop() { return called("instructions_stop", "instructions\\n"); }
API int launch_enable(const char*) { return called("launch_enable", ""); }
API int launch_start() { return called("launch_start", ""); }
API int launch_stop() { return called("launch_stop", "whole\\n"); }
API int launch_disable() { return called("launch_disable", ""); }
"""
HERE = "stall\t_Z1kPc\t16\tsmsp__pcsamp_warps_issue_stalled_wait\t3\ncode\t_Z1kPc\t{checksum}\nsamples\t3\t0\n"


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
        self.seen: list[int] = []
        self._folder = folder
        self._raw = ctypes.CDLL(str(library))
        self._raw.called_so_far.restype = ctypes.c_char_p
        kernels = HostCode({"_Z1kPc": HostKernel(((0, 8),), self._add)})
        self._state = GpuState(HostDriver({b"code": kernels, b"other code": kernels}))
        self._profilers = Profilers(Helper(library), clock_hz=1e9)
        buffer = RecordedBuffer(1, 8, 0x1000, None, "device")
        argument = RecordedArgument(8, (0x1000).to_bytes(8, "little").hex(), (PointerField(0, 1, 0),))
        states = (BufferState(1, blob_name(CONTENTS), None),)
        launches = tuple(RecordedLaunch(at, "k(char*)", LaunchConfig(Dim3(1), Dim3(32)), (argument,), states, "k.cu", 3) for at in (0, 1))
        recording = Recording((buffer,), launches, (), ())
        new = NewCase(recording, {blob_name(CONTENTS): CONTENTS}, (0, 1), CaseOrigin("recorded", "", 0, 1.0, 1.0))
        self._case = CaseRequest(write_case(folder / "case", new).recording, (0, 1))

    def reply(
        self, part: Part = Part.SAMPLED, first: int = 0, limit: int = 8, refused: str = "", samples: str = HERE, code: bytes = b"code"
    ) -> tuple[SamplingReply, list[str]]:
        """What comes of it, and the library's calls. ``samples``: what CUPTI finds; ``code``: what is loaded."""
        (self._folder / "code").write_bytes(code)
        self._raw.refuse(refused.encode())
        self._raw.find(samples.encode())
        image = Image(self._folder / "code", (("k(char*)", "_Z1kPc"),))
        request = SamplingRequest(part, image, (self._case,), ("_Z1kPc",), first_launch=first, launch_limit=limit, wall_s=5.0)
        return sample(self._state, self._profilers, request), self._raw.called_so_far().decode().split()

    def _add(self, driver: HostDriver, given: tuple[bytes, ...]) -> None:
        place = address_of(given[0])
        (first,) = driver.read(place, 1)
        self.seen.append(first - CONTENTS[0])
        driver.write(place, bytes([first + 1]))


@pytest.fixture
def sampled(tmp_path: Path, library: Path) -> Sampled:
    return Sampled(tmp_path, library)


def test_every_part_runs_a_launch_on_what_those_before_it_leave(sampled: Sampled) -> None:
    reply, calls = sampled.reply()
    assert [launch.answer for launch in reply.launches] == [f"{HERE}whole\n"] * 2 and reply.failures == ()
    assert sampled.seen == [0, *(0, 1), 0, *(0, 1), 0, *(0, 1)]  # plain, as a whole, sampled: the first launch, the second behind it
    whole = [f"launch_{call}" for call in ("enable", "start", "stop", "disable")]
    assert calls == [*whole * 2, "stalls_enable", *("stalls_start", "stalls_stop") * 2, "stalls_disable"]


def test_the_instructions_of_a_single_launch_are_counted(sampled: Sampled) -> None:
    reply, calls = sampled.reply(Part.INSTRUCTIONS, first=1, limit=1)
    assert [launch.answer for launch in reply.launches] == ["instructions\n"]
    assert sampled.seen == [0, 1] and calls == ["instructions_start", "instructions_stop"]


@pytest.mark.parametrize(("refused", "left"), [("stalls_start", "whole\n"), ("launch_start", HERE), ("stalls_enable", "whole\n")])
def test_a_part_that_cupti_refuses_is_left_out_and_named_once(sampled: Sampled, refused: str, left: str) -> None:
    reply, _ = sampled.reply(refused=refused)
    assert [launch.answer for launch in reply.launches] == [left] * 2
    assert reply.failures == (f"{refused}: CUPTI_ERROR_TEST",) and not reply.is_lost


@pytest.mark.parametrize(
    ("samples", "is_stale"),
    [
        (HERE.format(checksum=2), False),
        (HERE.format(checksum=1), True),  # still the code before
        (HERE.format(checksum=2).replace("_Z1kPc", "_Z5otherPc"), True),
        ("samples\t7\t0\n", True),  # of nobody
        ("samples\t0\t0\n", False),
    ],
)
def test_samples_that_cupti_takes_for_those_of_code_before_are_not_believed(sampled: Sampled, samples: str, is_stale: bool) -> None:
    first, _ = sampled.reply(samples=HERE.format(checksum=1))
    again, _ = sampled.reply(samples=HERE.format(checksum=1))
    assert not first.is_stale and not again.is_stale
    second, _ = sampled.reply(samples=samples, code=b"other code")
    assert (second.is_stale, second.is_lost, len(second.launches)) == (is_stale, is_stale, 0 if is_stale else 2)
