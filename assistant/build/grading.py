"""Grades the emulator's counters against the machine code: exact only where the code proves that the hardware counts the same.

The emulator runs the program as g++ compiled it; the hardware runs what nvcc made of it. A line's count is exact if every
access the emulator saw is one access of the machine code, run equally often under the same condition:

* *straight code that every thread runs*: the emulator's threads must be sites × threads of the launch;
* *guarded code*: all lines under one condition must agree on how many threads ran it, at least one of them site by site;
* *loops*: the number of copies per pass must equal the number of source iterations per pass, read from the loop's control
  register, and the access must have run in every iteration; a loop with remainder copies also needs warps whose threads agree
  on the trip count.

Anything else stays estimated, with the reason. Nothing is inferred from counts alone. Pure; example::

    grade(GradingInput(profile, code, loops, kernel_lines=(3, 5)))[0].grade
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

from assistant.build.cfg import ControlFlow, control_flow
from assistant.build.loop_map import LoopMap
from assistant.build.regions import COUNT, WARP_LANES, Ran, RegionFacts, is_full
from assistant.build.sites import AccessKey, MachineSite, Region, machine_sites, obstacles
from assistant.build.unrolled import is_split_loop, split_loop_reason
from assistant.model.build import KernelCode
from assistant.model.profile import AccessSite, Grade, LaunchProfile, LineAccess
from assistant.model.source import SourceLoop

__all__ = ["GradingInput", "code_of", "grade"]

NO_CODE = "no machine code of this kernel to compare with"
SAMPLED = "not all blocks were counted"
UNORDERED = "threads race here, so the count depends on their order"
LOCAL = "local memory is laid out by the compiler"
NO_SITE = "nvcc placed no such access on this line"
NO_DETAIL = "the run gave no account of single accesses"
FUSED = "nvcc uses accesses of {} bytes where the source has {}"
WIDE_SHARED = "how hardware groups the lanes of such a wide shared access is not established"
JUMPS = "the kernel's control flow cannot be read"
_BANK_BYTES = 4
"""Width of a shared memory bank (CUDA C++ Programming Guide 13.0, "Shared Memory")."""
_WIDE_BYTES = 8
"""From here on a warp's access goes in several groups of lanes."""
MOVED = "nvcc moved accesses of this kind between lines under a condition"


@dataclass(frozen=True)
class GradingInput:
    """One launch and the machine code of its kernel."""

    profile: LaunchProfile
    code: KernelCode | None
    loops: tuple[SourceLoop, ...]
    """Of all sources of the program."""
    kernel_lines: tuple[int, int]
    """First and last line of the kernel's definition."""


def grade(request: GradingInput) -> tuple[LineAccess, ...]:
    """The launch's accesses in their order, each exact or estimated with the reason."""
    if request.code is None:
        return tuple(_estimated(access, NO_CODE) for access in request.profile.accesses)
    blocks = request.profile.config.grid.count
    if request.profile.blocks_counted != blocks:
        return tuple(_estimated(access, SAMPLED) for access in request.profile.accesses)
    if not request.profile.sites:
        return tuple(_estimated(access, NO_DETAIL) for access in request.profile.accesses)
    reasons = _Comparison(request, request.code).reasons()
    return tuple(_graded(access, reasons) for access in request.profile.accesses)


def code_of(codes: Iterable[KernelCode], kernel: str) -> KernelCode | None:
    """The code of a demangled instance; a template's return type, which only some tools print, is ignored."""
    return next((code for code in codes if _plain(code.kernel) == _plain(kernel)), None)


def _plain(name: str) -> str:
    return re.sub(r"^void |\s+", "", name)


def _estimated(access: LineAccess, reason: str) -> LineAccess:
    return replace(access, grade=Grade.ESTIMATED, grade_reason=reason)


def _graded(access: LineAccess, reasons: Mapping[tuple[str, int, str], str]) -> LineAccess:
    reason = reasons.get((access.file, access.line, access.op), "")
    if reason:
        return _estimated(access, reason)
    return replace(access, grade=Grade.EXACT, grade_reason="")


class _Comparison:
    """One launch against one kernel's code; every property is computed once."""

    def __init__(self, request: GradingInput, code: KernelCode) -> None:
        self._request = request
        self._code = code

    def reasons(self) -> dict[tuple[str, int, str], str]:
        """(file, line, op) → why it is only estimated; places that are exact are absent."""
        by_key = {key: self._reason(key) for key in self._emulated}
        for key, reason in by_key.items():
            if not reason and self._is_guarded(key) and self._is_suspicious(key, by_key):
                by_key[key] = MOVED
        found: dict[tuple[str, int, str], str] = {}
        for key, reason in by_key.items():
            place = (key.file, key.line, key.op)
            found[place] = found.get(place) or reason or self._foreign_width(key)
        return {place: reason for place, reason in found.items() if reason}

    @cached_property
    def _graph(self) -> ControlFlow:
        return control_flow(self._code)

    @cached_property
    def _emulated(self) -> dict[AccessKey, tuple[AccessSite, ...]]:
        def key(site: AccessSite) -> AccessKey:
            return AccessKey(site.file, site.line, site.op, site.size_bytes)

        ran = sorted((s for s in self._request.profile.sites if s.requests), key=key)
        return {k: tuple(group) for k, group in groupby(ran, key=key)}

    @cached_property
    def _machine(self) -> dict[AccessKey, Counter[Region]]:
        found: dict[AccessKey, Counter[Region]] = {}
        for site in self._sites:
            found.setdefault(site.key, Counter())[site.region] += 1
        return found

    @cached_property
    def _frames(self) -> dict[AccessKey, frozenset[tuple[tuple[str, int], ...]]]:
        return {key: frozenset(site.instruction.frames for site in self._sites if site.key == key) for key in self._machine}

    @cached_property
    def _sites(self) -> tuple[MachineSite, ...]:
        return machine_sites(self._code, self._graph)

    @cached_property
    def _obstacles(self) -> dict[tuple[str, int, str], str]:
        return obstacles(self._code, self._graph)

    @cached_property
    def _facts(self) -> RegionFacts:
        profile = self._request.profile
        block_count, threads = profile.config.grid.count, profile.config.block.count
        return RegionFacts(
            self._graph,
            LoopMap(self._graph, self._request.loops, profile.executions),
            self._emulated,
            self._machine,
            Ran(block_count * threads, block_count * -(-threads // WARP_LANES)),
            self._frames,
            self._request.kernel_lines,
        )

    def _reason(self, key: AccessKey) -> str:
        """Empty where the key's count is proved."""
        sites = self._emulated[key]
        if key.op.startswith("local"):
            return LOCAL
        if any(site.is_unordered for site in sites):
            return UNORDERED
        if not self._graph.is_reducible or self._graph.has_indirect_jump:
            return JUMPS
        for kind in ("", key.op):
            if (key.file, key.line, kind) in self._obstacles:
                return self._obstacles[key.file, key.line, kind]
        if key not in self._machine:
            return self._missing(key)
        if key.size_bytes >= _WIDE_BYTES and key.op.startswith("shared") and not self._is_plain(key):
            return WIDE_SHARED
        if is_split_loop(self._facts, key):
            return split_loop_reason(self._facts, key)
        return self._facts.reason(key)

    def _is_plain(self, key: AccessKey) -> bool:
        """Whether whole warps access without a bank conflict and, storing, all to different words: the verified patterns."""
        place = (key.file, key.line, key.op)
        lines = [a for a in self._request.profile.accesses if (a.file, a.line, a.op) == place]
        widths = [k for k in self._emulated if (k.file, k.line, k.op) == place]
        if len(lines) != 1 or len(widths) != 1 or not is_full(self._emulated[key]):
            return False
        line = lines[0]
        most = line.requests * key.size_bytes // _BANK_BYTES
        return line.wavefronts == line.ideal_wavefronts and (key.op == "shared load" or line.wavefronts == most)

    def _missing(self, key: AccessKey) -> str:
        other = sorted(k.size_bytes for k in self._machine if (k.file, k.line, k.op) == (key.file, key.line, key.op))
        return FUSED.format(other[-1], key.size_bytes) if other else NO_SITE

    def _foreign_width(self, key: AccessKey) -> str:
        """A width of the machine code that the emulator never saw on the line."""
        place = (key.file, key.line, key.op)
        other = [k for k in self._machine if (k.file, k.line, k.op) == place and k not in self._emulated]
        return FUSED.format(other[0].size_bytes, key.size_bytes) if other else ""

    def _is_guarded(self, key: AccessKey) -> bool:
        return any(self._facts.is_guarded(region) for region in self._machine.get(key, ()))

    def _is_suspicious(self, key: AccessKey, reasons: Mapping[AccessKey, str]) -> bool:
        """Another access of the same kind, in the same source loops, is unaccounted for: this one may include it."""
        chain = self._facts.chain(key)
        lost = [k for k, reason in reasons.items() if reason in (NO_SITE, COUNT) and k.op == key.op]
        gained = [k for k in self._machine if k.op == key.op and self._is_unseen(k)]
        return any(k != key and self._facts.chain(k) == chain for k in (*lost, *gained))

    def _is_unseen(self, key: AccessKey) -> bool:
        return not any((k.file, k.line, k.op) == (key.file, key.line, key.op) for k in self._emulated)
