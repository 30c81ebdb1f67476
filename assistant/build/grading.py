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
from dataclasses import replace
from functools import cached_property
from itertools import groupby

from assistant.build.cfg import ControlFlow, control_flow, opcode_name
from assistant.build.copies import copies_reason
from assistant.build.corrections import Place, place_of, proposals
from assistant.build.divergence import regroupings
from assistant.build.loop_map import LoopMap
from assistant.build.moves import KnownPlaces, moved, with_waiting_atomics
from assistant.build.regions import COUNT, WARP_LANES, Ran, RegionFacts
from assistant.build.sites import AccessKey, MachineSite, Region, machine_sites, obstacles
from assistant.build.unrolled import is_split_loop, split_loop_reason
from assistant.model.build import KernelCode
from assistant.model.profile import AccessSite, Correction, Grade, LaunchProfile, LineAccess
from assistant.model.source import SourceLoop
from assistant.record import Record

__all__ = ["GradingInput", "code_of", "corrections", "grade"]

NO_CODE = "no machine code of this kernel to compare with"
SAMPLED = "not all blocks were counted"
UNORDERED = "threads race here, so the count depends on their order"
ORDER = "races were not looked for in this run, and threads that race decide the count"
LOCAL = "local memory is laid out by the compiler"
NO_SITE = "nvcc placed no such access on this line"
NO_DETAIL = "the run gave no account of single accesses"
FUSED = "nvcc uses accesses of {} bytes where the source has {}"
WIDE_SHARED = "how hardware groups the lanes of such a wide shared access is not established"
PLACED = "the count depends on where in memory nvcc places the variable"
JUMPS = "the kernel's control flow cannot be read"
MOVED = "nvcc moved accesses of this kind between lines under a condition"
REBOOKED = "nvcc places this access on another line than g++; counted where nvcc has it"
REGROUPED = "threads of a warp leave the unrolled loop at different times; counted as nvcc's pieces deal them"
MERGED = "nvcc does accesses of several branches as one; counted so"
_BANK_BYTES = 4
_ORDERING = ("BAR", "MEMBAR", "ERRBAR", "ATOM", "RED", "CCTL", "WARPSYNC", "SYNCS", "UCGABAR")
"""Begin the opcodes that let one thread wait for another's values (CUDA Binary Utilities 13.0, "Instruction Set Reference")."""


class GradingInput(Record):
    """One launch and the machine code of its kernel."""

    profile: LaunchProfile
    code: KernelCode | None
    loops: tuple[SourceLoop, ...]
    """The loops of all sources of the program."""
    kernel_lines: tuple[int, int]
    """First and last line of the kernel's definition."""
    corrections: tuple[Correction, ...] = ()
    """With which the profile was counted."""
    is_order_checked: bool = True
    """Whether races were looked for when it was counted."""


def grade(request: GradingInput) -> tuple[LineAccess, ...]:
    """The launch's accesses by line, corrected where the machine code differs, each exact or estimated with the reason."""
    obstacle = _obstacle(request)
    if request.code is None or obstacle:
        return tuple(_estimated(access, obstacle) for access in request.profile.accesses)
    corrected = _Comparison(request, request.code).corrected_profile()
    uncertain = _rebooked_places(request.profile, corrected)
    reasons = _Comparison(replace(request, profile=corrected), request.code, frozenset(uncertain)).reasons()
    if not request.is_order_checked:
        return tuple(_estimated(access, reasons.get((access.file, access.line, access.op), ORDER)) for access in corrected.accesses)
    return tuple(_graded(access, reasons | uncertain) for access in corrected.accesses)


def corrections(request: GradingInput) -> tuple[Correction, ...]:
    """What to count as one in another run of the program, so that its counts come closer to the machine code's."""
    if request.code is None or _obstacle(request):
        return ()
    return _Comparison(request, request.code).proposals()


def _obstacle(request: GradingInput) -> str:
    """Why nothing of the launch can be graded; empty where it can."""
    if request.code is None:
        return NO_CODE
    if request.profile.blocks_counted != request.profile.config.grid.count:
        return SAMPLED
    return "" if request.profile.sites else NO_DETAIL


def _rebooked_places(before: LaunchProfile, after: LaunchProfile) -> dict[Place, str]:
    """Lines that gained or lost an access."""
    moves = [(a, b) for a, b in zip(before.sites, after.sites, strict=True) if a.line != b.line]
    return {(s.file, s.line, s.op): REBOOKED for pair in moves for s in pair}


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

    def __init__(self, request: GradingInput, code: KernelCode, rebooked: frozenset[Place] = frozenset()) -> None:
        self._request = request
        self._code = code
        self._rebooked = rebooked

    def reasons(self) -> dict[tuple[str, int, str], str]:
        """(file, line, op) → why it is only estimated; places that are exact are absent."""
        by_key = {key: self._reason(key) for key in self._emulated}
        suspicious = [k for k, reason in by_key.items() if not reason and self._is_guarded(k) and self._is_suspicious(k, by_key)]
        by_key |= dict.fromkeys(suspicious, MOVED)
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

    def proposals(self) -> tuple[Correction, ...]:
        found = proposals(self._emulated, self._machine, self._facts.chain, self._facts.threads_of)
        taken = {address for correction in found for address in correction.addresses}
        return (*found, *(c for c in regroupings(self._facts) if not taken & set(c.addresses)))

    def corrected_profile(self) -> LaunchProfile:
        """With every access on nvcc's line and atomics as nvcc's instruction does them."""
        profile = with_waiting_atomics(self._request.profile, self._sites)
        if not self._graph.is_reducible or self._graph.has_indirect_jump:
            return profile
        around = KnownPlaces(self._condition, self._facts.chain, self._facts.threads_of)
        return moved(profile, self._emulated, self._machine, around, self._request.corrections)

    def _condition(self, region: Region) -> tuple[object, ...] | None:
        """Equal for regions outside loops that run under the same condition."""
        if self._graph.loop_chain(region.block):
            return None
        return (self._graph.guards(region.block), region.predicate, region.definition_index if region.predicate else 0)

    def _reason(self, key: AccessKey) -> str:
        """Empty where the key's count is proved."""
        sites = self._emulated[key]
        if key.op.startswith("local"):
            return LOCAL
        if any(site.is_unordered for site in sites) and not self._is_race_unread:
            return UNORDERED
        if not self._graph.is_reducible or self._graph.has_indirect_jump:
            return JUMPS
        for kind in ("", key.op):
            if (key.file, key.line, kind) in self._obstacles:
                return self._obstacles[key.file, key.line, kind]
        if key not in self._machine:
            return self._missing(key)
        if any(site.doubtful_requests for site in sites):
            return WIDE_SHARED if key.op.startswith("shared") and key.size_bytes > _BANK_BYTES else PLACED
        if any(site.address in self._merged for site in sites):
            return MERGED
        if any(site.address in self._regrouped for site in sites):
            return REGROUPED
        if self._facts.is_missing_in_a_piece(key):
            return COUNT
        reason = split_loop_reason(self._facts, key) if is_split_loop(self._facts, key) else self._facts.reason(key)
        return reason if reason and copies_reason(self._facts, key) else ""

    @cached_property
    def _is_race_unread(self) -> bool:
        """Whether the values that threads race for are read by none, so that no count depends on them.

        Only plain stores race, and nothing orders threads: a thread that read such a value in this launch would race itself.
        """
        has_order = any(opcode_name(i).startswith(_ORDERING) for i in self._code.instructions)
        return not has_order and all(s.op.endswith("store") for s in self._request.profile.sites if s.is_unordered)

    @cached_property
    def _merged(self) -> frozenset[int]:
        merges = [c for c in self._request.corrections if not c.fused_bytes and not c.pieces]
        return frozenset(a for c in merges for a in (*c.addresses, *c.alternatives))

    @cached_property
    def _regrouped(self) -> frozenset[int]:
        return frozenset(a for c in self._request.corrections if c.pieces for a in c.addresses)

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
        return self._has_unaccounted(key, reasons) and not self._has_witness(key, reasons)

    def _has_unaccounted(self, key: AccessKey, reasons: Mapping[AccessKey, str]) -> bool:
        """Another access of the same kind, in the same source loops, is unaccounted for: this one may include it."""
        chain = self._facts.chain(key)
        lost = [k for k, reason in reasons.items() if k.op == key.op and self._is_unaccounted(k, reason)]
        gained = [k for k in self._machine if k.op == key.op and self._is_unseen(k)]
        return any(k != key and self._facts.chain(k) == chain for k in (*lost, *gained))

    def _is_unaccounted(self, key: AccessKey, reason: str) -> bool:
        return reason in (NO_SITE, COUNT) or (bool(reason) and place_of(key) in self._rebooked)

    def _has_witness(self, key: AccessKey, reasons: Mapping[AccessKey, str]) -> bool:
        """Whether an access of another kind, none of which is unaccounted for, shows how often the key's code ran.

        Had the access merged with one under another condition, its code would run for the threads of both.
        """
        regions, counts = set(self._machine[key]), self._counts(key)
        others = [k for k in self._machine if k.op != key.op and set(self._machine[k]) == regions and not reasons.get(k, NO_SITE)]
        return len(counts) == 1 and any(self._counts(k) == counts and not self._has_unaccounted(k, reasons) for k in others)

    def _counts(self, key: AccessKey) -> set[tuple[int, int]]:
        return {(site.active_threads, site.requests) for site in self._emulated[key]}

    def _is_unseen(self, key: AccessKey) -> bool:
        return not any((k.file, k.line, k.op) == (key.file, key.line, key.op) for k in self._emulated)
