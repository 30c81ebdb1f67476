"""What of an interrupted search is tried again, and what is not."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from assistant import serialize
from assistant.build.flags import DEFAULT_FLAGS
from assistant.config import find_workspace
from assistant.cuda.parse import parse
from assistant.engine.events_as_json import event_json
from assistant.engine.job import Job
from assistant.engine.reading import read_version
from assistant.engine.report.reports import proposal_event
from assistant.engine.request import JobRequest
from assistant.engine.run_options import run_options
from assistant.engine.search.resume import (
    NOTHING_EARLIER,
    EarlierSearch,
    as_before,
    gone_on_with,
    is_running,
    last_interrupted,
    report_resumed,
    spent_by,
)
from assistant.errors import UsageError
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.attempt import Attempt, JobRow, OtherFile
from assistant.model.completion import Caps, Completion, CompletionRequest, ModelCall, ModelRole, SentCall, ServedModel, Spending
from assistant.model.event_parts import Device, ProfileLine
from assistant.model.profile import InstructionMix, Signature
from assistant.model.proposal import Proposal
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.ports.lab import RunLimits
from assistant.ports.store import Store
from tests.changes import change
from tests.unit.engine.heard import Heard

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
    frozenset({Source(FILE, "old")}),
)


def test_what_was_dropped_on_a_text_is_excluded_on_that_text_only() -> None:
    assert EARLIER.excluded("old") == {("padding", 3), ("unrolling", 7)}
    assert EARLIER.excluded("b") == {("padding", 3)}
    assert EARLIER.excluded("another") == frozenset()


def test_a_models_plan_is_gone_through_again_so_that_none_of_its_steps_is_excluded() -> None:
    """A missing semicolon, or a variant that was not tried yet, bans no idea."""
    by_model = tuple(replace(one, planner="llm:small") for one in EARLIER.attempts)
    assert replace(EARLIER, attempts=by_model).excluded("old") == frozenset()


def test_whether_the_writer_of_a_candidate_went_on_is_known_by_its_calls() -> None:
    first, second, other = (
        replace(attempt(number, "tile", 3, TrialOutcome.FAILED, text=str(number)), calls=calls)
        for number, calls in enumerate((("M1",), ("M1", "M2"), ("M3",)))
    )
    earlier = replace(EARLIER, attempts=(first, second, other))
    assert [earlier.went_on(one) for one in (first, second, other)] == [True, False, False]


def test_the_last_step_may_have_variants_left_but_no_variant_is_judged_twice() -> None:
    assert ("block-size", 9) not in EARLIER.excluded("old")
    assert EARLIER.dropped("old", "e") is EARLIER.attempts[-1]
    assert EARLIER.dropped("old", "another variant") is None


def test_a_kept_candidate_is_taken_up() -> None:
    assert EARLIER.is_kept("old", "b") and EARLIER.dropped("old", "b") is None
    assert not EARLIER.is_kept("b", "b")


def test_a_candidate_of_several_files_is_known_by_all_their_texts() -> None:
    """One that was built on another's edit of a second file begins at both of their texts."""
    run = Path("/w/run.cu")
    first = replace(attempt(1, "block-size", 3, TrialOutcome.KEPT, text="k64"), also=(OtherFile(run, "run32", "run64", False),))
    second = replace(
        attempt(2, "padding", 4, TrialOutcome.FAILED, parent="k64", text="k65"), also=(OtherFile(run, "run64", "run64", True),)
    )
    third = attempt(3, "unrolling", 9, TrialOutcome.NOT_BETTER, text="k64")
    earlier = replace(EARLIER, attempts=(first, second, third, attempt(4, "other", 1, TrialOutcome.FAILED, parent="elsewhere")))
    assert earlier.is_kept("old", first.key) and not earlier.is_kept("old", "k64")
    assert earlier.dropped("old", "k64") is third and earlier.dropped("old", first.key) is None
    assert (second.parent_key, earlier.dropped(first.key, second.key)) == (first.key, second)
    assert (earlier.excluded("old"), earlier.excluded(first.key), earlier.excluded("k64")) == ({("unrolling", 9)}, {("padding", 4)}, set())


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
    with pytest.raises(UsageError, match=r"^no interrupted or capped search"):
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
    sources = frozenset({parsed.source})
    assert replace(EARLIER, log=(*found, later), sources=sources).finished((parsed,)) == {"first", "second"}
    assert replace(EARLIER, log=(*found, cut, later), sources=sources).finished((parsed,)) == {"first"}
    assert replace(EARLIER, log=(*found, found[0]), sources=sources).finished((parsed,)) == {"second"}


def test_a_call_whose_end_was_not_seen_counts_with_its_longest_answer(store: Store) -> None:
    started(store, "J1", 1)
    store.add_sent_call(SentCall("M1", "J1", 5, Spending(0.25, 900, 100, 1)))
    for rounds, gpu_s in ((1, 0.0), (2, 4.5)):
        store.add_event("J1", event_json(events.BudgetSpent("J1", Spending(round_count=rounds, gpu_s=gpu_s), Caps())))
    assert spent_by(store, ["J1"]) == Spending(0.25, 900, 100, 1, gpu_s=4.5, round_count=2)


def test_several_jobs_of_one_search_spent_the_sum_of_their_calls_and_the_last_words_time_and_rounds(store: Store) -> None:
    for number, (rounds, gpu_s) in enumerate(((2, 4.5), (3, 6.0))):
        started(store, f"J{number}", number)
        request = CompletionRequest(f"M{number}", ModelRole.CODER, "code@1", (), 100)
        served, answer = ServedModel(ModelRole.CODER, "openai", "http://localhost/v1", "small", None), Completion("{}", "small", 9, 1)
        store.add_model_call(ModelCall(request, f"J{number}", served, answer, 1, 2, Spending(0.5, 10 + number, 5, 1), False))
        store.add_event(f"J{number}", event_json(events.BudgetSpent(f"J{number}", Spending(round_count=rounds, gpu_s=gpu_s), Caps())))
    assert spent_by(store, ["J0", "J1"]) == Spending(1.0, 21, 10, 2, gpu_s=6.0, round_count=3)
    assert spent_by(store, ["J1", "J0"]) == spent_by(store, ["J0", "J1"])
    assert spent_by(store, []) == Spending()


def test_seconds_by_the_clock_are_the_last_word_of_a_search_s_jobs(store: Store) -> None:
    for number, wall_s in enumerate((30.0, 45.0)):
        started(store, f"J{number}", number)
        store.add_event(f"J{number}", event_json(events.BudgetSpent(f"J{number}", Spending(wall_s=wall_s), Caps())))
    assert spent_by(store, ["J0", "J1"]).wall_s == 45.0


def test_profiles_in_the_log_of_a_search_are_read_though_counters_are_absent(store: Store) -> None:
    """As an editor's searches report the code as it was."""
    started(store, "J1", 1)
    line = ProfileLine("/w/a.cu", 3, "global load", 8, 256, 32, 32, None, None, "exact", "")
    device, places = Device("an emulator", "cpu", "h200"), ((1, 1, 1), (32, 1, 1), 0)
    profile = events.Profile("J1", "k()", "k()", 0, *places, device, "emulator", {}, InstructionMix(), (line,), (), (), ())
    assert "wavefronts" not in event_json(profile)
    for event in (profile, events.BudgetSpent("J1", Spending(gpu_s=2.0), Caps())):
        store.add_event("J1", event_json(event))
    assert spent_by(store, ["J1"]).gpu_s == 2.0
    assert profile in last_interrupted(store, WORKSPACE, FILE, NOW_MS + 100_000).log


HERE = os.uname().nodename


@pytest.mark.parametrize(
    ("changes", "running"),
    [
        ({"heartbeat_ms": NOW_MS - 5_000}, True),
        ({"heartbeat_ms": NOW_MS - 5_001}, False),
        ({"ended_ms": NOW_MS}, False),
        ({"owner": f"{HERE} cli {os.getpid()}"}, True),
        ({"owner": f"{HERE} cli 4194999"}, False),
        ({"owner": f"{HERE} cli in-a-notebook"}, True),
        ({"owner": "0-another-machine cli 4194999"}, True),
        ({"owner": "~another-machine cli 4194999"}, True),
    ],
)
def test_a_job_runs_while_its_heart_beats_and_its_process_is_there(changes: dict[str, object], running: bool) -> None:
    assert is_running(replace(row("J1", NOW_MS), **changes), NOW_MS) is running  # pyright: ignore[reportArgumentType]


def test_what_is_gone_on_with_holds_the_candidates_and_texts_of_all_its_jobs(store: Store, offered: Proposal) -> None:
    store.add_proposal(WORKSPACE, replace(offered, path=FILE, files=change(FILE, "a\n", "b\n")))
    for made in (attempt(1, "padding", 3, TrialOutcome.FAILED), attempt(2, "padding", 5, TrialOutcome.KEPT, parent="mine")):
        store.add_attempt(made)
    for number in (3, 4):
        store.add_attempt(replace(attempt(number, "padding", 7, TrialOutcome.FAILED, parent="theirs"), job="J0"))
    store.add_attempt(replace(attempt(5, "padding", 9, TrialOutcome.FAILED), path=Path("/w/b.cu")))
    started(store, "J1", 1)
    shown = events.CandidateTried("J1", "C3", "padding", "k()", TrialOutcome.FAILED, "", None)
    for event in (shown, events.StageStarted("J1", "confirm", ""), proposal_event("J1", offered)):
        store.add_event("J1", event_json(event))
    earlier = last_interrupted(store, WORKSPACE, FILE, NOW_MS)
    assert sorted(tried.id for tried in earlier.attempts) == ["C1", "C2", "C3", "C5"]
    own = {Source(FILE, text) for text in ("old", "mine", "theirs", offered.files[0].before_text, offered.files[0].after_text)}
    assert earlier.sources == own | {Source(Path("/w/b.cu"), "old")}
    assert (earlier.ended_by, earlier.shown()) == (None, (shown, proposal_event("J1", offered)))


def resumed(tmp_path: Path, earlier: EarlierSearch) -> list[events.Event]:
    file, heard = tmp_path / "a.cu", Heard()
    file.write_text("__global__ void k() {}")
    request = JobRequest(file, tmp_path)
    job = Job("J2", request, cast("Any", None), target("h200"), cast("Any", None), tmp_path, (), RunLimits(), heard)
    report_resumed(job, earlier, read_version(request, DEFAULT_FLAGS))
    return heard.events


def test_what_is_gone_on_with_is_told_again(tmp_path: Path, offered: Proposal) -> None:
    assert resumed(tmp_path, NOTHING_EARLIER) == []
    tried = events.CandidateTried("J1", "C3", "padding", "k()", TrialOutcome.FAILED, "", None)
    earlier = EarlierSearch("J1", (tried, proposal_event("J1", offered), tried), (), frozenset())
    first, *others = resumed(tmp_path, earlier)
    assert isinstance(first, events.Message) and tuple(others) == earlier.log
    assert first.message == "goes on with J1, which was interrupted after 2 candidates and 1 proposal"
    capped = replace(earlier, log=(tried, events.BudgetSpent("J1", Spending(), Caps(), ended_by="gpu_s")))
    (first, *_) = resumed(tmp_path, capped)
    assert isinstance(first, events.Message) and first.message == "goes on with J1, which a cap ended after 1 candidate and 0 proposals"
    assert len(resumed(tmp_path, replace(capped, sources=frozenset({Source(tmp_path / "a.cu", "__global__ void k() {}")})))) == 2
    changed = resumed(tmp_path, replace(capped, sources=frozenset({Source(tmp_path / "a.cu", "as it was")})))[-1]
    assert isinstance(changed, events.Message) and changed.message.startswith("a.cu changed since J1")


def test_a_kernel_is_searched_again_after_a_rejection_and_finished_by_what_is_offered(offered: Proposal) -> None:
    parsed = parse(Source(FILE, "__global__ void k() {}\n__global__ void other() {}\n"))
    other = parse(Source(Path("/w/main.cu"), "int main() {}\n"))
    earlier = replace(EARLIER, sources=frozenset({parsed.source}))
    found, made = events.FindingsFound("J1", "k()", (), ()), proposal_event("J1", offered)
    rejected = events.DecisionMade("J1", offered.id, "rejected", (), None, None, "a test")
    accepted = replace(rejected, kind="accepted")
    cut_off = events.BudgetSpent("J1", Spending(), Caps(), ended_kernel="k")
    unknown = replace(found, kernel="gone()")
    for log, finished in (
        ((found,), set()),
        ((found, made), {"k"}),
        ((found, made, rejected), set()),
        ((found, made, accepted), {"k"}),
        ((found, found), set()),
        ((found, unknown), {"k"}),
        ((unknown, found), set()),
        ((made, rejected), set()),
        ((found, made, rejected, made), {"k"}),
        ((found, cut_off, made, unknown), set()),
        ((found, cut_off, unknown, found, made, unknown), {"k"}),
    ):
        assert replace(earlier, log=log).finished((other, parsed)) == finished, log
        assert replace(earlier, log=log, sources=frozenset()).finished((other, parsed)) == frozenset()


def test_a_kernel_that_took_the_place_of_another_is_part_of_its_search(offered: Proposal) -> None:
    parsed = parse(Source(FILE, "__global__ void k() {}\n__global__ void other() {}\n"))
    fused = replace(attempt(7, "fusion", 1, TrialOutcome.KEPT), text="__global__ void both() {}")
    earlier = replace(EARLIER, sources=frozenset({parsed.source}), attempts=(fused,))
    k, both, other = (events.FindingsFound("J1", f"{name}()", (), ()) for name in ("k", "both", "other"))
    planned = events.PlanMade("J1", "llm:small", (), ())
    assert replace(earlier, log=(k, both)).finished((parsed,)) == frozenset()
    assert replace(earlier, log=(k, both, other)).finished((parsed,)) == {"k"}
    assert replace(earlier, log=(k, planned, both, planned, other, planned)).plan_count(frozenset({"k"}), (parsed,)) == 2
    dropped = replace(earlier, attempts=(replace(fused, outcome=TrialOutcome.FAILED),), log=(k, both))
    assert dropped.finished((parsed,)) == {"k"}


def test_a_search_that_still_beats_is_left_alone(store: Store) -> None:
    started(store, "J1", NOW_MS - 100)
    with pytest.raises(UsageError, match=r"^.*still searching"):
        find(store)


def asked_with(folder: Path, *arguments: str, **more: Any) -> JobRequest:
    return JobRequest(folder / "a.cu", folder, arguments=arguments, **more)


def kept(store: Store, request: JobRequest) -> None:
    """An interrupted search that was asked so."""
    asked = serialize.dumps(run_options(request))
    started(store, "J1", 1, path=request.file, workspace=find_workspace(request.file), asked=asked)


def test_what_is_not_given_is_as_it_was_in_the_search_that_is_gone_on_with(store: Store, tmp_path: Path) -> None:
    before = asked_with(tmp_path, "400", "2", cflags=("-DN=4",), extra_sources=(tmp_path / "b.cu",), kernel="k")
    kept(store, before)
    bare = asked_with(tmp_path)
    assert as_before(store, bare, NOW_MS) == before
    assert (
        gone_on_with(store, bare, NOW_MS)
        == gone_on_with(store, before, NOW_MS)
        == last_interrupted(store, find_workspace(bare.file), bare.file, NOW_MS)
    )
    said = resumed(tmp_path, gone_on_with(store, bare, NOW_MS))[0]
    words = f"with what it was given: --kernel k --cflags -DN=4 {tmp_path}/b.cu -- 400 2"
    assert isinstance(said, events.Message) and said.message.endswith(words)
    assert said.remedy is not None, "a terminal leaves out what only informs"


def test_where_another_run_is_asked_for_the_search_begins_anew_and_says_why(store: Store, tmp_path: Path) -> None:
    kept(store, asked_with(tmp_path, "400", "2"))
    other = asked_with(tmp_path, "100")
    assert as_before(store, other, NOW_MS) == other
    earlier = gone_on_with(store, other, NOW_MS)
    assert (earlier.log, earlier.attempts, earlier.sources) == ((), (), frozenset())
    (said,) = resumed(tmp_path, earlier)
    assert isinstance(said, events.Message)
    assert said.message == ("the search begins anew, and does not go on with J1: its arguments were `400 2`, and `100` is given now")


def test_a_search_of_an_older_version_is_gone_on_with_as_it_is_asked_for(store: Store, tmp_path: Path) -> None:
    started(store, "J1", 1, path=tmp_path / "a.cu", workspace=find_workspace(tmp_path / "a.cu"))
    other = asked_with(tmp_path, "100")
    assert as_before(store, other, NOW_MS) == other and gone_on_with(store, other, NOW_MS).job == "J1"
