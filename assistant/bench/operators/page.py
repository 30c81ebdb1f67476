"""The page of a run of PyTorch tasks. Pure.

Example::

    results_page(settings, rows)     # '# Results\n\n…'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from assistant.bench.markdown import table_row
from assistant.bench.operators.figures import THRESHOLDS, Figures, figures_of
from assistant.bench.operators.row import OperatorOutcome, OperatorRow, OperatorSettings
from assistant.bench.operators.words import NO_GPU, figures_line, origin_words, speed_words, speeds_line, verdict_words
from assistant.model.comparison import format_ratio

__all__ = ["NO_GPU_NOTE", "figures_lines", "results_page"]

_ROUNDS = re.compile(r"\bn=(\d+)")
NO_GPU_NOTE = "Nothing was timed: there is no GPU. Candidates were judged on the emulator, and only correctness is counted."


def results_page(settings: OperatorSettings, rows: Sequence[OperatorRow]) -> str:
    """Title, where and how, figures, a row for each task, and why each is not correct."""
    figures = figures_of(rows, settings)
    lines = ["# Results", "", *_where(settings, rows), "", *_figures_table(settings, figures), ""]
    lines += [*_rows_table(settings, rows)]
    for title, outcomes in (
        ("For a person to decide, not counted as correct", (OperatorOutcome.NEEDS_DECISION,)),
        ("Not correct", (OperatorOutcome.FAIL, OperatorOutcome.NO_KERNEL, OperatorOutcome.NO_TASK, OperatorOutcome.FAILED)),
    ):
        of_outcome = [f"- {row.title}: {row.outcome.value}: {row.reason}" for row in rows if row.outcome in outcomes]
        lines += ["", f"## {title}", "", *of_outcome] if of_outcome else []
    return "\n".join(lines) + "\n"


def figures_lines(settings: OperatorSettings, rows: Sequence[OperatorRow]) -> Iterator[str]:
    """The figures, a sentence each."""
    for figures in figures_of(rows, settings):
        yield figures_line(figures)
        for speeds in figures.speeds:
            yield speeds_line(figures, speeds)
    if not settings.has_gpu:
        yield NO_GPU_NOTE


def _where(settings: OperatorSettings, rows: Sequence[OperatorRow]) -> Iterator[str]:
    devices = dict.fromkeys(row.device for row in rows if row.device)
    answers = f", candidates of `{settings.answers}`" if settings.answers is not None else ""
    yield f"`{settings.folder}` on {', '.join(devices) or 'no device'}{answers}."
    if not settings.has_gpu:
        yield f"**{NO_GPU_NOTE}**"
        return
    yield "fast_p: the share of all tasks whose candidate is correct (PASS) and more than p times as fast by call, as in KernelBench."
    yield "Means are geometric, of speed-ups by call: of all tasks, what is not correct or not timed as 1.0x, and of correct ones alone."
    for method in _methods(row.timed.method for row in rows if row.timed is not None):
        yield f"Timed: {method}."


def _methods(found: Iterable[str]) -> Iterator[str]:
    """Each once; those that differ in the number of rounds alone are one."""
    by_text = dict[str, list[int]]()
    for method in found:
        rounds = _ROUNDS.search(method)
        by_text.setdefault(_ROUNDS.sub("n=#", method, count=1), []).append(int(rounds[1]) if rounds else 0)
    for text, counts in by_text.items():
        yield text.replace("n=#", f"n={min(counts)}" if min(counts) == max(counts) else f"n={min(counts)} to {max(counts)}")


def _figures_table(settings: OperatorSettings, figures: Sequence[Figures]) -> Iterator[str]:
    names = [f"fast_{p:g}" for p in THRESHOLDS] + ["mean", "mean of correct"]
    head = ["", "tasks", "correct", "by rules", "to decide", *(f"{name} over {each}" for each in settings.baselines for name in names)]
    yield table_row(head)
    yield table_row(["---"] * len(head))
    for each in figures:
        counts = (each.task_count, each.correct_count, each.by_rules_count, each.decision_count)
        yield table_row([each.name, *map(str, counts), *(_speed_cells(each) or [NO_GPU] * (len(head) - 5))])


def _speed_cells(figures: Figures) -> list[str]:
    cells = list[str]()
    for speeds in figures.speeds:
        of_correct = "" if speeds.correct_geometric_mean is None else f"{format_ratio(speeds.correct_geometric_mean)}x"
        cells += [*(f"{each.ratio:.0%}" for each in speeds.fast), f"{format_ratio(speeds.geometric_mean)}x", of_correct]
    return cells


def _rows_table(settings: OperatorSettings, rows: Sequence[OperatorRow]) -> Iterator[str]:
    head = ["task", "verdict", "kernel", *(f"over {baseline}" for baseline in settings.baselines), "time"]
    yield table_row(head)
    yield table_row(["---"] * len(head))
    for row in rows:
        speeds = [speed_words(row, baseline, settings) for baseline in settings.baselines]
        yield table_row([row.title, verdict_words(row), origin_words(row), *speeds, f"{row.wall_s:.0f} s"])
