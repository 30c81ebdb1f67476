"""Does B wait for all that it needs? Its program once more, with everything in streams as late as CUDA allows and in another order.

Ordinary runs do each operation at once, in the order in which it is issued, so an event that is recorded too early or a wait that is
missing changes nothing there. What a late run gives the host is held against B's ordinary run and against the original's; before that is
called B's fault, the original's own late run and a run of B in the order of issue, both on memory with arbitrary contents, must be right.
"""

from __future__ import annotations

from dataclasses import replace

from assistant.build.symbols import name_in_code
from assistant.cuda.code_patterns import Words
from assistant.cuda.tokens import words_in_code
from assistant.engine.evaluate import CountedRun, trace_of
from assistant.engine.job import Job
from assistant.engine.source_version import SourceVersion
from assistant.model.recording import Overtaking
from assistant.model.verification import Outcome, VerificationFinding
from assistant.model.workload import Tolerance
from assistant.ports.lab import ProgramRun
from assistant.record import Record
from assistant.verify.evidence import ProgramVerdict
from assistant.verify.program import compare_programs
from assistant.verify.transfers import HostData, ProgramTrace

__all__ = ["UNCHECKED", "OriginalRuns", "StreamOrder", "can_be_late", "check_streams"]

_CAN_BE_LATE = Words(
    r"cuda(?:StreamCreate\w*|StreamPerThread|\w+Async|LaunchHostFunc|StreamAddCallback|MallocManaged|MallocHost|HostAlloc|HostRegister)|__managed__"
)
"""Without any of these all work is in the default stream, and each copy is waited for."""
_COPIES = frozenset({"memcpy", "symbol", "unfinished"})
"""Kinds of transfers that one call each asks for; memory that the host sees anyway is looked at when it waits, which differs."""


_OPERATIONS = {"copy": "a copy", "fill": "a fill (cudaMemset)", "free": "a cudaFreeAsync", "host_function": "a host function"}


class StreamOrder(Record):
    """What late runs show of an edit."""

    is_checked: bool
    findings: tuple[VerificationFinding, ...] = ()


UNCHECKED = StreamOrder(False)


class OriginalRuns(Record):
    """The original's program and what its ordinary runs passed to the host."""

    version: SourceVersion
    first: ProgramRun
    second: ProgramRun
    """What differs between the two is not compared."""
    tolerance: Tolerance


def can_be_late(version: SourceVersion) -> bool:
    """Whether anything in the program can run after the call that asks for it, but for launches whose results are copied synchronously."""
    return any(word in _CAN_BE_LATE for source in version.program.sources for word in words_in_code(source.text))


async def check_streams(job: Job, original: OriginalRuns, candidate: SourceVersion, counted: CountedRun) -> StreamOrder:
    """One run of B; where it differs from what B passed in the order of issue, one of A and another one of B."""
    ordinary = None if counted.run is None else counted.run.under_emulator
    if ordinary is None or not (can_be_late(original.version) or can_be_late(candidate)):
        return UNCHECKED
    late = await _run(job, candidate, True)
    difference = None if late is None else _difference(original, ordinary, late)
    if late is None or isinstance(difference, _NothingToCompare):
        return UNCHECKED
    if difference is None:
        return StreamOrder(True)
    issued, control = await _run(job, candidate, False), await _run(job, original.version, True)
    if issued is None or control is None:
        return UNCHECKED
    if _difference(original, ordinary, issued) is not None or _difference(original, original.first, control) is not None:
        return UNCHECKED
    return StreamOrder(True, (_finding(difference, _new_overtaking(control, late)),))


async def _run(job: Job, version: SourceVersion, is_late: bool) -> ProgramRun | None:
    """None where it does not come to its end."""
    run = await job.further_runs.of_streams(job.lab, version.program, is_late, job.limits)
    is_whole = isinstance(run, ProgramRun) and not (run.timed_out or run.is_partial or run.memory_exceeded or run.tasks_exceeded)
    return run if isinstance(run, ProgramRun) and is_whole else None


class _NothingToCompare(Record):
    """No number that is the same in the original's runs reaches the host."""


def _difference(original: OriginalRuns, ordinary: ProgramRun, other: ProgramRun) -> VerificationFinding | _NothingToCompare | None:
    """What another run of a program gives the host that differs from its ordinary run, and differs than the original does too.

    What varies between the original's own runs, and sums of floats whose order changes, are no difference.
    """
    text = original.version.struct_text
    mine, trace = (trace_of(run, text, _COPIES) for run in (ordinary, other))
    trace = _completed(trace, mine)
    own = compare_programs(mine, mine, trace, original.tolerance)
    first, second = (trace_of(run, text, _COPIES) for run in (original.first, original.second))
    against_original = compare_programs(first, second, _completed(trace, first), original.tolerance)
    if not isinstance(own, ProgramVerdict) or not isinstance(against_original, ProgramVerdict):
        return _NothingToCompare()
    return against_original.findings[0] if own.findings and against_original.findings else None


def _completed(late: ProgramTrace, ordinary: ProgramTrace) -> ProgramTrace:
    """What the program never waited for differs from nothing: it is taken from the ordinary run."""
    pairs = zip(late.transfers, ordinary.transfers, strict=False)
    known = tuple(_taken(mine, theirs) for mine, theirs in pairs)
    return replace(late, transfers=(*known, *late.transfers[len(known) :]))


def _taken(late: HostData, ordinary: HostData) -> HostData:
    return ordinary if late.kind == "unfinished" else late


def _new_overtaking(control: ProgramRun, late: ProgramRun) -> Overtaking | None:
    """What B lets run before something else that uses the same memory, and the original does not."""
    if control.recording is None or late.recording is None:
        return None
    known = {(pair.first, pair.earlier) for pair in control.recording.overtaken}
    return next((pair for pair in late.recording.overtaken if (pair.first, pair.earlier) not in known), None)


def _finding(difference: VerificationFinding, pair: Overtaking | None) -> VerificationFinding:
    """Names the operations where they are known; where none is named, the host itself may read or write memory too early."""
    cause = "B does not wait for all that it needs"
    if pair is not None:
        first, earlier = _words(pair.first, pair.first_line), _words(pair.earlier, pair.earlier_line)
        cause = f"nothing makes {first} wait for {earlier}, which is issued before it and uses the same memory"
    message = f"{cause}: with its streams as late as CUDA allows, {difference.message}"
    line = None if pair is None or not pair.first_line else pair.first_line
    return replace(difference, code="stream_order", outcome=Outcome.FAIL, message=message, line=line)


def _words(operation: str, line: int) -> str:
    if operation in _OPERATIONS:
        return _OPERATIONS[operation]
    name, _ = name_in_code(operation)
    return f"{name} (launched on line {line})" if line else name
