"""Edits of host code are tried only where a person allowed it, who is asked once for a search."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assistant.cli import decisions
from assistant.cli.decisions import HostCodeOnTerminal
from assistant.cli.status import doing
from assistant.config import TrustStore, user_paths
from assistant.engine.search.host_code import HostCodeRight
from assistant.model import events

__all__ = ["Person"]


class Person:
    """Gives one answer, and counts the questions."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def __call__(self, edit: str) -> bool:
        self.asked.append(edit)
        return self.answer


@pytest.mark.parametrize("answer", [True, False])
def test_a_person_is_asked_once(answer: bool) -> None:
    person = Person(answer)
    right = HostCodeRight(False, person)
    assert right.is_open
    assert [asyncio.run(right.asked(edit)) for edit in ("first", "second")] == [answer, answer]
    assert person.asked == ["first"] and not right.is_open


def test_no_person_is_asked_what_was_allowed_beforehand() -> None:
    person = Person(False)
    assert asyncio.run(HostCodeRight(True, person).asked("first")) and person.asked == []


def test_where_no_person_can_answer_the_answer_is_no() -> None:
    right = HostCodeRight(False, None)
    assert not right.is_open and not asyncio.run(right.asked("first"))


@pytest.mark.parametrize(("typed", "is_allowed", "is_asked_again"), [("y", True, True), ("n", False, True), ("a", True, False)])
def test_only_always_here_is_remembered(
    typed: str, is_allowed: bool, is_asked_again: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path))
    questions: list[str] = []

    async def answer(question: str) -> str:
        questions.append(question)
        return typed

    monkeypatch.setattr(decisions, "_answer", answer)
    source = tmp_path / "work" / "k.cu"
    assert asyncio.run(HostCodeOnTerminal.in_workspace_of(source)("e of k")) is is_allowed
    asyncio.run(HostCodeOnTerminal.in_workspace_of(source)("e of k"))
    assert len(questions) == 1 + is_asked_again
    TrustStore(user_paths().trust).revoke(tmp_path / "work")
    asyncio.run(HostCodeOnTerminal.in_workspace_of(source)("e of k"))
    assert len(questions) == 2 + is_asked_again


def test_the_status_line_is_hidden_while_a_question_is_asked() -> None:
    assert doing(events.StageStarted("J1", "consent", "e of k edits host code"), "k: tries e") is None
