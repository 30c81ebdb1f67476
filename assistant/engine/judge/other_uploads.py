"""A program that can only be judged as a whole, run with other contents uploaded: is B right only for the program's own values?

What the host copies to the device is replaced, in both versions by the same rule: contents that depend on nothing but the program's own
(``Lab.run(uploads=…)``). What then reaches the host is compared as for the program itself. Example::

    others = await other_uploads(job, sides)
    others.draw_count         # 4: on so many other draws B leaves what A leaves
    others.findings           # () there

What only one version uploads stays as it is: nobody knows what should stand there with other values. So a difference is then a question to
a person, and so is that nothing could be varied.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from assistant.disk.removal import remove_tree
from assistant.engine.evaluate import OTHER_ORDER, CountedRun, trace_of, with_types
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.judge.block_results import BlockResults, marked, transfers_of_blocks
from assistant.engine.judge.uploaded import UploadsOfBoth, new_arguments, uploads_of_both
from assistant.engine.source_version import SourceVersion
from assistant.model.elements import ElementType
from assistant.model.profile import Problem
from assistant.model.verification import CannotJudge, Label, Outcome, VerificationFinding
from assistant.model.workload import Tolerance
from assistant.ports.lab import LabFailure, ProgramRun
from assistant.record import Record
from assistant.verify.evidence import DetectedLabel
from assistant.verify.lines import LinePairs, Text, TextPair
from assistant.verify.numbers import element_of, floats, guessed_type
from assistant.verify.problems import new_findings
from assistant.verify.program import compare_programs
from assistant.verify.tolerance import one_ulp
from assistant.verify.transfer_values import UNTYPED
from assistant.verify.transfers import HostData, ProgramTrace
from assistant.workload.derive import changed
from assistant.workload.recordings import NewCase
from assistant.workload.uploads import DrawnValues, categories_in, draws, words_of

__all__ = ["OtherUploads", "Sides", "other_uploads"]

_RUN_S = 10.0
"""Limit of a run with other contents; a program that takes longer is not run with them again."""
_ALL_S = 30.0
"""After so long no further draw begins."""
_ALL_WITH_GPU_S = 6.0
"""The same where a GPU judges: a confirmation there takes 15 s in all."""
_MOST_RUNS = 24
"""Runs of both versions together: where the original goes wrong on a draw, one that changes less is tried."""
_PROMPT_SHARE = 0.25
"""Share of the limit: where A ends within it and B not at all, B hangs and is not just slow."""
_OF_FEW = 8.0
"""No float64 value shows here how far the original's own sums are from the truth: 100,000 terms added one by one by atomics were seen to
err by 5,300 roundoffs, always to the same side."""
_DOUBTFUL = frozenset({UNTYPED, "wrong_transfer"})
"""What may hang on values that are not compared: an unknown type, a loop that ends by what is read back."""
_OF_MAGNITUDE = frozenset({"large", "negative", "limit"})
"""Values that the program has not: of letters and flags they say nothing."""
_OWN_KIND = "resampled"
"""Values of the program's own distribution: what differs there is wrong."""


class Sides(Record):
    """Both versions and what their programs did on their own values."""

    a: SourceVersion
    b: SourceVersion
    a_counted: CountedRun
    b_counted: CountedRun
    known: tuple[CountedRun, ...]
    """The original's runs, whose problems are no fault of B's."""
    tolerance: Tolerance
    lines: LinePairs
    divided: BlockResults
    """As of `divided_otherwise`."""


class OtherUploads(Record):
    """What came of it."""

    draw_count: int = 0
    """Draws on which the original ran clean, and B left the same."""
    findings: tuple[VerificationFinding, ...] = ()
    labels: tuple[DetectedLabel, ...] = ()
    missing: tuple[str, ...] = ()
    """Why nothing was tried."""
    caveats: tuple[str, ...] = ()
    """Caveats about bytes for which B is right for the program's own few values alone."""


async def other_uploads(job: Job, sides: Sides) -> OtherUploads:
    """Nothing where it is not known what could be varied."""
    given = uploads_of_both(sides.a.parsed, sides.a_counted, sides.b_counted, sides.a.struct_text)
    if isinstance(given, str):
        return OtherUploads(missing=(f"other values: {given}",))
    runs = _Runs(job, sides, given)
    found = await _on_draws(job, runs)
    unvaried = None if found.labels else _unvaried(given, runs, found.draw_count)
    return found if unvaried is None else replace(found, labels=(DetectedLabel(Label.ASSUMPTION, unvaried),))


def _unvaried(given: UploadsOfBoth, runs: _Runs, draw_count: int) -> str | None:
    """Why the draws say too little of a version that uploads something else, for people; None where they say enough."""
    of_a, of_b = given.own_of("A"), given.own_of("B")
    if of_a is not None:
        return f"right only for the program's own values of what A alone uploads, {of_a}: they were not varied"
    if of_b is None or runs.is_telling:
        return None
    varied = "no other values could be tried" if not draw_count else "the other values that were tried do not show on the host"
    return f"right only if what B alone uploads, {of_b}, holds no results ready: {varied}"


async def _on_draws(job: Job, runs: _Runs) -> OtherUploads:
    """Both versions on one draw after the other, up to the first difference."""
    given = runs.given
    count, caveats = 0, dict[str, None]()
    for drawn in draws(given.uploaded, job.seeds[-1]):
        made = await runs.original_clean(drawn)
        if made is None:
            continue
        verdict = await runs.judged(drawn.kind, *made)
        if isinstance(verdict, OtherUploads) and not verdict.caveats:
            return replace(verdict, draw_count=count, caveats=tuple(caveats))
        if isinstance(verdict, OtherUploads):
            caveats |= dict.fromkeys(verdict.caveats)
        else:
            count += verdict
    return OtherUploads(count, missing=() if count or caveats else (f"other values: {runs.reason}",), caveats=tuple(caveats))


class _Left(Record):
    """One run, and what it left on the host."""

    run: ProgramRun
    trace: ProgramTrace
    wall_s: float


@dataclass
class _Runs:
    """Runs both versions on draws."""

    job: Job
    sides: Sides
    given: UploadsOfBoth
    reason: str = "the original does not run clean on any"
    is_telling: bool = False
    """On a draw that counts, the original left something else than on its own values."""
    _count: int = 0
    _start_s: float = field(default_factory=time.monotonic)
    _own: ProgramTrace | None = None
    _is_over: bool = False

    async def original_clean(self, drawn: DrawnValues) -> tuple[NewCase, _Left] | None:
        """The version of the draw that changes most of those on which A runs clean, and what A left."""
        for case in drawn.cases:
            left = await self._run(self.sides.a, case)
            if left is not None and self._is_clean(left):
                return case, left
        return None

    async def judged(self, kind: str, case: NewCase, original: _Left) -> OtherUploads | int:
        """What B does wrong on the draw; else how many draws it counts for: 0 where it shows nothing."""
        left = await self._run(self.sides.b, case)
        if left is None or (left.run.timed_out and original.wall_s > _RUN_S * _PROMPT_SHARE):
            return 0
        if _shape(original.trace) not in (_shape(self._own_trace()), _shape(left.trace)):
            return 0  # how far A loops hangs on values: B may well need another turn
        found = self._differences(original.trace, original.trace, left)
        if isinstance(found, int):
            self.is_telling |= found > 0 and _data(original.trace) != _data(self._own_trace())
            return found
        if self._has_new_factors():
            self.reason = "the host of B passes numbers of its own to its kernels, which may follow from what it uploads"
            return 0
        again = await self._run(self.sides.a, self._moved(case), OTHER_ORDER, is_last=True)
        found = 0 if again is None else self._differences(original.trace, again.trace, left)
        return found if isinstance(found, int) else self._told(kind, case, found)

    def _moved(self, case: NewCase) -> NewCase:
        """Floats moved by one ulp: what a result hangs on in the last bits is not compared."""

        def move(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
            return one_ulp(data, element, case.origin.seed)

        return changed(case, move, case.origin, self.given.uploaded.layouts)

    def _differences(self, mine: ProgramTrace, again: ProgramTrace, left: _Left) -> VerificationFinding | int:
        """The first; ``again``: A's run on inputs moved by one ulp, in another order, so that what hangs on either is not compared."""
        problems = new_findings(left.run.problems, self._known(), self.sides.lines)
        verdict = compare_programs(mine, again, left.trace, self.sides.tolerance, of_few=_OF_FEW)
        if isinstance(verdict, CannotJudge):
            return next(iter(problems), 0)
        return next(iter((*verdict.findings, *problems)), 1)

    def _told(self, kind: str, case: NewCase, found: VerificationFinding) -> OtherUploads:
        words, own = words_of(self.given.uploaded, case), self.given.own_of("B")
        if own is not None:
            message = (
                f"right only if B's host works out what it alone uploads, {own}, from the program's other values, and holds no results"
                f" ready: with {words} uploaded by both and that as it is, {found.message}"
            )
            return OtherUploads(labels=(DetectedLabel(Label.ASSUMPTION, message),))
        new = new_arguments(self.sides.a_counted.recording, self.sides.b_counted.recording)
        if kind == _OWN_KIND and found.code not in _DOUBTFUL and found.outcome is Outcome.FAIL and not new:
            message = f"with {words} uploaded, drawn from the program's own values: {found.message}"
            return OtherUploads(findings=(replace(found, message=message),))
        categories = categories_in(self.given.uploaded, case) if kind in _OF_MAGNITUDE else None
        if categories is not None:
            return OtherUploads(caveats=(f"for {' and '.join(categories)} of the program's own few values",))
        suffix = "; unless B's host takes the new arguments of its kernels from what it uploads" if new else ""
        message = (
            f"right only for the program's own values: with {words} uploaded, on which the original runs clean: {found.message}{suffix}"
        )
        return OtherUploads(labels=(DetectedLabel(Label.ASSUMPTION, message),))

    def _has_new_factors(self) -> bool:
        new = new_arguments(self.sides.a_counted.recording, self.sides.b_counted.recording)
        return any(guessed_type(word) is not None for word in new)

    def _is_clean(self, left: _Left) -> bool:
        """It ends by itself, with no new problem and no new NaN."""
        if left.run.exit_status is None or left.run.recording is None:
            return False
        text = Text(str(self.sides.a.source.path), self.sides.a.source.text)
        if new_findings(left.run.problems, self._known(), LinePairs((TextPair(text, text),))):
            return False
        return all(map(_is_finite, left.trace.transfers)) or not all(map(_is_finite, self._own_trace().transfers))

    async def _run(self, version: SourceVersion, case: NewCase, order_seed: int = 0, is_last: bool = False) -> _Left | None:
        """None where the version could not be run so. ``is_last``: its result is needed, however many runs there were."""
        contents, start_s = self.given.others(case), time.monotonic()
        most_s = _ALL_S if self.job.lab.timing is None else _ALL_WITH_GPU_S
        is_enough = self._count >= _MOST_RUNS or start_s - self._start_s > most_s
        if contents is None:
            self.reason = "one version uploads in parts what the other uploads as a whole, and equal parts are in several places"
        if contents is None or self._is_over or (is_enough and not is_last):
            return None
        self._count += 1
        folder = self.job.scratch / new_id("U")
        await asyncio.to_thread(_write, folder, contents)
        limits = replace(self.job.limits, wall_s=min(self.job.limits.wall_s, _RUN_S), whole_s=0.0)  # what is run in part is not right
        ran = await self.job.lab.run(version.program, "check", limits, True, order_seed=order_seed, uploads=folder)
        await asyncio.to_thread(remove_tree, folder)
        if isinstance(ran, LabFailure):
            self._is_over, self.reason = True, ran.message
            return None
        if ran.timed_out and self._count == 1:
            self._is_over, self.reason = True, f"the program takes longer than {_RUN_S:g} s under checks"
        ran = with_types(ran, self.sides.a)
        left = _Left(ran, self._trace(ran), time.monotonic() - start_s)
        if ran.recording_path is not None:
            await asyncio.to_thread(remove_tree, ran.recording_path)
        return left

    def _own_trace(self) -> ProgramTrace:
        if self._own is None:
            run = self.sides.a_counted.run
            own = None if run is None else run.under_emulator
            assert own is not None, "a program without a run uploads nothing"
            self._own = self._trace(own)
        return self._own

    def _trace(self, ran: ProgramRun) -> ProgramTrace:
        """Without what it prints: it may print what a check of its own found, which knows nothing of other contents."""
        trace = trace_of(ran, self.sides.a.struct_text)
        trace = marked(trace, transfers_of_blocks(trace, ran.recording, self.sides.divided))
        return replace(trace, stdout=b"")

    def _known(self) -> tuple[Problem, ...]:
        return tuple(problem for counted in self.sides.known for problem in counted.problems)


def _write(folder: Path, contents: Mapping[str, bytes]) -> None:
    folder.mkdir(parents=True)
    for key, data in contents.items():
        (folder / key).write_bytes(data)


def _shape(trace: ProgramTrace) -> list[tuple[str, int]]:
    return [(item.kind, len(item.data)) for item in trace.transfers]


def _data(trace: ProgramTrace) -> list[bytes]:
    return [item.data for item in trace.transfers]


def _is_finite(transfer: HostData) -> bool:
    """No NaN and no infinity among floats; true of any other type."""
    element = element_of(transfer.element_type or guessed_type(transfer.data), len(transfer.data))
    return not element.is_floating or bool(np.isfinite(floats(transfer.data, element)).all())
