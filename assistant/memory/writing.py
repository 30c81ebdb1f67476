"""How a technique's edits were written where they paid: CUDA's own words in them, and the edit that the others that paid are most like.

The same textual gradient as for kernels (`playbooks.py`), on edits: the one condition on what an edit adds that explains best which trials
paid is found on two thirds of the kernels, and kept only where it predicts the last third better. Only words of CUDA are named, and the id
of an edit to go by; whether its code may be shown is decided where it is shown. Pure. Example::

    learnt_writing("warp-per-row", rows, edits, kept=None).statements     # ("written with __shfl_down_sync: 6 of 7 edits gained, …", …)
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence

from assistant.cuda.edit_likeness import added, added_text, likeness
from assistant.memory.experience_rows import Known
from assistant.memory.playbooks import (
    GAINED,
    LEAST_HELD_OUT,
    LEAST_LEARNT,
    LEAST_SIDE,
    LIKE,
    PULL,
    WORD,
    Condition,
    Lesson,
    LessonScore,
    is_held_out,
    own_trials,
)
from assistant.model.comparison import format_ratio
from assistant.record import Record

__all__ = ["WORDS", "Edit", "edit_of", "learnt_writing"]

_ALIKE = 0.5
"""Likeness from which an edit is written as another one is (chosen: two techniques of the catalogue are at most half alike)."""
_MOST_COMPARED = 60
"""Edits among which the most typical one is looked for, the newest first."""
_TOKEN = re.compile(r"[A-Za-z_]\w*")
WORDS = frozenset(
    (
        *("__shared__", "__constant__", "__restrict__", "__launch_bounds__", "__forceinline__", "__syncthreads", "__syncwarp"),
        *("__threadfence", "__threadfence_block", "__activemask", "__ballot_sync", "__any_sync", "__all_sync", "__match_any_sync"),
        *("__shfl_sync", "__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync", "__reduce_add_sync", "__reduce_max_sync"),
        *("__ldg", "__ldcg", "__ldcs", "__stcs", "__stcg", "__fmaf_rn", "__expf", "__fdividef", "__frsqrt_rn", "__pipeline_memcpy_async"),
        *("float2", "float4", "double2", "int2", "int4", "uint4", "half2", "__half2", "reinterpret_cast", "make_float4", "make_float2"),
        *("atomicAdd", "atomicMax", "atomicMin", "atomicCAS", "fmaf", "rsqrtf", "unroll", "constexpr", "template", "asm", "volatile"),
        *("cooperative_groups", "tiled_partition", "memcpy_async", "wmma", "load_matrix_sync", "mma_sync", "warpSize"),
    )
)
"""CUDA's and C++'s own words that tell one way of writing an edit from another; no name of a person's own is among them."""


class Edit(Record):
    """What an edit adds."""

    words: frozenset[str]
    """Of `WORDS`."""
    runs: frozenset[tuple[str, ...]]
    """`cuda.edit_likeness.added`."""


class _Trial(Record):
    row: Known
    edit: Edit
    gain: float
    """log(time before / time after); what was wrong gained nothing."""
    weight: float
    """Trials on one kernel share one."""


def edit_of(before: str, after: str) -> Edit:
    return Edit(frozenset(_TOKEN.findall(added_text(before, after))) & WORDS, added(before, after))


def learnt_writing(
    technique: str, rows: Iterable[Known], edits: Callable[[str], Edit | None], kept: Lesson | None, only: Condition | None = None
) -> Lesson | None:
    """What the rows teach of how its edits are written, with its score against ``kept``; None where they are too few, or all alike.

    ``edits``: what the trial of an id added; None where its text is not kept. ``only``: the one condition that is looked at.
    """
    learning, held_out = _trials(technique, rows, edits)
    if _kernel_count(learning) < LEAST_LEARNT or _kernel_count(held_out) < LEAST_HELD_OUT:
        return None
    plain = _mean(learning)
    typical = _typical(learning)
    found = [(condition, _sides(learning, condition, edits)) for condition in ((only,) if only else _conditions(learning, typical))]
    found = [(condition, sides) for condition, sides in found if all(_kernel_count(side) >= LEAST_SIDE for side in sides)]
    if not found:
        return None
    best, sides = min(
        found, key=lambda each: (_error(learning, each[0], *_means(each[1], plain), edits), each[0].field == LIKE, str(each[0]))
    )
    met, other = _means(sides, plain)
    before = _plain_error(held_out, plain) if kept is None else _error(held_out, kept.condition, kept.mean_met, kept.mean_other, edits)
    return Lesson(
        technique=technique,
        condition=best,
        mean_met=met,
        mean_other=other,
        statements=tuple(_statements(best, sides)),
        rows=tuple(dict.fromkeys(trial.row.id for trial in learning)),
        held_out=tuple(dict.fromkeys(trial.row.id for trial in held_out)),
        score=LessonScore(before, _error(held_out, best, met, other, edits), _kernel_count(held_out)),
        example=_example(sides, met, other),
    )


def _trials(technique: str, rows: Iterable[Known], edits: Callable[[str], Edit | None]) -> tuple[list[_Trial], list[_Trial]]:
    """(learnt from, held out)."""
    learning: list[_Trial] = []
    held_out: list[_Trial] = []
    for some in own_trials(row for row in rows if row.technique == technique):
        known = [(row, edit) for row in some if (not row.is_right or row.log_ratio is not None) and (edit := edits(row.id)) is not None]
        for row, edit in known:
            gain = (row.log_ratio or 0.0) if row.is_right else 0.0
            (held_out if is_held_out(row) else learning).append(_Trial(row, edit, gain, 1 / len(known)))
    return learning, held_out


def _typical(trials: Sequence[_Trial]) -> _Trial | None:
    """Of the edits that paid, the one that the others are most like; None without any."""
    paid = [trial for trial in trials if trial.gain >= GAINED][:_MOST_COMPARED]
    return max(paid, key=lambda trial: sum(likeness(trial.edit.runs, other.edit.runs) for other in paid), default=None)


def _conditions(trials: Sequence[_Trial], typical: _Trial | None) -> Iterator[Condition]:
    yield from (Condition(WORD, word) for word in sorted({word for trial in trials for word in trial.edit.words}))
    if typical is not None:
        yield Condition(LIKE, typical.row.id)


def _meets(trial: _Trial, condition: Condition, edits: Callable[[str], Edit | None]) -> bool | None:
    """None where the edit to go by was forgotten."""
    if condition.field == WORD:
        return condition.value in trial.edit.words
    example = edits(condition.value)
    return None if example is None else likeness(trial.edit.runs, example.runs) >= _ALIKE


def _sides(trials: Sequence[_Trial], condition: Condition, edits: Callable[[str], Edit | None]) -> tuple[list[_Trial], list[_Trial]]:
    met = [_meets(trial, condition, edits) for trial in trials]
    met_side = [trial for trial, is_met in zip(trials, met, strict=True) if is_met is True]
    return met_side, [trial for trial, is_met in zip(trials, met, strict=True) if is_met is False]


def _kernel_count(trials: Iterable[_Trial]) -> int:
    return len({trial.row.kernel_id for trial in trials})


def _mean(trials: Sequence[_Trial]) -> float:
    return math.fsum(trial.weight * trial.gain for trial in trials) / math.fsum(trial.weight for trial in trials)


def _means(sides: tuple[Sequence[_Trial], Sequence[_Trial]], plain: float) -> tuple[float, float]:
    """Expected gains of both, each pulled towards the mean of all."""
    met, other = (
        (math.fsum(trial.weight * trial.gain for trial in side) + PULL * plain) / (math.fsum(trial.weight for trial in side) + PULL)
        for side in sides
    )
    return met, other


def _error(trials: Sequence[_Trial], condition: Condition, met: float, other: float, edits: Callable[[str], Edit | None]) -> float:
    expected = {True: met, False: other, None: (met + other) / 2}
    squares = math.fsum(trial.weight * (trial.gain - expected[_meets(trial, condition, edits)]) ** 2 for trial in trials)
    return squares / math.fsum(trial.weight for trial in trials)


def _plain_error(trials: Sequence[_Trial], plain: float) -> float:
    squares = math.fsum(trial.weight * (trial.gain - plain) ** 2 for trial in trials)
    return squares / math.fsum(trial.weight for trial in trials)


def _example(sides: tuple[Sequence[_Trial], Sequence[_Trial]], met: float, other: float) -> str:
    """The most typical edit of the better side that paid; empty where none did."""
    typical = _typical(sides[0] if met >= other else sides[1])
    return "" if typical is None else typical.row.id


def _statements(condition: Condition, sides: tuple[Sequence[_Trial], Sequence[_Trial]]) -> Iterator[str]:
    """Both sides, the better one first."""
    named = sorted(zip(condition.words, sides, strict=True), key=lambda pair: -_mean(pair[1]))
    for words, side in named:
        gained = sum(trial.gain >= GAINED for trial in side)
        wrong = sum(trial.row.is_right == 0 for trial in side)
        median = math.exp(statistics.median(trial.gain for trial in side))
        failed = f", {wrong} did not build or answered wrongly" if wrong else ""
        yield f"written {words}: {gained} of {len(side)} edits gained, median {format_ratio(median)}x{failed}"
