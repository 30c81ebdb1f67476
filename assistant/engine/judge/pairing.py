"""Which launches, cases and lines of two versions correspond.

Example::

    unpaired_launches(a, a_counted, b_counted)     # "B launches `fused`, which A does not"; None where they correspond
"""

from __future__ import annotations

from assistant.cuda.struct_layouts import layout_named
from assistant.engine.evaluate import CountedRun, for_candidate
from assistant.engine.judge.baseline import Baseline, PreparedCase
from assistant.engine.judge.changes import edited_files
from assistant.engine.judge.filled import filled
from assistant.engine.source_version import SourceVersion
from assistant.verify.lines import LinePairs, Text, TextPair
from assistant.workload.recordings import NewCase
from assistant.workload.select import Pairing, ProgramLevelOnly, pair_launches

__all__ = ["line_pairs", "pairing_of", "runnable_cases", "unpaired_launches"]


def runnable_cases(baseline: Baseline, candidate: SourceVersion, counted: CountedRun) -> list[tuple[PreparedCase, NewCase]]:
    """The baseline's cases that the candidate can be run on, each with what the candidate runs."""
    pairing = pairing_of(baseline.version, baseline.recorded, counted)
    pairs = pairing.pairs if isinstance(pairing, Pairing) else ()
    runnable = ((item, for_candidate(item.case, pairs, candidate)) for item in baseline.cases)
    recordings = baseline.recorded.recording, counted.recording
    return [(item, filled(new, item.case, pairs, *recordings)) for item, new in runnable if new is not None]


def line_pairs(before: SourceVersion, after: SourceVersion) -> LinePairs:
    """Which lines of the candidate are lines of the original."""
    return LinePairs(
        tuple(TextPair(*(Text(str(file.source.path), file.source.text) for file in pair)) for pair in edited_files(before, after))
    )


def unpaired_launches(original: SourceVersion, a: CountedRun, b: CountedRun) -> str | None:
    """Why the launches of two programs do not correspond; None where they do, or where neither is a program."""
    pairing = pairing_of(original, a, b)
    return pairing.reason if isinstance(pairing, ProgramLevelOnly) else None


def pairing_of(original: SourceVersion, a: CountedRun, b: CountedRun) -> Pairing | ProgramLevelOnly | None:
    if a.recording is None or b.recording is None:
        return None
    return pair_launches(
        a.recording,
        b.recording,
        layout_of=lambda name: layout_named(original.struct_text, name),
        is_own=lambda kernel: original.kernel_of(kernel) is not None,
    )
