"""Answers hold no more characters than the task allows and say what was cut; in a shell they are the same facts as lines."""

from __future__ import annotations

import json
from pathlib import Path

from assistant.agents.tasks import Judgement, Reason, reward_of
from assistant.agents.tasks.answering import bounded, by_folder_names, judge_answer
from assistant.agents.tasks.profile_answers import profile_answer
from assistant.agents.tasks.words import answer_in_words
from assistant.model import events
from assistant.model.profile import Severity
from tests.unit.agents.tasks.kept import kept_task

LEFT = {"left": {"judge_calls": 4, "wall_s": 12.0}}


def test_an_answer_that_fits_stays_as_it_is() -> None:
    assert bounded({"answer": "x", "events": [1, 2]} | LEFT, 4000) == {"answer": "x", "events": [1, 2]} | LEFT


def test_a_long_answer_is_cut_and_says_so() -> None:
    answer = bounded({"answer": "x", "page": "y" * 9000, "events": ["e" * 90] * 90} | LEFT, 4000)
    assert len(json.dumps(answer)) <= 4200
    assert set(answer["cut"]) == {"events", "page"} and answer["cut"]["page"].endswith("characters left out")
    assert answer["left"] == LEFT["left"]
    assert "cut: page" in answer_in_words(answer)


def test_messages_of_the_judge_are_bounded() -> None:
    refusal = Reason("unreadable", "z" * 5000)
    judgement = Judgement(None, "z" * 5000, refusal=refusal)
    said = [events.Message("J", Severity.ERROR, "m" * 5000) for _ in range(50)]
    answer = judge_answer(judgement, reward_of(judgement, frozenset(), is_isolated=True), said)
    assert len(json.dumps(answer)) < 3000 and "notes" not in answer


def test_a_shell_says_what_the_json_says() -> None:
    judgement = Judgement(None, "it reads a file", refusal=Reason("foreign_reading", "it reads a file", 3))
    answer = judge_answer(judgement, reward_of(judgement, frozenset(), is_isolated=False), [])
    words = answer_in_words(answer | LEFT)
    assert words.splitlines() == [
        "reward -1 (wrong): it reads a file",
        "compiled not known, right no",
        "why: foreign_reading line 3: it reads a file",
        "cheat: foreign_reading",
        "note: not isolated: the judge ran as the agent's own user",
        "left: 4 calls of judge, 12 s in all calls",
    ]


def test_a_profile_that_failed_says_why() -> None:
    log: list[events.Event] = [events.Message("J", Severity.ERROR, "no kernel ran"), events.JobEnded("J", 3, "nothing was launched")]
    answer = profile_answer(log, 4000)
    assert (answer["answer"], answer["exit_code"]) == ("nothing was launched", 3)
    assert "error: no kernel ran" in answer_in_words(answer | LEFT)


def test_places_of_the_protected_copy_go_by_the_names_in_the_folder(tmp_path: Path) -> None:
    kept = kept_task(tmp_path)
    said = {"lines": [{"file": str(kept.program_file)}], "messages": [f"{kept.program}/sub/a.cuh:3: no {kept.program}/b"], "call": 3}
    answer = by_folder_names(said, kept.folder_names())
    assert answer == {"lines": [{"file": "twice.cu"}], "messages": ["reference/sub/a.cuh:3: no reference/b"], "call": 3}
