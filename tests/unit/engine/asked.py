"""What a lab is asked, in lines that people can read: which case on which version, under what options and limits.

Values are summed up, to few digits, so that lines are the same on every machine. Example::

    asked = Asked()
    asked.case(new, "dense")          # "case 1: dense n=1000 seed 11, k(4, 256; 3e8): float 1000 of 1000, -4 to 4, mean 0.01"
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from assistant.model.elements import parse_element_type
from assistant.model.recording import RecordedLaunch, Recording
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import LabFailure, Program, ProgramRun, ReferenceCall, ReplayOptions, ReplayRun, RunLimits
from assistant.workload.arrays import decode
from assistant.workload.recordings import NewCase, RecordingReader
from tests.contracts.fake_lab import FakeLab

Alter = Callable[[str, str, Program, Any, int], Any]
"""(method, mode, program, the table's answer, how often this was asked before) → the answer to give in its place."""

__all__ = ["Asked", "AskedLab", "case_in_words"]

Refuse = Callable[[str, str, Program, int], LabFailure | None]
"""(method, mode, program, how often this was asked before) → the failure to answer with; None: the answer of the table."""


def case_in_words(origin: CaseOrigin, recording: Recording, places: Sequence[int], blob: Callable[[str], bytes]) -> str:
    """One line about a case."""
    size = "" if origin.is_own_size else " (another size)"
    values = f" with {origin.values}" if origin.values else ""
    head = f"{origin.kind} {origin.shape}{size} seed {origin.seed} x{origin.scale:g} weight {origin.weight:g}{values}"
    launches = [recording.launch(index) for index in places]
    started = " then ".join(_launch(launch) for launch in launches)
    before = {state.buffer: state.before for launch in reversed(launches) for state in launch.buffers}
    poisoned = {state.buffer for launch in launches for state in launch.buffers if state.is_poisoned}
    poisoned |= {buffer.id for buffer in recording.buffers if buffer.is_poisoned}
    reached = [buffer for buffer in recording.buffers if buffer.id in before]
    held = ("anything" if one.id in poisoned else _values(blob(before[one.id]), one.element_type) for one in reached)
    contents = "; ".join(f"{buffer.id} {values}" for buffer, values in zip(reached, held, strict=True))
    return f"{head}, {started}: {contents}"


def _launch(launch: RecordedLaunch) -> str:
    passed = [argument.data_hex or "" for argument in launch.arguments if not argument.pointers]
    places = [f"{at.buffer}+{at.buffer_offset_bytes}" for argument in launch.arguments for at in argument.pointers]
    grid, block, shared = launch.config.grid, launch.config.block, launch.config.shared_bytes
    return f"{launch.kernel.partition('(')[0]}<<<{grid}, {block}, {shared}>>>({' '.join((*places, *passed))})"


def _values(data: bytes, spelled: str | None) -> str:
    element = parse_element_type(spelled or "unsigned char") or parse_element_type("unsigned char")
    assert element is not None
    values = decode(data, element).astype(np.float64)
    finite = values[np.isfinite(values)]
    if not finite.size:
        return f"{values.size} values"
    zeros, odd = np.count_nonzero(values == 0), values.size - finite.size
    mean_ratio = np.mean(finite / (np.abs(finite).max() or 1.0))
    return f"{values.size} values, {zeros} zero, {odd} odd, {finite.min():.3g} to {finite.max():.3g}, {round(mean_ratio, 2) + 0.0:g}"


@dataclass
class Asked:
    """Lines of everything that was asked, in order; each case and each text has a number of its own."""

    lines: list[str] = field(default_factory=list[str])
    _cases: dict[str, int] = field(default_factory=dict[str, int])
    _texts: dict[str, int] = field(default_factory=dict[str, int])
    _counts: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    def case(self, words: str) -> int:
        if words not in self._cases:
            self._cases[words] = len(self._cases) + 1
            self.lines.append(f"case {self._cases[words]}: {words}")
        return self._cases[words]

    def cases(self, cases: Iterable[NewCase]) -> list[int]:
        return [self.case(case_in_words(one.origin, one.recording, one.launches, one.blobs.__getitem__)) for one in cases]

    def replayed(self, cases: Sequence[Case]) -> str:
        found = list[int]()
        for one in cases:
            reader = RecordingReader(one.recording)
            found.append(self.case(case_in_words(one.origin, reader.recording, one.launches, reader.blob)))
        return _spans(found)

    def called(self, method: str, mode: str, program: Program, rest: str) -> int:
        """How often this method was called in this mode before."""
        text = self._texts.setdefault(program.sources[0].text, len(self._texts) + 1)
        who = f"text {text}{' as a candidate' if program.is_candidate else ''}"
        started = f" starts {', '.join(name.partition('(')[0] for name in program.kernels)}" if program.kernels else ""
        self.lines.append(f"{method} {mode} {who}{started}{rest}")
        count = self._counts.get((method, mode), 0)
        self._counts[method, mode] = count + 1
        return count


def _spans(numbers: Sequence[int]) -> str:
    """``1-4 9``."""
    spans = list[list[int]]()
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return " ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


@dataclass
class AskedLab(FakeLab):
    """Keeps what it is asked, and answers some of it with failures."""

    heard: Asked = field(default_factory=Asked)
    refuse: Refuse = lambda *_: None
    alter: Alter = lambda method, mode, program, answer, count: answer

    async def run(
        self, program: Program, mode: str, limits: RunLimits, record: bool, *more: object, **given: object
    ) -> ProgramRun | LabFailure:
        named = {**dict(zip(("sample_blocks", "corrections", "order_seed", "uploads"), more, strict=False)), **given}
        rest = "".join(f" {name} {_shown(value)}" for name, value in sorted(named.items()) if value)
        count = self.heard.called("run", mode, program, f" within {limits.wall_s:g}{rest}")
        failure = self.refuse("run", mode, program, count)
        return failure or self.alter("run", mode, program, await super().run(program, mode, limits, record, *more, **given), count)  # type: ignore[arg-type]

    async def run_streams(self, program: Program, is_late: bool, limits: RunLimits) -> ProgramRun | LabFailure:
        mode = "late" if is_late else "in order"
        count = self.heard.called("run streams", mode, program, f" within {limits.wall_s:g}")
        return self.refuse("run streams", mode, program, count) or await super().run_streams(program, is_late, limits)

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        return await self._replayed("replay", program, cases, options, limits)

    async def replay_promoted(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure:
        return await self._replayed("replay promoted", program, cases, options, limits)

    async def _replayed(
        self, method: str, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure:
        chosen = self.heard.replayed(cases)
        how = f" fill {options.fill:x} x{options.repeats}{' fresh' if options.is_fresh else ''} sample {options.sample_blocks}"
        count = self.heard.called(method, options.mode, program, f"{how} within {limits.wall_s:g}: {chosen}")
        failure = self.refuse(method, options.mode, program, count)
        return failure or self.alter(method, options.mode, program, await super().replay(program, cases, options, limits), count)

    async def reference(self, call: ReferenceCall, limits: RunLimits) -> tuple[tuple[str, bytes], ...] | LabFailure:
        given = ", ".join(f"{one.name} {one.dtype}" for one in call.arguments)
        self.heard.lines.append(f"reference {call.path.name}:{call.function}({given}) -> {', '.join(call.outputs)}")
        return await super().reference(call, limits)


def _shown(value: object) -> str:
    """Of uploads what they hold, as floats."""
    if not isinstance(value, Path):
        return str(value)
    return "; ".join(_values(path.read_bytes(), "float") for path in sorted(value.iterdir()))
