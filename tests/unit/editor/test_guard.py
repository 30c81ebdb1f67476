"""Whether a program may run: asked quietly for background work, at once for a person who has just clicked, not again after an answer."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assistant.config import ConsentAnswer, ProgramConsent, TrustStore
from assistant.editor.guard import Guard

pytestmark = pytest.mark.asyncio


class _Person:
    """Leaves quiet questions open until one that they asked for is answered, which answers both."""

    def __init__(self, says: ConsentAnswer | None) -> None:
        self._says = says
        self._waiting: list[asyncio.Future[ConsentAnswer | None]] = []
        self.quiet_count = 0
        self.now_count = 0

    async def quietly(self, _: ProgramConsent) -> ConsentAnswer | None:
        self.quiet_count += 1
        self._waiting.append(asyncio.get_running_loop().create_future())
        return await self._waiting[-1]

    async def now(self, _: ProgramConsent) -> ConsentAnswer | None:
        self.now_count += 1
        for future in self._waiting if self._says is not None else ():
            future.set_result(self._says)
        return self._says


def _guard(tmp_path: Path, person: _Person) -> tuple[Guard, ProgramConsent]:
    return Guard(TrustStore(tmp_path / "trust.json"), person.quietly, True, person.now), ProgramConsent(tmp_path, ("stencil.cu", "512"))


async def test_a_click_asks_at_once_while_a_quiet_question_is_open_and_answers_both(tmp_path: Path) -> None:
    person = _Person(ConsentAnswer.ONCE)
    guard, run = _guard(tmp_path, person)
    background = asyncio.create_task(guard.may_run(run, is_asked_for=False))
    await asyncio.sleep(0)
    assert guard.has_to_ask(run)
    assert await guard.may_run(run, is_asked_for=True) is ConsentAnswer.ONCE
    assert await background is ConsentAnswer.ONCE
    assert (person.quiet_count, person.now_count) == (1, 1)
    assert await guard.may_run(run, is_asked_for=True) is ConsentAnswer.ONCE
    assert (person.quiet_count, person.now_count) == (1, 1), "it was answered"


async def test_not_now_leaves_the_quiet_question_open_and_a_later_click_asks_again(tmp_path: Path) -> None:
    person = _Person(None)
    guard, run = _guard(tmp_path, person)
    background = asyncio.create_task(guard.may_run(run, is_asked_for=False))
    await asyncio.sleep(0)
    assert await guard.may_run(run, is_asked_for=True) is None
    assert not background.done()
    assert await guard.may_run(run, is_asked_for=True) is None
    assert person.now_count == 2
    background.cancel()


async def test_another_command_is_another_question(tmp_path: Path) -> None:
    person = _Person(ConsentAnswer.ALWAYS)
    guard, run = _guard(tmp_path, person)
    assert await guard.may_run(run, is_asked_for=True) is ConsentAnswer.ALWAYS
    assert not guard.has_to_ask(run)
    assert guard.has_to_ask(ProgramConsent(tmp_path, ("stencil.cu", "1024")))
    assert guard.has_to_ask(ProgramConsent(tmp_path, ("stencil.cu", "512"), ("-O3",)))


async def test_nothing_is_asked_in_a_folder_that_is_not_trusted(tmp_path: Path) -> None:
    person = _Person(ConsentAnswer.ONCE)
    guard, run = _guard(tmp_path, person)
    guard.is_trusted_by_editor = False
    assert await guard.may_run(run, is_asked_for=True) is None and not guard.has_to_ask(run)
    assert (person.quiet_count, person.now_count) == (0, 0)
