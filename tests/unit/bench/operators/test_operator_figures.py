"""Correct ones, fast_p and means of a run of PyTorch tasks."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import pytest

from assistant.bench.operators.figures import ALL, ANSWERS_ALONE, figures_of
from assistant.bench.operators.page import NO_GPU_NOTE, results_page
from assistant.bench.operators.plot import plot_svg
from assistant.bench.operators.row import ANSWER, RULES, OperatorOutcome
from assistant.bench.operators.words import row_line
from tests.unit.bench.operators.rows import CPU, GPU, row, timed

ROWS = (
    row("a", timed=timed(eager=2.5, compile=0.8), origin=ANSWER, candidate="a.cu"),
    row("b", timed=timed(eager=1.2, compile=1.0), origin=RULES),
    row("c", OperatorOutcome.FAIL, level=2),
    row("d", OperatorOutcome.NEEDS_DECISION, level=2, timed=timed(eager=9.0, compile=9.0)),
    row("e", level=2),
)
"""Two that are timed, one wrong, one that a person decides on, one that is correct and was not timed."""


def test_fast_p_counts_correct_ones_that_are_more_than_p_times_as_fast_among_all() -> None:
    everything = {each.name: each for each in figures_of(ROWS, GPU)}[ALL]
    assert (everything.task_count, everything.correct_count, everything.decision_count, everything.by_rules_count) == (5, 3, 1, 1)
    eager, compiled = everything.speeds
    assert [(fast.p, fast.count, fast.ratio) for fast in eager.fast] == [(0.0, 3, 0.6), (1.0, 2, 0.4), (1.5, 1, 0.2), (2.0, 1, 0.2)]
    assert [fast.count for fast in compiled.fast] == [3, 0, 0, 0], "as fast as the baseline is not faster"


def test_means_are_geometric_with_what_failed_as_one() -> None:
    eager = {each.name: each for each in figures_of(ROWS, GPU)}[ALL].speeds[0]
    assert eager.geometric_mean == pytest.approx((2.5 * 1.2) ** (1 / 5))
    assert eager.correct_geometric_mean == pytest.approx(math.sqrt(2.5 * 1.2)) and eager.timed_count == 2


def test_each_level_has_its_figures_and_answers_alone_where_rules_wrote_some() -> None:
    found = {each.name: each for each in figures_of(ROWS, GPU)}
    assert list(found) == ["level 1", "level 2", ALL, ANSWERS_ALONE]
    assert (found["level 1"].task_count, found["level 2"].correct_count, found[ANSWERS_ALONE].correct_count) == (2, 1, 2)
    assert found[ANSWERS_ALONE].speeds[0].fast[1].count == 1


def test_without_a_gpu_only_correctness_is_counted() -> None:
    plain = tuple(row(each.title, each.outcome, each.level) for each in ROWS)
    assert all(each.speeds == () for each in figures_of(plain, CPU))
    page = results_page(CPU, plain)
    assert "Nothing was timed: there is no GPU" in page and "| no GPU |" in page and "fast_1 over eager" in page
    assert row_line(plain[0], CPU) == "a: PASS, no GPU; 3 s"


def test_nothing_correct_is_no_mean() -> None:
    (level, everything) = figures_of((row("a", OperatorOutcome.FAILED),), GPU)
    assert level.speeds == everything.speeds and everything.speeds[0].correct_geometric_mean is None
    assert everything.speeds[0].geometric_mean == 1.0 and everything.speeds[0].fast[0].ratio == 0.0


def test_the_page_has_a_row_for_each_task_and_says_why_one_is_not_correct() -> None:
    page = results_page(GPU, ROWS)
    assert "| a | PASS | answer a.cu | 2.50x (2.48 to 2.52) | 0.80x (0.79 to 0.81) | 3 s |" in page
    assert "- c: FAIL: why" in page and "- d: NEEDS_DECISION: why" in page and "Timed: turns in random order." in page
    assert row_line(ROWS[1], GPU) == "b: PASS, 1.20x (1.19 to 1.21) over eager, 1.00x (0.99 to 1.01) over compile; kernel by rules; 3 s"


@pytest.mark.parametrize("settings", [CPU, GPU])
def test_the_drawing_names_every_task(settings: object) -> None:
    drawing = plot_svg(ROWS, settings)  # pyright: ignore[reportArgumentType]
    assert drawing.startswith("<svg") and all(f">{each.title}<" in drawing for each in ROWS)
    assert 'class="title">3 of 5 tasks correct<' in drawing and (f">{NO_GPU_NOTE}<" in drawing) is (settings == CPU)


def test_a_bar_says_its_number_and_a_name_that_is_too_long_is_cut_in_its_middle() -> None:
    drawing = plot_svg((row(f"level2/{'Long' * 20}_7", timed=timed(eager=2.5)),), GPU)
    assert ">2.50x<" in drawing and ">level2/LongLong" in drawing and "LongLong_7<" in drawing
    assert "…" in drawing and f"<title>level2/{'Long' * 20}_7</title>" in drawing


def test_each_verdict_has_its_point() -> None:
    circles = ET.fromstring(plot_svg(ROWS, CPU)).iter("{http://www.w3.org/2000/svg}circle")
    assert [each.get("class") for each in circles] == ["gain", "gain", "loss", "open", "gain"]


@pytest.mark.parametrize("ratio", [0.003, 1.0, 2.5, 4000.0])
def test_all_words_lie_within_the_picture(ratio: float) -> None:
    picture = ET.fromstring(plot_svg((row("a", timed=timed(eager=ratio, compile=1 / ratio)),), GPU))
    for each in picture.iter("{http://www.w3.org/2000/svg}text"):
        end = float(each.attrib["x"]) + (0 if each.get("text-anchor") else 6 * len(each.text or ""))
        assert 0 < end < float(picture.attrib["width"]), each.text
