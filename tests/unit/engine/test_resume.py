"""What of an interrupted search is tried again, and what is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.engine.events_as_json import event_json
from assistant.engine.search.resume import EarlierSearch, last_interrupted, spent_by
from assistant.errors import UsageError
from assistant.model import events
from assistant.model.attempt import Attempt, JobRow
from assistant.model.completion import Caps, SentCall, Spending
from assistant.model.profile import Signature
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.ports.store import Store

FILE, WORKSPACE = Path("/w/a.cu"), Path("/w")
NOW_MS = 100_000
OTHER_HOST = "elsewhere cli 1"


def attempt(number: int, technique: str, line: int, outcome: str, parent: str = "old", text: str = "new") -> Attempt:
    return Attempt(
        id=f"C{number}", job="J1", workspace=WORKSPACE, path=FILE, kernel="k()", technique=technique, finding="KO101", line=line,
        planner="expert", parent_text=parent, text=text, outcome=outcome, reason="", verification=None, comparison=None, predictions=(),
        before=Signature("dram", ()), after=None, lab="cpu", device="", target="h200", created_ms=number,
    )  # fmt: skip


EARLIER = EarlierSearch(
    "J1",
    (),
    (
        attempt(1, "padding", 3, TrialOutcome.NOT_BETTER, text="a"),
        attempt(2, "unrolling", 5, TrialOutcome.KEPT, text="b"),
        attempt(3, "unrolling", 7, TrialOutcome.FAILED, text="c"),
        attempt(4, "padding", 3, TrialOutcome.FAILED, parent="b", text="d"),
        attempt(5, "block-size", 9, TrialOutcome.NOT_BETTER, text="e"),
    ),
    frozenset({"old"}),
)


def test_what_was_dropped_on_a_text_is_excluded_on_that_text_only() -> None:
    assert EARLIER.excluded("old") == {("padding", 3), ("unrolling", 7)}
    assert EARLIER.excluded("b") == {("padding", 3)}
    assert EARLIER.excluded("another") == frozenset()


def test_the_last_step_may_have_variants_left_but_no_variant_is_judged_twice() -> None:
    assert ("block-size", 9) not in EARLIER.excluded("old")
    assert EARLIER.is_dropped("old", "e")
    assert not EARLIER.is_dropped("old", "another variant")


def test_a_kept_candidate_is_taken_up() -> None:
    assert EARLIER.is_kept("old", "b") and not EARLIER.is_dropped("old", "b")
    assert not EARLIER.is_kept("b", "b")


def row(job: str, started_ms: int, **changes: object) -> JobRow:
    made = JobRow(job, "optimize", FILE, WORKSPACE, OTHER_HOST, started_ms, started_ms, None, None, False)
    return replace(made, **changes)  # pyright: ignore[reportArgumentType]


def started(store: Store, job: str, at_ms: int, **changes: object) -> None:
    store.start_job(row(job, at_ms, **changes))
    store.add_event(job, event_json(events.JobStarted(job, "optimize", str(FILE), "cpu", "")))


def ended(store: Store, job: str, exit_code: int) -> None:
    store.add_event(job, event_json(events.JobEnded(job, exit_code, "")))
    store.end_job(job, NOW_MS, exit_code)


def find(store: Store) -> str:
    return last_interrupted(store, WORKSPACE, FILE, NOW_MS).job


def test_the_newest_search_without_an_end_is_found(store: Store) -> None:
    started(store, "J1", 1)
    started(store, "J2", 2)
    started(store, "J3", 3, path=Path("/w/b.cu"))
    started(store, "J4", 4, command="profile")
    assert find(store) == "J2"


def test_a_cancelled_search_is_interrupted_though_its_row_has_an_end(store: Store) -> None:
    started(store, "J1", 1)
    store.end_job("J1", 2, 3)
    assert find(store) == "J1"


def test_a_later_failure_hides_nothing(store: Store) -> None:
    started(store, "J1", 1)
    started(store, "J2", 2)
    ended(store, "J2", 3)
    assert find(store) == "J1"


def test_a_later_success_closes_what_was_before(store: Store) -> None:
    started(store, "J1", 1)
    started(store, "J2", 2)
    ended(store, "J2", 0)
    with pytest.raises(UsageError, match="no interrupted or capped search"):
        find(store)


def capped(store: Store, job: str, at_ms: int, *more: events.Event) -> None:
    started(store, job, at_ms)
    for event in (events.BudgetSpent(job, Spending(), Caps(round_count=1), ended_by="round_count"), *more):
        store.add_event(job, event_json(event))
    ended(store, job, 0)


def test_a_search_that_a_cap_ended_can_be_gone_on_with(store: Store) -> None:
    started(store, "J1", 1)
    capped(store, "J2", 2)
    assert find(store) == "J2"
    assert last_interrupted(store, WORKSPACE, FILE, NOW_MS).ended_by == "round_count"


def test_what_was_searched_behind_a_cap_came_to_no_end() -> None:
    found = [events.FindingsFound("J1", f"{name}()", (), ()) for name in ("first", "second")]
    cut = events.BudgetSpent("J1", Spending(), Caps(), ended_by="money_usd")
    parsed = parse(Source(FILE, "__global__ void first() {}\n__global__ void second() {}\n__global__ void third() {}\n"))
    later = events.FindingsFound("J1", "third()", (), ())
    texts = frozenset({parsed.source.text})
    assert replace(EARLIER, log=(*found, later), texts=texts).finished(parsed) == {"first", "second"}
    assert replace(EARLIER, log=(*found, cut, later), texts=texts).finished(parsed) == {"first"}
    assert replace(EARLIER, log=(*found, found[0]), texts=texts).finished(parsed) == {"second"}


def test_a_call_whose_end_was_not_seen_counts_with_its_longest_answer(store: Store) -> None:
    started(store, "J1", 1)
    store.add_sent_call(SentCall("M1", "J1", 5, Spending(0.25, 900, 100, 1)))
    for rounds, gpu_s in ((1, 0.0), (2, 4.5)):
        store.add_event("J1", event_json(events.BudgetSpent("J1", Spending(round_count=rounds, gpu_s=gpu_s), Caps())))
    assert spent_by(store, ["J1"]) == Spending(0.25, 900, 100, 1, gpu_s=4.5, round_count=2)


def test_a_search_that_still_beats_is_left_alone(store: Store) -> None:
    started(store, "J1", NOW_MS - 100)
    with pytest.raises(UsageError, match="still searching"):
        find(store)
