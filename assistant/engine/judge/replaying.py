"""Replays of cases: the program that starts them, and what they left behind.

Example::

    replayed = await job.lab.replay(startable(version.program, cases), written, ReplayOptions(fill=POISON), limits)
    LeftContents(replayed.blobs).of(replayed.cases[0].after)      # ((buffer id, its bytes), …)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from assistant.model.profile import Problem
from assistant.ports.lab import CaseRun, Program
from assistant.record import Record
from assistant.verify.evidence import TIMED_OUT, Reference, SideRun
from assistant.verify.numbers import bits, element_of
from assistant.verify.problems import UNSUPPORTED
from assistant.workload.derive import contents_of
from assistant.workload.recordings import NewCase

__all__ = [
    "HOST_SPACE",
    "POISON",
    "CaseTrial",
    "FloatReference",
    "LeftContents",
    "TryCases",
    "is_late",
    "side_run",
    "spaces_of",
    "startable",
    "startable_kernels",
]

_LAUNCH_TIMED_OUT = "cudaErrorLaunchTimeout"
_UNFINISHED = frozenset({TIMED_OUT, "out of memory"})
"""Errors of a run that the kernel need not be to blame for, where the device it is meant for ran it to its end."""


class FloatReference(Record):
    """float64 values of a case's floating buffers; empty where there are none."""

    values: tuple[tuple[int, bytes], ...] = ()
    kind: Reference = Reference.REBUILT


def startable(program: Program, cases: Sequence[NewCase]) -> Program:
    """The program with every kernel of the cases startable by name; one build for all of them."""
    return startable_kernels(program, {launch.kernel for case in cases for launch in case.recording.launches})


def startable_kernels(program: Program, instances: Iterable[str]) -> Program:
    """The program with these kernel instances startable by name."""
    return replace(program, kernels=tuple(sorted(instances)))


def side_run(run: CaseRun, contents: LeftContents, fill: int) -> SideRun:
    """One run as a judge wants it; ``fill``: what memory with arbitrary contents held."""
    if not run.is_comparable:
        return _checks_alone(run, fill)
    return SideRun(contents.of(run.after), run.error, fill, run.guards_intact, run.repeat_difference, run.problems)


class LeftContents:
    """What the cases of a replay left, each content in memory once: most buffers are the same after every run."""

    def __init__(self, blobs: Path, known: Mapping[str, bytes] | None = None) -> None:
        """``known``: contents by name, as `NewCase.blobs`."""
        self._blobs = blobs
        self._read = dict(known or {})

    def read(self, runs: Iterable[Sequence[tuple[int, str]]]) -> None:
        """Have what some runs left in memory."""
        for left in runs:
            self.of(left)

    def of(self, left: Sequence[tuple[int, str]]) -> tuple[tuple[int, bytes], ...]:
        """(buffer id, contents) of (buffer id, name)."""
        return tuple((buffer, self._contents(name)) for buffer, name in left)

    def _contents(self, name: str) -> bytes:
        if name not in self._read:
            self._read[name] = (self._blobs / name).read_bytes()
        return self._read[name]


def _checks_alone(run: CaseRun, fill: int) -> SideRun:
    """What the checks of another device show; one that they could not finish says nothing of the kernel, and is a missing check."""
    problems, error = run.problems, run.error
    if error in _UNFINISHED or (error is not None and any(problem.kind == UNSUPPORTED for problem in problems)):
        message = f"the emulator's checks of this launch did not end: {error}"
        problems = (*problems, Problem(UNSUPPORTED, message, "", 0, None, None, None, None, None, 1))
        error = None
    return SideRun((), error, fill, run.guards_intact, None, problems, is_comparable=False)


def is_late(error: str | None) -> bool:
    """Whether a run was stopped, or one of its launches, which ends a little before its run does."""
    return error in (TIMED_OUT, _LAUNCH_TIMED_OUT)


POISON = 0xAB
"""What memory with arbitrary contents holds in a trial."""


TryCases = Callable[[Sequence[NewCase], float], Awaitable[list["CaseTrial"]]]
"""(cases, most seconds for one) → a trial of each on one version, with every check on."""


class CaseTrial(Record):
    """One case, tried on one version."""

    case: NewCase
    run: CaseRun | None
    """None where the lab could not run it."""
    after: tuple[tuple[int, bytes], ...]
    """(buffer id, contents that it left)."""
    is_checked: bool = False
    """With every check on that this lab has."""

    @property
    def problem_kinds(self) -> frozenset[str]:
        return frozenset() if self.run is None else frozenset(problem.kind for problem in self.run.problems)

    @property
    def written(self) -> dict[int, int]:
        """Components that it changes, per buffer."""
        before = contents_of(self.case)
        counts: dict[int, int] = {}
        for buffer in self.case.recording.buffers:
            after, first = dict(self.after).get(buffer.id), before.get(buffer.id, b"")
            if after is None or len(after) != len(first):
                continue
            start, element = bytes([POISON]) * len(first) if buffer.is_poisoned else first, element_of(buffer.element_type, len(first))
            counts[buffer.id] = int(np.count_nonzero(bits(after, element) != bits(start, element)))
        return counts

    @property
    def iterations(self) -> float:
        """How often a thread runs the line that it runs most often, on average; 0 where nothing was counted."""
        profiles = () if self.run is None or self.run.error is not None else self.run.profiles
        return max((line.thread_executions / one.config.thread_count for one in profiles for line in one.executions), default=0.0)

    @property
    def is_unsupported(self) -> bool:
        """Whether the emulator cannot look at this launch."""
        return self.run is None or UNSUPPORTED in self.problem_kinds

    @property
    def checked(self) -> SideRun | None:
        """It as the run with every check on that a judge wants; None where not every check was, or it did not come to its end."""
        run = self.run
        if run is None or not self.is_checked or run.error is not None:
            return None
        if not run.is_comparable:
            return _checks_alone(run, POISON)
        return SideRun(self.after, None, POISON, run.guards_intact, run.repeat_difference, run.problems)

    @property
    def is_late(self) -> bool:
        return self.run is not None and is_late(self.run.error)

    def unclean(self, usual: Collection[str]) -> str | None:
        """Why it does not count; None where it does. ``usual``: kinds of problems that the original has on recorded values."""
        if self.run is None:
            return "was not tried"
        if self.run.error is not None:
            return f"does not run: {self.run.error}"
        if not self.run.guards_intact:
            return "writes beyond the end of a buffer"
        problem = next((one for one in self.run.problems if one.kind not in usual and one.kind != UNSUPPORTED), None)
        return None if problem is None else f"has a problem there: {problem.message}"


HOST_SPACE = "host"
"""`RecordedBuffer.space` of page-locked memory; replays have it on the device."""


def spaces_of(case: NewCase) -> frozenset[str]:
    """Where the buffers lie that its launches reach (`RecordedBuffer.space`)."""
    recording = case.recording
    reached = {state.buffer for launch in recording.launches if launch.index in case.launches for state in launch.buffers}
    return frozenset(buffer.space for buffer in recording.buffers if buffer.id in reached)
