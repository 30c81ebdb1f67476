"""Counts of a launch that contradict each other are left out, with the reason; none of them is shown or predicted from.

What must hold whatever the kernel does: a warp has 32 lanes, a request at least one of them, no branch parts more often than it runs, ideal
counts are no more than actual ones, and the lanes of the instructions lie between those of the lines. Pure; example::

    consistent(profile).refused   # ("line 12: 40 active threads in 1 request of a global load: a warp has 32",)
"""

from __future__ import annotations

from dataclasses import fields, replace

from assistant.model.profile import InstructionMix, LaunchProfile, LineAccess, LineExecution
from assistant.profile.wording import number, plural

__all__ = ["consistent"]

_WARP_LANES = 32
_ROUNDING = 1
"""By how much counts of a sampled launch, scaled and rounded each by itself, may differ."""
_ROUNDED_WARPS = 5
"""Warp instructions that rounding may take from a line: half of one for each of its ten classes."""
_LANES_RATIO = 0.5
"""Instructions that a predicate turns off have fewer lanes than their line; less than half of the fewest is not explained by that."""


def consistent(profile: LaunchProfile) -> LaunchProfile:
    """The profile without contradictory counts; ``refused`` says which, and why."""
    accesses = {access: _access_contradiction(access, is_of_hardware=profile.is_of_hardware) for access in profile.accesses}
    executions = {line: _execution_contradiction(line) for line in profile.executions}
    kept = replace(
        profile,
        accesses=tuple(access for access, reason in accesses.items() if not reason),
        executions=tuple(
            _without_branches(line) if reason else line for line, reason in executions.items() if not _has_too_many_lanes(line)
        ),
    )
    of_code = _code_contradiction(kept)
    reasons = (*accesses.values(), *executions.values(), of_code)
    instructions = () if of_code else profile.instructions
    return replace(kept, instructions=instructions, refused=(*profile.refused, *dict.fromkeys(filter(None, reasons))))


def _access_contradiction(access: LineAccess, *, is_of_hardware: bool) -> str:
    """A GPU also counts requests that a predicate turned off for all lanes."""
    most = _WARP_LANES * access.requests + _ROUNDING
    if access.active_threads > most:
        requests = plural(access.requests, "request")
        return (
            f"line {access.line}: {number(access.active_threads)} active threads in {requests} of a {access.op}: a warp has {_WARP_LANES}"
        )
    if not is_of_hardware and access.requests > access.active_threads + _ROUNDING:
        requests = plural(access.requests, "request")
        return f"line {access.line}: {requests} of a {access.op} by {number(access.active_threads)} threads: each needs one at least"
    for actual, ideal, unit in (
        (access.sectors, access.ideal_sectors, "sectors"),
        (access.wavefronts, access.ideal_wavefronts, "wavefronts"),
    ):
        if actual is not None and ideal is not None and ideal > actual + _ROUNDING:
            return f"line {access.line}: {number(actual)} {unit} of a {access.op}, where {number(ideal)} would be the least"
    return ""


def _has_too_many_lanes(line: LineExecution) -> bool:
    return line.thread_executions > _WARP_LANES * line.warp_executions + _ROUNDING


def _execution_contradiction(line: LineExecution) -> str:
    if _has_too_many_lanes(line):
        return (
            f"line {line.line}: {number(line.thread_executions)} executions of threads in {number(line.warp_executions)} of warps: "
            f"a warp has {_WARP_LANES}"
        )
    if line.divergent_branches > line.branch_executions + _ROUNDING:
        return (
            f"line {line.line}: branches that part {number(line.divergent_branches)} times in {number(line.branch_executions)} executions"
        )
    return ""


def _without_branches(line: LineExecution) -> LineExecution:
    return replace(line, divergent_branches=0, branch_executions=0)


def _code_contradiction(profile: LaunchProfile) -> str:
    """Of the instructions as a whole, since what is wrong with one line's moves that of others."""
    counted = [(_total(line.mix), _total(line.warp_mix)) for line in profile.instructions if line.warp_mix is not None]
    threads, warps = sum(pair[0] for pair in counted), sum(pair[1] for pair in counted)
    if not warps:
        return ""
    if threads > _WARP_LANES * (warps + _ROUNDED_WARPS * len(counted)) + _ROUNDING * len(counted):
        return f"machine code: {number(threads)} instructions of threads in {number(warps)} of warps: a warp has {_WARP_LANES} lanes"
    fewest = min((e.thread_executions / e.warp_executions for e in profile.executions if e.warp_executions), default=0.0)
    if threads / warps < _LANES_RATIO * fewest:
        return (
            f"machine code: {number(threads / warps)} lanes an instruction, where no line has fewer than {number(fewest)}: "
            f"{number(warps)} warp instructions are too many"
        )
    return ""


def _total(mix: InstructionMix) -> int:
    return sum(getattr(mix, f.name) for f in fields(mix))
