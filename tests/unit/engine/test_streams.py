"""Whether an edit waits for all that it needs: late runs of both versions, held against ordinary ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assistant.engine.evaluate.assessment import CountedRun
from assistant.engine.further_runs import FurtherRuns
from assistant.engine.judge.streams import UNCHECKED, OriginalRuns, StreamOrder, can_be_late, check_streams
from assistant.model.recording import Overtaking, Recording, Transfer
from assistant.model.source import Source
from assistant.model.workload import AutoTolerance
from assistant.ports.lab import LabFailure, ProgramRun
from assistant.workload.recordings import RecordingWriter, blob_name

RIGHT, WRONG = (np.full(64, value, np.float32).tobytes() for value in (1, 2))
STREAMS = "int main() { cudaStreamCreate(&s); }"


def version(text: str, *further: str) -> Any:
    sources = [Source(Path(f"/{index}.cu"), each) for index, each in enumerate((text, *further))]
    return SimpleNamespace(program=SimpleNamespace(sources=sources), source=sources[0], struct_text=sources[0].text)


@pytest.mark.parametrize(
    ("text", "is_late"),
    [
        (STREAMS, True),
        ("cudaMemcpyAsync(a, b, 4, k, 0);", True),
        ("__managed__ int x;", True),
        ("k<<<1, 1, 0, cudaStreamPerThread>>>();", True),
        ("cudaMallocHost(&p, 4);", True),
        ("// cudaStreamCreate(&s)", False),
        ("cudaMemcpy(a, b, 4, k); mycudaStreamCreate();", False),
    ],
)
def test_what_can_run_late_shows_in_the_text(text: str, is_late: bool) -> None:
    assert can_be_late(version(text)) is is_late
    assert can_be_late(version("int main() {}", text)) is is_late


class Runs:
    """Makes runs that pass these contents to the host."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def made(self, *passed: bytes, kind: str = "memcpy", overtaken: Sequence[Overtaking] = (), **more: object) -> ProgramRun:
        folder = self._folder / "recording"
        writer = RecordingWriter(folder)
        transfers = tuple(Transfer(kind if data else "unfinished", blob_name(data), len(data), 0, "float") for data in passed)
        for data in passed:
            writer.add_blob(data)
        recording = Recording((), (), transfers, (), overtaken=tuple(overtaken))
        run = ProgramRun(0, None, False, False, False, b"", b"", folder, recording, 1, (), (), ())
        return replace(run, **more)  # type: ignore[arg-type]


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


async def order(
    runs: Runs,
    late: ProgramRun | LabFailure,
    issued: ProgramRun | LabFailure | None = None,
    control: ProgramRun | LabFailure | None = None,
    *,
    ordinary: ProgramRun | None = None,
    first: ProgramRun | None = None,
    second: ProgramRun | None = None,
    texts: tuple[str, str] = (STREAMS, STREAMS),
) -> StreamOrder:
    """Of B's late run, B's run in the order of issue, and A's late run; where nothing is said, all is right."""
    right = runs.made(RIGHT)
    a, b = (version(f"{text} // {name}") for text, name in zip(texts, "AB", strict=True))
    answers = {(b.source.text, True): late, (b.source.text, False): issued or right, (a.source.text, True): control or right}

    class Lab:
        async def run_streams(self, program: Any, is_late: bool, limits: object) -> ProgramRun | LabFailure:
            return answers[program.sources[0].text, is_late]

    for each in (a, b):
        each.program = Hashed(each.program.sources)
    job: Any = SimpleNamespace(further_runs=FurtherRuns(), lab=Lab(), limits=None)
    original = OriginalRuns(a, first or right, second or right, AutoTolerance())
    return await check_streams(job, original, b, CountedRun((), (), (), ordinary or right))


class Hashed:
    def __init__(self, sources: list[Source]) -> None:
        self.sources = sources


async def test_a_late_run_that_passes_the_same_shows_that_b_waits(runs: Runs) -> None:
    assert await order(runs, runs.made(RIGHT)) == StreamOrder(True)
    assert await order(runs, runs.made(b"")) == StreamOrder(True), "what it never waited for is taken from the ordinary run"
    assert await order(runs, runs.made(RIGHT), texts=("int main() {}", STREAMS)) == StreamOrder(True)
    assert await order(runs, runs.made(RIGHT), texts=(STREAMS, "int main() {}")) == StreamOrder(True)


async def test_where_nothing_can_be_late_or_a_run_does_not_end_nothing_is_known(runs: Runs) -> None:
    failure, wrong = LabFailure("internal", "no lab", ""), runs.made(WRONG)
    assert await order(runs, wrong, texts=("int main() {}", "int main() {}")) == UNCHECKED
    for broken in (failure, *(replace(runs.made(RIGHT), **{why: True}) for why in ("timed_out", "memory_exceeded", "tasks_exceeded"))):
        assert await order(runs, broken) == UNCHECKED
        assert await order(runs, wrong, broken) == UNCHECKED
        assert await order(runs, wrong, None, broken) == UNCHECKED


async def test_a_difference_that_is_none_of_the_order_is_not_bs_fault(runs: Runs) -> None:
    wrong, right = runs.made(WRONG), runs.made(RIGHT)
    assert (await order(runs, wrong)).findings != ()
    assert await order(runs, wrong, wrong) == UNCHECKED, "B differs in the order of issue, too"
    assert await order(runs, wrong, None, wrong) == UNCHECKED, "so does the original when it is late"
    assert await order(runs, wrong, ordinary=wrong) == StreamOrder(True), "B has always left that"
    assert await order(runs, wrong, ordinary=right, first=wrong, second=wrong) == StreamOrder(True), "so has A"
    assert await order(runs, wrong, first=right, second=wrong) == StreamOrder(True), "what varies in the original's own runs is left out"


async def test_memory_that_the_host_sees_anyway_is_not_compared(runs: Runs) -> None:
    assert await order(runs, runs.made(RIGHT)) == StreamOrder(True)
    managed = [runs.made(one, kind="managed") for one in (RIGHT, WRONG)]
    assert await order(runs, managed[1], ordinary=managed[0], first=managed[0], second=managed[0]) == UNCHECKED


KNOWN, NEW = Overtaking("copy", 0, "k(float *)", 7), Overtaking("scale<1>(float*)", 9, "free", 0)


@pytest.mark.parametrize(
    ("before", "after", "cause", "line"),
    [
        ((), (NEW,), "nothing makes scale<1> (launched on line 9) wait for a cudaFreeAsync", 9),
        ((KNOWN,), (KNOWN, NEW), "nothing makes scale<1> (launched on line 9) wait for a cudaFreeAsync", 9),
        ((), (KNOWN, NEW), "nothing makes a copy wait for k (launched on line 7)", None),
        ((replace(KNOWN, first_line=3),), (KNOWN,), "B does not wait for all that it needs", None),
        ((), (replace(NEW, first_line=0, earlier="host_function"),), "nothing makes scale<1> wait for a host function", None),
        ((), (replace(KNOWN, first="fill"),), "nothing makes a fill (cudaMemset) wait for k (launched on line 7)", None),
    ],
)
async def test_the_operations_that_b_alone_lets_overtake_each_other_are_named(
    runs: Runs, before: tuple[Overtaking, ...], after: tuple[Overtaking, ...], cause: str, line: int | None
) -> None:
    found = await order(runs, runs.made(WRONG, overtaken=after), None, runs.made(RIGHT, overtaken=before))
    (finding,) = found.findings
    assert found.is_checked and (finding.code, finding.outcome, finding.line) == ("stream_order", "FAIL", line)
    suffix = ", which is issued before it and uses the same memory" if cause.startswith("nothing") else ""
    assert finding.message.startswith(f"{cause}{suffix}: with its streams as late as CUDA allows, ")


async def test_a_run_is_made_once_for_each_program_and_kind() -> None:
    asked = list[object]()

    class Lab:
        async def run_streams(self, *given: object) -> ProgramRun:
            asked.append(given[:2])
            return object()  # type: ignore[return-value]

        async def run(self, *given: object, record: bool) -> ProgramRun:
            asked.append((*given[:2], record))
            return object()  # type: ignore[return-value]

    runs, lab = FurtherRuns(), Lab()
    for program in ("a", "b", "a"):
        for is_late in (True, False):
            await runs.of_streams(lab, program, is_late, None)  # type: ignore[arg-type]
        await runs.fused(lab, program, None)  # type: ignore[arg-type]
    assert asked == [("a", True), ("a", False), ("a", "fused", True), ("b", True), ("b", False), ("b", "fused", True)]
