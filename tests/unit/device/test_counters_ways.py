"""Which way to count is taken, why not a better one, and what CUPTI's refusals mean to people."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from assistant.device.counters.collect import counted
from assistant.device.counters.cupti import refusal_of_cupti
from assistant.device.counters.failure import CountingFailure
from assistant.device.counters.ncu_run import NcuRuns
from assistant.device.counters.protocol import CountersReply, CountersRequest, Part, SamplingRequest
from assistant.device.counters.sampler import period_exponent
from assistant.device.counters.sampling_process import SamplingProcess
from assistant.device.gpu_protocol import Image
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import LaunchProfile, Method

REQUEST = CountersRequest(Image(Path("/a.cubin"), ()), (), ("_Z1kPf",), (), 1, 60.0, Path("/cache"))


def profile(method: Method) -> LaunchProfile:
    return LaunchProfile(0, "k", LaunchConfig(Dim3(1), Dim3(32)), method, "a GPU", 1, (), (), (), None, None, ())


@dataclass
class Way:
    """One that answers as it is told."""

    reply: CountersReply
    asked: list[CountersRequest] = field(default_factory=list[CountersRequest])

    def collect(self, request: CountersRequest) -> CountersReply:
        self.asked.append(request)
        return self.reply


def counts(method: Method) -> Way:
    return Way(CountersReply((profile(method),)))


def refuses(kind: str) -> Way:
    return Way(CountersReply((), (CountingFailure(kind, f"it is {kind}", "fix it"),)))


def methods(launches: Sequence[LaunchProfile]) -> list[Method]:
    return [launch.method for launch in launches]


@pytest.mark.parametrize("preferred", [Method.NCU, Method.CUPTI])
def test_the_preferred_way_counts(preferred: Method) -> None:
    ways = {method: counts(method) for method in (Method.NCU, Method.CUPTI)}
    reply = counted(ways, replace(REQUEST, preferred=preferred))
    assert methods(reply.launches) == [preferred] and reply.refusals == ()
    assert [method for method, way in ways.items() if way.asked] == [preferred]


@pytest.mark.parametrize("kind", ["missing", "slow", "timed_out", "failed", "busy", "unsupported"])
def test_where_ncu_cannot_cupti_counts_and_says_why(kind: str) -> None:
    reply = counted({Method.NCU: refuses(kind), Method.CUPTI: counts(Method.CUPTI)}, REQUEST)
    assert methods(reply.launches) == [Method.CUPTI] and [refusal.kind for refusal in reply.refusals] == [kind]


def test_counters_that_are_forbidden_to_one_way_are_not_asked_of_the_other() -> None:
    other = counts(Method.CUPTI)
    reply = counted({Method.NCU: refuses("forbidden"), Method.CUPTI: other}, REQUEST)
    assert reply.launches == () and [refusal.kind for refusal in reply.refusals] == ["forbidden"] and not other.asked


def test_without_ncu_its_way_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.device.counters.ncu._SYSTEM", tmp_path)
    monkeypatch.setattr("assistant.device.counters.ncu._NSIGHT", tmp_path)
    (refusal,) = NcuRuns({"PATH": str(tmp_path)}).collect(REQUEST).refusals
    assert refusal.kind == "missing" and "Nsight Compute" in refusal.remedy


@pytest.mark.parametrize(
    ("failure", "kind", "words"),
    [
        ("cuptiPCSamplingEnable: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "forbidden", "NVreg_RestrictProfilingToAdminUsers=0"),
        ("cuptiRangeProfilerStart: CUPTI_ERROR_HARDWARE_BUSY", "busy", "dcgmi profile --pause"),
        ("cuptiSassMetricsEnable: CUPTI_ERROR_NOT_SUPPORTED", "unsupported", "MIG"),
        ("the launches did not end within 60 s", "timed_out", "--timeout"),
        ("its process ended with status -6", "failed", "Nsight Compute"),
        ("it counted no instruction", "failed", "Nsight Compute"),
    ],
)
def test_each_refusal_of_cupti_names_its_cause_and_its_fix(failure: str, kind: str, words: str) -> None:
    refusal = refusal_of_cupti(failure)
    assert refusal.kind == kind and failure in f"{refusal.message} ({failure})" and words in f"{refusal.message} {refusal.remedy}"


def test_a_process_that_ends_before_it_answers_is_lost_and_says_how(tmp_path: Path) -> None:
    process = SamplingProcess(tmp_path / "no library", os.environ)
    process.send(SamplingRequest(Part.SAMPLED, REQUEST.image, (), (), first_launch=0, launch_limit=1, wall_s=1.0))
    reply = process.receive(time.monotonic() + 60)
    process.close()
    assert reply.is_lost and "ended with status 1" in reply.failures[0] and not process.is_alive


@pytest.mark.parametrize(("duration_s", "exponent"), [(1e-6, 8), (66e-6, 8), (70e-6, 9), (1e-3, 12), (1.0, 22), (1e9, 31)])
def test_every_sm_gives_a_few_hundred_samples_of_a_launch(duration_s: float, exponent: int) -> None:
    assert period_exponent(duration_s, clock_hz=1.98e9) == exponent
