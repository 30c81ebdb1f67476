"""How often blocks of machine code ran, kept between evaluations: candidates leave most kernels of a program as they are, and solving
the equations of a large one takes tenths of a second.

The digest is of all that the answer follows from: machine code, the emulator's account, the loops of the source. Lines count from the
first one of the code in their file, so that an edit further up changes nothing. Example::

    executions_of(Path("/cache"), code, profile, loops) == executions(code, profile, loops)     # True; read from /cache/executions then
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from assistant.build import (
    equations,
    evidence,
    executions,
    library_bodies,
    loop_iterations,
    loop_map,
    loop_passes,
    machine,
    matching,
    warp_counts,
    witnesses,
)
from assistant.build.executions import Ran
from assistant.disk.cached import keep, note_use
from assistant.model.build import KernelCode
from assistant.model.profile import LaunchProfile
from assistant.model.source import SourceLoop
from assistant.serialize import DecodeError, dumps, loads

__all__ = ["executions_of"]

_FOLDER = "executions"
_SOLVERS = (
    equations,
    evidence,
    executions,
    library_bodies,
    loop_iterations,
    loop_map,
    loop_passes,
    machine,
    matching,
    warp_counts,
    witnesses,
)
_Kept = tuple[tuple[int, float, float], ...]
"""Offset, threads and warps of each instruction."""


def executions_of(cache: Path, code: KernelCode, profile: LaunchProfile, loops: tuple[SourceLoop, ...]) -> dict[int, Ran]:
    """As ``build.executions``; ``cache`` need not be writable."""
    path = cache / _FOLDER / f"{_digest(code, profile, loops)}.json"
    kept = _loaded(path)
    if kept is None:
        found = executions.executions(code, profile, loops)
        keep(path, dumps(tuple((offset, ran.threads, ran.warps) for offset, ran in found.items())))
        return found
    return {offset: Ran(threads, warps) for offset, threads, warps in kept}


def _digest(code: KernelCode, profile: LaunchProfile, loops: tuple[SourceLoop, ...]) -> str:
    places = _Places(code, profile)
    config = profile.config
    parts: Iterable[object] = (
        (_version(), code.architecture, code.labels, config.thread_count, config.block.count),
        *((i.offset_bytes, i.predicate, i.opcode, i.operands, *_all(places, ((i.file, i.line), *i.frames))) for i in code.instructions),
        *((*_all(places, b.places), b.warps, b.threads, b.partings) for b in sorted(profile.blocks, key=lambda block: block.address)),
        *((places.of(s.file, s.line), s.op, s.size_bytes, s.requests, s.active_threads) for s in profile.sites),
        *((places.of(e.file, e.line), e.warp_executions, e.thread_executions, e.divergent_branches) for e in profile.executions),
        *places.loops(loops),
    )
    return hashlib.sha256("\n".join(map(repr, parts)).encode("utf-8", "surrogateescape")).hexdigest()[:40]


def _all(places: _Places, found: Iterable[tuple[str, int]]) -> tuple[tuple[int, int], ...]:
    return tuple(places.of(*place) for place in found)


class _Places:
    """Files by number, lines from the first one of the code in their file."""

    def __init__(self, code: KernelCode, profile: LaunchProfile) -> None:
        self._first: dict[str, int] = {}
        of_code = [place for i in code.instructions for place in ((i.file, i.line), *i.frames) if place[1] > 0]
        for file, line in of_code:
            self._first[file] = min(line, self._first.get(file, line))
        self._lines = {*of_code, *((e.file, e.line) for e in profile.executions)}
        self._numbers = {file: number for number, file in enumerate(self._first)}

    def of(self, file: str, line: int) -> tuple[int, int]:
        if file not in self._numbers:
            self._numbers[file] = len(self._numbers)
        return self._numbers[file], line - self._first.get(file, 0) if line > 0 else -1

    def loops(self, loops: Iterable[SourceLoop]) -> Iterator[object]:
        """Those around a line of the code."""
        for loop in loops:
            if any(file == loop.file and loop.first_line <= line <= loop.last_line for file, line in self._lines):
                lines = tuple(self.of(loop.file, line) for line in (loop.first_line, loop.last_line, loop.condition_line))
                yield lines, loop.step, loop.shift, loop.is_unroll_requested, loop.has_jump


def _loaded(path: Path) -> _Kept | None:
    """None where it is not there, or damaged."""
    try:
        kept = loads(_Kept, path.read_bytes())
    except (OSError, DecodeError):
        return None
    note_use(path)
    return kept


@functools.cache
def _version() -> str:
    """Version of the code that solves."""
    files = (Path(module.__file__) for module in _SOLVERS if module.__file__ is not None)
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
