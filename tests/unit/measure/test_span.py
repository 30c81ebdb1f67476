"""How long steps take together that wait for each other only in part."""

from __future__ import annotations

import pytest

from assistant.measure.span import TimedStep, shared_span_s, span_s

L, T = 1e-6, 10e-6


def step(*needs: int, room: float = 1.0, engine: str | None = None) -> TimedStep:
    return TimedStep(T, L, needs, engine, room)


def test_a_chain_takes_the_sum() -> None:
    assert span_s([step(), step(0), step(1)]) == pytest.approx(3 * (L + T))


def test_small_kernels_overlap_and_full_ones_do_not() -> None:
    assert span_s([step(room=0.2), step(room=0.2)]) == pytest.approx(2 * L + T)
    assert span_s([step(), step()]) == pytest.approx(L + 2 * T)


def test_what_does_not_fit_whole_may_share_at_the_best() -> None:
    both = [step(room=0.7), step(room=0.7)]
    assert span_s(both) == pytest.approx(L + 2 * T)
    assert shared_span_s(both) == pytest.approx(1.4 * T)


def test_copies_hide_behind_kernels_and_not_behind_copies_of_their_direction() -> None:
    assert span_s([step(engine="in"), step()]) == pytest.approx(2 * L + T)
    assert span_s([step(engine="in"), step(engine="in")]) == pytest.approx(L + 2 * T)
    assert span_s([step(engine="in"), step(engine="out")]) == pytest.approx(2 * L + T)


def test_the_host_asks_for_one_thing_after_the_other() -> None:
    short = TimedStep(1e-9, L, (), None, 0.01)
    assert span_s([short] * 50) == pytest.approx(50 * L, rel=0.01)
