"""What was learnt as a page: numbers in words, medians on one axis, and why each candidate was tried."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.editor.learned_page import TechniquePart, learned_page
from assistant.model.comparison import SpeedOutcome
from assistant.model.knowledge import Knowledge, KnownLesson, KnownSequence, WhatWasLearned
from assistant.model.trial import TrialOutcome
from jupyter_ext.learned_html import learned_html, learned_text
from tests.contracts.stored import Given

HOSTILE = "<img src=x onerror=alert(1)>"


def known(technique: str = "warp-per-row", **changes: Any) -> Knowledge:
    values: dict[str, Any] = {
        "technique": technique,
        "state": "memory-bound row reductions of float",
        "label": "dram",
        "family": "row reduction",
        "element": "float",
        "device_class": "NVIDIA H200",
        "kernel_count": 6,
        "tried_count": 7,
        "right_count": 6,
        "measured_count": 6,
        "predicted_count": 0,
        "median_ratio": 3.1,
        "low_ratio": 2.2,
        "high_ratio": 4.0,
        "accepted_count": 2,
        "rejected_count": 1,
    }
    return Knowledge(**(values | changes))


def parts(*rows: Knowledge) -> tuple[TechniquePart, ...]:
    (state,) = learned_page(WhatWasLearned(rows), ()).states
    return state.techniques


def test_numbers_stand_in_words() -> None:
    page = learned_page(WhatWasLearned((known(imported_count=3),)), ())
    (state,) = page.states
    assert (state.title, state.device) == ("Memory-bound row reductions of float", "NVIDIA H200")
    (part,) = state.techniques
    assert (part.kernels, part.right, part.speed) == ("6 kernels", "6 of 7", "3.10x [2.20, 4.00]")
    assert (part.how, part.people, part.imported) == ("measured on 6", "accepted 2, rejected 1", "3 imported")


def test_the_most_promising_comes_first_and_every_state_has_its_table() -> None:
    slow, fast = known("loop-unrolling", median_ratio=1.1, low_ratio=None, high_ratio=None), known()
    elsewhere = known(device_class="cpu, predicted for h200", measured_count=0, predicted_count=2)
    page = learned_page(WhatWasLearned((slow, fast, elsewhere)), ())
    assert [[part.technique for part in state.techniques] for state in page.states] == [
        ["warp per row", "loop unrolling"],
        ["warp per row"],
    ]
    assert page.states[1].techniques[0].how == "predicted on 2"


def test_medians_are_placed_on_one_logarithmic_axis() -> None:
    rows = (known("a", median_ratio=2.0, low_ratio=1.0, high_ratio=4.0), known("b", median_ratio=0.5, low_ratio=None, high_ratio=None))
    page = learned_page(WhatWasLearned(rows), ())
    assert page.axis is not None
    a, b = page.states[0].techniques
    assert a.low == pytest.approx(page.axis.one) and a.place is not None and b.place is not None and a.high is not None
    assert a.place - page.axis.one == pytest.approx(page.axis.one - b.place), "2x and 0.5x are as far from 1x"
    assert a.high - a.place == pytest.approx(a.place - page.axis.one)
    assert {text: place for place, text in page.axis.ticks}["2x"] == pytest.approx(a.place)
    assert b.low is None


def test_what_was_never_timed_or_only_decided_has_no_place() -> None:
    nothing: dict[str, Any] = {"median_ratio": None, "low_ratio": None, "high_ratio": None, "measured_count": 0}
    (part,) = parts(known(kernel_count=0, tried_count=0, right_count=0, **nothing))
    assert (part.kernels, part.right, part.speed, part.how, part.place) == ("no trial is known", "", "", "", None)
    assert learned_page(WhatWasLearned((known(**nothing),)), ()).axis is None


def test_each_candidate_says_why_it_was_tried_and_what_came_of_it() -> None:
    why = "1 of 3: expected 1.92x; the finding promises 7.20x by the performance model"
    old = Given.attempt("C02", outcome=TrialOutcome.FAILED, comparison=None, reason="it answers wrongly")
    tried = learned_page(WhatWasLearned(()), (Given.attempt(why=why), old)).tried
    assert (tried[0].tried, tried[0].kernel, tried[0].file) == (why, "transpose", "transpose.cu")
    assert tried[0].outcome.startswith("kept, ") and "1.50x" in tried[0].outcome
    assert (tried[1].outcome, tried[1].tried[:26]) == ("wrong", "nothing is kept of it: it ")
    assert Given.attempt().comparison.outcome is SpeedOutcome.FASTER  # pyright: ignore[reportOptionalMemberAccess]


def test_a_notebook_shows_the_same_and_nothing_of_it_is_markup() -> None:
    learned = WhatWasLearned(
        (known(), known(HOSTILE)),
        (KnownSequence("a+b", "a alone came to 0.97x", ("C1",), is_dropped=True),),
        (KnownLesson("L1", HOSTILE, ("paid on long rows",), ("C1", "C2")),),
    )
    page = learned_page(learned, (Given.attempt(why="1 of 1", reason=HOSTILE),))
    html, text = learned_html(page), learned_text(page)
    assert "<img" not in html
    for said in ("3.10x [2.20, 4.00]", "a+b, reverted: a alone came to 0.97x", "paid on long rows", "tried 1 of 1", "measured on 6"):
        assert said in html and said in text, said
    assert html.count("<circle") == 2


def test_an_empty_memory_says_what_will_fill_it() -> None:
    page = learned_page(WhatWasLearned(()), ())
    assert page.nothing.startswith("Nothing was learned yet")
    assert page.nothing in learned_html(page) and page.nothing in learned_text(page)
