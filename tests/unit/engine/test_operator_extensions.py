"""Calls of a candidate's own extensions: when they are told, which answers are whole, and whether a function returns too early."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from assistant.engine.operators import judging, tracing
from assistant.model import events
from assistant.model.profile import Problem
from assistant.model.recording import DeviceStep, Recording
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from assistant.program.torch_place import TorchPlace
from tests.unit.engine import test_operator_pairs
from tests.unit.engine.test_operator_pairs import CUDA, DIGESTS, IN_UNIT, LINE, Asked, ExtensionLab, Sides, answers, ran
from tests.unit.operators.test_texts import TASK

STREAM = CUDA.replace(";", "; // cudaStreamCreate(&s)")
KINDS = ("legacy", "blocking", "non_blocking")
LAUNCH, COPY = (DeviceStep("launch", 0, stream=2), DeviceStep("copy_to_host", stream=1, size_bytes=4, is_waited=True, is_pinned=True))
RECORDED, AWAITED = DeviceStep("record", stream=2, event=1), DeviceStep("await", stream=1, event=1)
FILL = DeviceStep("fill", stream=1, size_bytes=4)


@dataclass
class StreamLab(ExtensionLab):
    """Keeps which programs it was asked to run for their streams; each comes to these steps."""

    steps: tuple[DeviceStep, ...] | None = ()
    failure: LabFailure | None = None
    looked_at: list[tuple[Program, bool, float]] = field(default_factory=list[tuple[Program, bool, float]])

    async def run_streams(self, program: Program, is_late: bool, limits: RunLimits) -> ProgramRun | LabFailure:
        self.looked_at.append((program, is_late, limits.whole_s))
        recording = None if self.steps is None else Recording((), (), (), (), steps=self.steps, stream_kinds=KINDS)
        return self.failure or ran(recording=recording)


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    made = Asked(Sides(tmp_path), StreamLab(tmp_path, {}, ends=[ran(answers(b"one"))]))
    monkeypatch.setattr(tracing, "torch_place", lambda _: TorchPlace("python3", tmp_path, "2.13.0", None, None))
    monkeypatch.setattr(judging, "TorchSides", lambda *_: made.sides)
    return made


@pytest.fixture
def streaming(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> StreamLab:
    """The extension makes a stream of its own."""
    monkeypatch.setattr(test_operator_pairs, "CUDA", STREAM)
    assert isinstance(asked.lab, StreamLab)
    return asked.lab


async def works_aside(asked: Asked) -> bool:
    """Whether the verdict says that a function returned too early."""
    await asked.judge()
    findings = asked.only(events.ComparisonMade).verification.findings
    return any("stream" in found.message for found in findings)


@pytest.mark.parametrize(
    ("steps", "is_aside"),
    [
        ((LAUNCH, COPY), True),
        ((LAUNCH, RECORDED, AWAITED, COPY), False),
        ((LAUNCH, RECORDED, AWAITED, FILL, COPY), False),
        ((LAUNCH, RECORDED, AWAITED, COPY, LAUNCH), False),
        ((LAUNCH, RECORDED, AWAITED, COPY, LAUNCH, COPY), True),
        ((LAUNCH, RECORDED, LAUNCH, AWAITED, COPY), True),
        ((FILL, COPY), False),
        ((LAUNCH, DeviceStep("wait"), COPY), False),
        ((LAUNCH, FILL), False),
        ((), False),
        (None, False),
    ],
)
async def test_a_copy_to_the_host_that_is_not_behind_an_earlier_launch_shows_a_function_that_returned_too_early(
    asked: Asked, streaming: StreamLab, steps: tuple[DeviceStep, ...] | None, is_aside: bool
) -> None:
    streaming.steps = steps
    assert await works_aside(asked) is is_aside
    ((program, is_late, whole_s),) = streaming.looked_at
    assert (program, is_late, whole_s) == (streaming.programs_run[-1], False, 0.0), "the last calls once more, to their end"


async def test_streams_are_looked_at_where_the_extension_makes_some_and_the_lab_can_say(asked: Asked) -> None:
    assert isinstance(asked.lab, StreamLab)
    asked.lab.steps = (LAUNCH, COPY)
    assert not await works_aside(asked) and asked.lab.looked_at == []


async def test_a_lab_that_cannot_look_at_streams_says_nothing_against_a_candidate(asked: Asked, streaming: StreamLab) -> None:
    streaming.steps, streaming.failure = (LAUNCH, COPY), LabFailure("internal", "the lab lost its worker", "")
    assert not await works_aside(asked) and len(streaming.looked_at) == 1


async def test_of_several_extensions_the_first_that_returns_too_early_is_enough(asked: Asked, streaming: StreamLab) -> None:
    asked.sides.calls = lambda _: [[DIGESTS[0]], [DIGESTS[0]]]
    streaming.steps = (LAUNCH, COPY)
    assert await works_aside(asked) and len(streaming.looked_at) == 1


async def test_an_extension_is_told_when_it_is_built_and_not_each_time_it_runs(asked: Asked) -> None:
    asked.sides.calls = lambda count: [[*DIGESTS[: count + 1]][:2]]
    asked.lab.ends = [ran(answers(b"one")), ran(answers(b"one", b"three"))]
    await asked.judge()
    told = [each for each in asked.heard.events if isinstance(each, events.StageStarted | events.StageEnded) and "extension" in each.detail]
    assert [(type(each), each.stage, each.detail) for each in told] == [
        (events.StageStarted, "build", "the extension twice, for the emulator"),
        (events.StageEnded, "build", "the extension twice is built and has run"),
    ]


@pytest.mark.parametrize("missing", [1, 2, 7, 8, 9])
async def test_an_answer_that_was_cut_short_is_none(asked: Asked, missing: int) -> None:
    asked.sides.calls = lambda _: [[*DIGESTS]]
    whole = answers(b"one", b"t")
    asked.lab.ends = [ran(whole[: len(whole) - missing], exit_status=4)]
    await asked.judge()
    data = (asked.sides.folder("candidate") / "answers0.bin").read_bytes()
    left: list[Any] = []
    while data:
        (size,) = struct.unpack_from("<q", data)
        head = 8 + len(DIGESTS[0])
        left.append((data[8:head].decode(), data[head : head + size][:1]))
        data = data[head + size :]
    assert left == [*zip(DIGESTS, (b"o", b"E", b"E"), strict=True)]


@pytest.mark.parametrize(("line", "shown"), [(IN_UNIT, LINE), (1, 0), (None, 0)])
async def test_defects_are_shown_at_lines_of_the_candidate(asked: Asked, line: int | None, shown: int) -> None:
    problem = Problem("out_of_bounds", "beyond y", "twice.cu", cast("int", line), None, None, None, None, 3, 1)
    asked.lab.ends = [ran(answers(b"one"), problems=(problem,))]
    await asked.judge()
    (finding,) = asked.only(events.ComparisonMade).verification.findings
    assert (finding.message, finding.line or 0) == ("beyond y", shown)


async def test_a_candidate_that_changes_its_inputs_fails(asked: Asked) -> None:
    cases = [{"first": asked.sides._pass(number), "second": asked.sides._pass(number)} for number in range(2)]  # pyright: ignore[reportPrivateUsage]
    cases[1]["first"]["inputs_after"] = [{"sha256": "another"}]
    asked.sides.changes = {"cases": cases}
    assert (await asked.judge()).exit_code == 1
    assert "input" in asked.only(events.ComparisonMade).verification.findings[0].message


async def test_a_task_whose_sizes_cannot_be_changed_is_judged_at_its_own_alone(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_operator_pairs, "TASK", TASK.replace("rows = 8\n", "").replace("rows,", "8,"))
    await asked.judge()
    assert asked.sides.orders[0]["size_trials"] == []
