"""What a verdict says of a program that takes too long to be run whole, and on what it rests then.

Launches that ended in their time are judged at their own size. Of others, some blocks are compared at their own size, and smaller ones run
whole; where B's blocks do another part of the work than A's, the smaller ones are all there is, and a person decides. Example::

    judged_in_part(baseline, candidate, counted, cases).caveats
    # ("judged at n=257, not at the program's own size n=4096, of which 64 of 65,536 blocks were compared",)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.cuda.code_patterns import CodePattern
from assistant.engine.evaluate import CountedRun
from assistant.engine.judge.baseline import Baseline
from assistant.engine.judge.own_blocks import CaseOfBoth, comparable
from assistant.engine.source_version import SourceVersion
from assistant.model.verification import Label, Outcome, VerificationFinding
from assistant.profile.quantity import counted_noun
from assistant.record import Record
from assistant.verify.evidence import DetectedLabel
from assistant.workload.chosen_blocks import chosen_in

__all__ = ["NOT_COMPARED", "JudgedInPart", "judged_in_part"]

NOT_COMPARED = "own_size_not_compared"
"""Code of the finding that nothing was compared at the program's own size."""
_ATOMIC = CodePattern(r"\batomic(?:[A-Z]|_ref\b)|\batom\.|\bred\.")
_RECORDED, _RESIZED = "recorded", "resized"
_HOST = "what reaches the host: the program takes too long to be run whole, so what it computes and prints is not right"


class JudgedInPart(Record):
    """Cases that count, and notes on the others."""

    cases: tuple[CaseOfBoth, ...]
    is_partial: bool = False
    labels: tuple[DetectedLabel, ...] = ()
    findings: tuple[VerificationFinding, ...] = ()
    caveats: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def is_led_by_smaller(self) -> bool:
        """Whether a smaller size stands for the program's own, at which nothing could be compared."""
        return bool(self.findings)


def judged_in_part(baseline: Baseline, candidate: SourceVersion, counted: CountedRun, cases: Sequence[CaseOfBoth]) -> JudgedInPart:
    """``cases``: all that B was run on; ``counted``: B's own run. Without notes where both programs ran whole."""
    if not (baseline.counted.is_partial or counted.is_partial):
        return JudgedInPart(tuple(cases))
    kept = comparable(cases, are_sums_shared=any(_ATOMIC.is_in(text) for one in (baseline.version, candidate) for text in _texts(one)))
    findings: list[VerificationFinding] = []
    caveats: list[str] = []
    for kernel in dict.fromkeys(case.item.case.kernel for case in cases):
        mine = [case for case in cases if case.item.case.kernel == kernel]
        own = [case for case in mine if chosen_in(case.item.case.new)]
        if own:
            is_compared = any(case.item is one.item for case in own for one in kept)
            caveats.append(_of_sizes(own[0], mine, is_compared=is_compared))
            if not is_compared:
                findings.append(_not_compared(kernel, own[0]))
                kept = _led_by_smaller(kept, kernel)
    caveats += _of_series(baseline.counted, counted)
    caveats = caveats or ["judged in part: what reaches the host not compared"]
    label = DetectedLabel(Label.IN_PART, "; ".join(caveats))
    return JudgedInPart(tuple(kept), True, (label,), tuple(findings), tuple(dict.fromkeys(caveats)), (_HOST,))


def _texts(version: SourceVersion) -> Iterator[str]:
    return (source.text for source in version.sources)


def _of_sizes(own: CaseOfBoth, mine: Sequence[CaseOfBoth], *, is_compared: bool) -> str:
    launch, shape = own.item.case.new.recording.launches[0], own.item.case.new.origin.shape
    blocks = f"{len(launch.chosen_blocks):,} of {launch.config.grid.count:,} blocks"
    whole = [case.item.case.new.origin.shape for case in mine if _is_whole_and_smaller(case)]
    if not whole:
        return f"judged on {blocks} at the program's own size {shape}" if is_compared else f"not judged at the program's own size {shape}"
    words = f"judged at {whole[0]}, not at the program's own size {shape}"
    return f"{words}, of which {blocks} were compared" if is_compared else words


def _not_compared(kernel: str, own: CaseOfBoth) -> VerificationFinding:
    shape = own.item.case.new.origin.shape
    message = (
        f"nothing was compared at the program's own size {shape}, which takes too long to be run whole: B's blocks do another "
        "part of the work than A's; what goes wrong at that size alone does not show"
    )
    return VerificationFinding(NOT_COMPARED, Outcome.NEEDS_DECISION, message, kernel)


def _led_by_smaller(kept: Sequence[CaseOfBoth], kernel: str) -> list[CaseOfBoth]:
    """With the first smaller size of the kernel as the launch that a verdict rests on: a difference there is wrong."""
    lead = next((case for case in kept if case.item.case.kernel == kernel and _is_whole_and_smaller(case)), None)
    return [_as_recorded(case) if case is lead else case for case in kept]


def _is_whole_and_smaller(case: CaseOfBoth) -> bool:
    """Whether all blocks ran, at another size: an integer may also be another where only the chosen blocks run."""
    new = case.item.case.new
    return new.origin.kind == _RESIZED and not chosen_in(new)


def _as_recorded(case: CaseOfBoth) -> CaseOfBoth:
    new = case.item.case.new
    new = replace(new, origin=replace(new.origin, kind=_RECORDED, is_own_size=True))
    return replace(case, item=replace(case.item, case=replace(case.item.case, new=new)))


def _of_series(*runs: CountedRun) -> Iterator[str]:
    """Where launches were left out: how far the shorter of both runs came."""
    found: list[tuple[int, int]] = []
    for run in runs:
        recording = run.recording
        if recording is not None and recording.first_partial is not None:
            made = sum(shape.count for shape in recording.shape_counts)
            found.append((recording.first_partial, made))
    if found and min(found)[0] > 0:
        whole, made = min(found)
        yield f"on the first {whole:,} of {counted_noun(made, 'launch', 'launches')}"
