"""What tolerances are measured against: which cases get float64 values and moved inputs, and what is missing where a lab fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assistant.engine.evaluate.judged_case import JudgedCase
from assistant.engine.judge.references import find_references, perturbed_runs
from assistant.engine.judge.replaying import FloatReference
from assistant.errors import CannotAnswerError
from assistant.model.build import Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Source
from assistant.model.workload import Case
from assistant.ports.lab import CaseRun, LabFailure, Program, ReferenceCall, ReplayRun, RunLimits
from assistant.verify.evidence import Reference
from assistant.workload.recordings import RecordingReader, blob_name
from tests.unit.workload.launches import launched

TEXT = "struct Point { float x; int cell; };\nstruct Cell { int a; int b; };\n__global__ void k(float *p0) {}\n"
FLOATS, INTEGERS = np.linspace(1, 2, 64, dtype=np.float32), np.arange(64, dtype=np.int32)


def judged(values: np.ndarray, element_type: str | None = None, kernel: str = "k(float*)", **more: Any) -> JudgedCase:
    new, parameters = launched(LaunchConfig(Dim3(1), Dim3(32)), {}, values)
    (buffer,), (launch,) = new.recording.buffers, new.recording.launches
    buffers = (replace(buffer, element_type=element_type or buffer.element_type),)
    new = replace(new, recording=replace(new.recording, buffers=buffers, launches=(replace(launch, kernel=kernel),)))
    return JudgedCase(new, "k(float *)", (parameters,), ((0, "p0"),), frozenset(), 0, **more)


@dataclass
class Lab:
    """Leaves what it was given, or fails."""

    folder: Path
    failure: LabFailure | None = None
    failed: frozenset[int] = frozenset()
    """Cases, by their place, that do not run."""
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list[tuple[str, tuple[str, ...]]])
    given: list[bytes] = field(default_factory=list[bytes])
    returned: tuple[tuple[str, bytes], ...] | LabFailure = ()
    """By the user's own function."""
    calls: list[ReferenceCall] = field(default_factory=list[ReferenceCall])

    async def reference(self, call: ReferenceCall, limits: object) -> tuple[tuple[str, bytes], ...] | LabFailure:
        self.calls.append(call)
        return self.returned

    async def replay(self, program: Program, cases: Sequence[Case], options: object, limits: object) -> ReplayRun | LabFailure:
        return self._answer("moved", program, cases)

    async def replay_promoted(self, program: Program, cases: Sequence[Case], options: object, limits: object) -> ReplayRun | LabFailure:
        return self._answer("doubles", program, cases)

    def _answer(self, what: str, program: Program, cases: Sequence[Case]) -> ReplayRun | LabFailure:
        self.asked.append((f"{len(cases)} {what}", program.kernels))
        runs = list[CaseRun]()
        for place, case in enumerate(cases):
            reader = RecordingReader(case.recording)
            data = reader.blob(reader.recording.launches[0].buffers[0].before)
            (self.folder / blob_name(data)).write_bytes(data)
            self.given.append(data)
            is_ok = place not in self.failed
            runs.append(CaseRun(is_ok, None if is_ok else "crashed", ((0, blob_name(data)),), True, None, (), ()))
        return self.failure or ReplayRun(tuple(runs), self.folder)


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    (tmp_path / "left").mkdir()
    return Lab(tmp_path / "left")


def setting(lab: Lab) -> tuple[Any, Any]:
    job = SimpleNamespace(lab=lab, scratch=lab.folder.parent, limits=RunLimits())
    source = Source(Path("/k.cu"), TEXT)
    return job, SimpleNamespace(source=source, struct_text=source.text, program=Program((source,), Flags()), declared=())


POINTS = (judged(INTEGERS, "Point"), judged(INTEGERS, "Cell"))


async def test_cases_with_floats_are_rebuilt_with_doubles_where_that_is_wanted(lab: Lab) -> None:
    given = judged(FLOATS, given=((0, b"given"),))
    cases = [judged(FLOATS), judged(INTEGERS), judged(FLOATS), given, *POINTS, judged(FLOATS, kernel="j<half2, float4>(float*)")]
    found, missing = await find_references(*setting(lab), cases, [True, True, False, True, True, True, True])
    assert lab.asked == [("2 doubles", ("j<double2, double4>(double*)", "k(double*)"))] and missing is None
    wide = FloatReference(((0, FLOATS.astype(np.float64).tobytes()),))
    none = FloatReference()
    assert found == [wide, none, none, FloatReference(((0, b"given"),), Reference.DECLARED), none, none, wide]
    assert await find_references(*setting(lab), cases, [False] * 7) == ([none, none, none, found[3], none, none, none], None)
    assert len(lab.asked) == 1


@pytest.mark.parametrize(("outputs", "asked"), [(("p0", "other"), ("p0", "other")), ((), ("p0",))])
async def test_the_users_own_function_is_called_from_the_file_next_to_the_source(
    lab: Lab, outputs: tuple[str, ...], asked: tuple[str, ...]
) -> None:
    job, version = setting(lab)
    version.declared = (SimpleNamespace(reference="refs/own.py:doubled", outputs=outputs),)
    lab.returned = (("p0", b"right"), ("other", b"of no buffer"))
    found, missing = await find_references(job, version, [judged(FLOATS)], [True])
    assert (found, missing) == ([FloatReference(((0, b"right"),), Reference.DECLARED)], None)
    (call,) = lab.calls
    assert (call.path, call.function, call.outputs) == (Path("/refs/own.py"), "doubled", asked)
    (argument,) = call.arguments
    assert (argument.name, argument.dtype) == ("p0", "<f8")
    lab.returned = LabFailure("raised", "own.py:3: no such name", "correct own.py")
    with pytest.raises(CannotAnswerError, match=r"^own\.py:3: no such name") as caught:
        await find_references(job, version, [judged(FLOATS)], [True])
    assert caught.value.remedy == "correct own.py"


@pytest.mark.parametrize(
    ("kind", "is_missing"),
    [("timed_out", True), ("crashed", True), ("internal", True), ("no_space", True), ("not_built", False), ("unsupported", False)],
)
async def test_a_source_that_cannot_be_rebuilt_is_no_failure_and_a_lab_that_fails_is(lab: Lab, kind: str, is_missing: bool) -> None:
    lab.failure = LabFailure(kind, "it broke", "")
    found, missing = await find_references(*setting(lab), [judged(FLOATS)], [True])
    assert (found, missing) == ([FloatReference()], "float64 values: it broke" if is_missing else None)
    runs, missing = await perturbed_runs(*setting(lab), [judged(FLOATS)], [True])
    assert (runs, missing) == ([()], "how far the original's results move with its inputs: it broke")


async def test_a_case_that_does_not_run_has_no_values_and_others_keep_their_own(lab: Lab) -> None:
    lab.failed = frozenset({0})
    found, _ = await find_references(*setting(lab), [judged(FLOATS), judged(INTEGERS), judged(FLOATS * 2)], [True] * 3)
    assert [bool(one.values) for one in found] == [False, False, True]
    assert dict(found[2].values)[0] == (FLOATS * 2).astype(np.float64).tobytes()


async def test_floats_and_members_that_are_floats_are_moved_to_their_neighbours_eight_times(lab: Lab) -> None:
    pattern = np.stack([FLOATS.view(np.int32), INTEGERS], axis=1).reshape(-1)
    large = judged(np.ones((4 << 20) + 1, np.float32))
    cases = [judged(FLOATS), judged(INTEGERS), judged(pattern, "Point"), large, judged(FLOATS * 2)]
    lab.failed = frozenset({1})
    found, missing = await perturbed_runs(*setting(lab), cases, [True, True, True, True, False])
    assert lab.asked == [("16 moved", ("k(float*)",))] and missing is None
    assert [len(runs) for runs in found] == [7, 0, 8, 0, 0]
    moved = [np.frombuffer(data, np.float32) for data in lab.given[:8]]
    assert all(0 < np.abs(one.view(np.int32) - FLOATS.view(np.int32)).max() <= 1 for one in moved)
    assert len({one.tobytes() for one in moved}) == 8
    members = [np.frombuffer(data, np.int32).reshape(-1, 2) for data in lab.given[8:]]
    assert all((one[:, 1] == INTEGERS).all() and 0 < np.abs(one[:, 0] - FLOATS.view(np.int32)).max() <= 1 for one in members)


async def test_up_to_sixteen_mebibytes_are_moved_and_arbitrary_contents_never(lab: Lab) -> None:
    new = judged(FLOATS).new
    (buffer,) = new.recording.buffers
    arbitrary = replace(new, recording=replace(new.recording, buffers=(replace(buffer, is_poisoned=True),)))
    await perturbed_runs(*setting(lab), [replace(judged(FLOATS), new=arbitrary)], [True])
    assert set(lab.given) == {FLOATS.tobytes()}
    assert await perturbed_runs(*setting(lab), [judged(INTEGERS)], [True]) == ([()], None)
    assert len(lab.asked) == 1
