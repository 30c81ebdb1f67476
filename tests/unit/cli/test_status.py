"""The moving line: what it says, that it goes away, and that no pipe ever sees it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from assistant.cli.status import StatusLine, doing
from assistant.model import events
from assistant.model.plan import Step
from assistant.model.trial import TrialOutcome

STARTED = events.JobStarted("J1", "check", "/w/a.cu", "cpu", "emulator")
VERIFY = events.StageStarted("J1", "verify", "runs tone_map again and compares")
ENDED = events.JobEnded("J1", 0, "done")


def shown(is_terminal: bool, *told: events.Event, cache: Path | None = None) -> str:
    stream = io.StringIO()
    with StatusLine(Console(file=stream, force_terminal=is_terminal, width=120, color_system=None), cache) as status:
        for event in told:
            status.hide()
            status.follow(event)
    return stream.getvalue()


def test_a_stage_is_named_with_its_time() -> None:
    seen = shown(True, STARTED, VERIFY)
    assert "check: reads the source · 0 s" in seen
    assert "verify: runs tone_map again and compares · 0 s" in seen


def test_a_search_says_how_far_it_is_and_its_best_edit_against_the_programs_own_text() -> None:
    def tried(technique: str, outcome: TrialOutcome, ratio: float, to_original: float) -> events.CandidateTried:
        return events.CandidateTried("J1", "C1", technique, "k(float *)", outcome, "", ratio, ratio_to_original=to_original)

    found = events.FindingsFound("J1", "k(float *)", (), ())
    steps = tuple(Step(name, "k(float *)", 2, "", (), "KO101", (), 1.0) for name in ("tile", "unroll", "pad"))
    planned = events.PlanMade("J1", "expert", steps, ())
    assert "k: tries tile · 0 s · 0 of 3 tried" in shown(True, found, planned)
    kept = tried("tile", TrialOutcome.KEPT, 1.5, 1.5)
    slower = tried("unroll", TrialOutcome.NOT_BETTER, 0.9, 1.35)
    assert "· 2 of 3 tried · best ≈1.50x" in shown(True, found, planned, kept, slower)
    assert "· 3 tried · best ≈1.80x" in shown(True, found, planned, kept, slower, tried("pad", TrialOutcome.KEPT, 1.2, 1.8))
    other = events.FindingsFound("J1", "other(float *)", (), ())
    assert "tried" not in shown(True, found, planned, kept, other).rpartition("other: plans")[2]


def test_the_first_build_of_the_emulator_is_named_while_it_lasts(tmp_path: Path) -> None:
    words = "verify: runs tone_map again and compares · 0 s"
    building = f"{words} · building the emulator (once, about 60 s)"
    assert words in shown(True, VERIFY, cache=tmp_path) and building not in shown(True, VERIFY, cache=tmp_path), "nothing has begun"
    (tmp_path / "emulator").mkdir()
    assert building in shown(True, VERIFY, cache=tmp_path)
    (tmp_path / "emulator" / "prelude-1f").mkdir()
    assert words in shown(True, VERIFY, cache=tmp_path) and building not in shown(True, VERIFY, cache=tmp_path)


def test_nothing_is_written_where_no_terminal_shows_it() -> None:
    assert shown(False, STARTED, VERIFY, ENDED) == ""


def test_the_line_is_erased_before_others_print() -> None:
    assert shown(True, VERIFY).rstrip().endswith("\x1b[2K"), "erase in line is the last thing written"


@pytest.mark.parametrize("event", [ENDED])
def test_it_rests_when_the_job_is_over(event: events.Event) -> None:
    assert doing(event, "before") is None


def test_what_changes_nothing_keeps_the_words() -> None:
    assert doing(events.StageEnded("J1", "build", "", 1.0), "before") == "before"
