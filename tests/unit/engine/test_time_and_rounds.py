"""The meter of a job's time and rounds: by the clock, of a GPU, for each kernel its part."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from assistant.model import events
from assistant.model.completion import Caps, Spending
from assistant.ports.lab import LabDescription
from tests.unit.engine.opened_accounts import Open


@pytest.mark.parametrize(("gpu_s", "spent_s", "is_out"), [(None, 9.0, False), (3.0, 2.9, False), (3.0, 3.0, True), (3.0, 3.1, True)])
def test_no_candidate_is_tried_beyond_the_time(opened: Open, gpu_s: float | None, spent_s: float, is_out: bool) -> None:
    accounts, _ = opened(Caps(gpu_s=gpu_s), Spending(gpu_s=spent_s))
    assert accounts.is_out_of_time is is_out
    assert accounts.may_begin_round() is not is_out


@pytest.mark.parametrize(("cap_s", "spent_s", "is_out"), [(None, 9.0, False), (60.0, 50.0, False), (60.0, 60.0, True)])
def test_no_candidate_is_tried_beyond_the_time_by_the_clock(opened: Open, cap_s: float | None, spent_s: float, is_out: bool) -> None:
    accounts, heard = opened(Caps(wall_s=cap_s), Spending(wall_s=spent_s))
    assert accounts.is_out_of_time is is_out
    assert accounts.may_search_on() is not is_out and accounts.may_begin_round() is not is_out
    assert accounts.ended_by == ("wall_s" if is_out else None)
    told = [event.remedy for event in heard.taken() if isinstance(event, events.Message)]
    assert told == ["kernelopt optimize k.cu --planner llm --resume --budget-s 121 goes on; the 60.0 s that were spent count"] * is_out


def test_waiting_for_a_gpu_that_others_measure_on_costs_no_time(opened: Open) -> None:
    waited = SimpleNamespace(describe=lambda: LabDescription("gpu:0", "a device", "h200", "", ()), waited_s=5.0)
    accounts, _ = opened(Caps(wall_s=60.0), lab=waited)
    accounts.begin_kernel("scale", 1.0)
    begun_s = time.monotonic()
    waited.waited_s += 0.1
    time.sleep(0.2)
    assert accounts.spent.wall_s == pytest.approx(time.monotonic() - begun_s - 0.1, abs=0.05)


def test_a_kernel_is_searched_for_its_part_of_the_time_and_the_next_for_what_is_left(opened: Open) -> None:
    accounts, heard = opened(Caps(wall_s=100.0), Spending(wall_s=40.0))
    accounts.begin_kernel("scale", 0.5)
    assert accounts.may_begin_round() and not accounts.is_out_of_time
    accounts.begin_kernel("scale", 0.0)
    assert accounts.why_out_of_time == "its part of the cap of 100 s is used up"
    assert not accounts.may_begin_round() and not accounts.may_begin_round()
    told, spent = heard.taken()
    assert isinstance(told, events.Message)
    assert told.message == "scale: its part of the cap of 100 s is used up, so that its search ends"
    assert isinstance(spent, events.BudgetSpent) and (spent.ended_kernel, spent.ended_by) == ("scale", None)
    accounts.begin_kernel("add", 1.0)
    assert accounts.may_begin_round() and accounts.ended_by is None


def test_a_kernel_s_part_of_the_gpu_s_time_is_of_what_is_left(opened: Open) -> None:
    accounts, _ = opened(Caps(gpu_s=10.0), Spending(gpu_s=6.0), device="gpu")
    accounts.begin_kernel("scale", 1e-9)
    assert not accounts.is_out_of_time
    with accounts.holding_gpu(accounts):
        time.sleep(0.001)
    assert accounts.why_out_of_time == "its part of the cap of 10 s of GPU is used up"


def test_rounds_that_are_gone_through_again_are_paid_for(opened: Open) -> None:
    accounts, _ = opened(Caps(round_count=2), Spending(round_count=2))
    assert [accounts.may_begin_round() for _ in range(3)] == [True, True, False]
    accounts, _ = opened(Caps(round_count=3), Spending(round_count=2))
    accounts.leave_out(1)
    assert [accounts.may_begin_round() for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize("gpu_s", [None, 10.0])
def test_time_on_a_gpu_is_charged_and_told_where_it_is_capped(opened: Open, monkeypatch: pytest.MonkeyPatch, gpu_s: float | None) -> None:
    accounts, heard = opened(Caps(gpu_s=gpu_s), Spending(gpu_s=1.0), device="gpu")
    now_s = iter((100.0, 102.5, 200.0, 201.0))
    monkeypatch.setattr(time, "monotonic", lambda: next(now_s))
    with accounts.holding_gpu("lab"):
        pass
    with pytest.raises(OSError, match="lost"), accounts.holding_gpu("lab"):
        raise OSError("lost")
    assert accounts.spent.gpu_s == 4.5
    told = [event.spent.gpu_s for event in heard.taken() if isinstance(event, events.BudgetSpent)]
    assert told == ([] if gpu_s is None else [3.5, 4.5])


def test_time_that_several_spend_on_one_gpu_at_once_counts_once(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    accounts, heard = opened(Caps(gpu_s=100.0), device="gpu")
    now_s = iter((0.0, 1.0, 2.0, 5.0, 9.0, 11.0))
    monkeypatch.setattr(time, "monotonic", lambda: next(now_s))
    with accounts.holding_gpu("a"), accounts.holding_gpu("a"), accounts.holding_gpu("b"):
        pass
    assert accounts.spent.gpu_s == (5.0 - 2.0) + 11.0
    told = [event.spent.gpu_s for event in heard.taken() if isinstance(event, events.BudgetSpent)]
    assert told == [3.0, 12.0, 14.0]  # as it passes, not at the end of all


def test_time_by_the_clock_is_what_passed_since_the_search_began_and_before_it(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    accounts, heard = opened(Caps(wall_s=60.0), Spending(wall_s=5.0))
    uncapped, _ = opened(Caps(), Spending(wall_s=5.0))
    monkeypatch.setattr(time, "monotonic", lambda: 130.0)
    assert (accounts.spent.wall_s, uncapped.spent.wall_s) == (35.0, 5.0)
    accounts.begin_kernel("scale", 0.6)
    monkeypatch.setattr(time, "monotonic", lambda: 144.5)
    assert not accounts.is_out_of_time
    monkeypatch.setattr(time, "monotonic", lambda: 145.0)
    assert accounts.is_out_of_time and not accounts.may_begin_round()
    spent = [event.spent.wall_s for event in heard.taken() if isinstance(event, events.BudgetSpent)]
    assert spent == [50.0]


@pytest.mark.parametrize(("finish_s", "ends_at_s"), [(0.0, 150.0), (20.0, 130.0), (45.0, 125.0)])
def test_what_confirming_takes_comes_out_of_a_kernel_s_part(
    opened: Open, monkeypatch: pytest.MonkeyPatch, finish_s: float, ends_at_s: float
) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    accounts, _ = opened(Caps(wall_s=100.0))
    accounts.begin_kernel("scale", 0.5, finish_s)
    monkeypatch.setattr(time, "monotonic", lambda: ends_at_s - 0.5)
    assert not accounts.is_out_of_time
    monkeypatch.setattr(time, "monotonic", lambda: ends_at_s)
    assert accounts.is_out_of_time


def test_rounds_are_counted_over_all_kernels(opened: Open) -> None:
    accounts, heard = opened(Caps(round_count=2))
    assert [accounts.may_begin_round() for _ in range(3)] == [True, True, False]
    assert accounts.ended_by == "round_count"
    meter = [event.spent.round_count for event in heard.taken() if isinstance(event, events.BudgetSpent)]
    assert meter == [1, 2, 2]
    uncapped, heard = opened(Caps())
    assert uncapped.may_begin_round()
    assert (uncapped.spent.round_count, heard.taken()) == (1, ())


def test_an_emulator_costs_no_gpu_time(opened: Open) -> None:
    accounts, _ = opened(Caps(gpu_s=0.0001))
    with accounts.holding_gpu("lab"):
        pass
    assert accounts.spent.gpu_s == 0.0
