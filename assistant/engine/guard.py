"""May this run? Trust of the folder first, then consent to the exact run; asked once, never waited for by anything else (DESIGN §11).

Example::

    guard = Guard(TrustStore(user_paths().trust), ask)
    if await guard.may_run(path, ("transpose.cu",), flags): ...
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from assistant.config import ConsentAnswer, ProgramConsent, TrustStore, find_workspace

__all__ = ["AskConsent", "Guard"]

AskConsent = Callable[[ProgramConsent], Awaitable[ConsentAnswer | None]]
"""Puts the question to a person; None: no answer, which counts as no."""


class Guard:
    """Asks for one front end."""

    def __init__(self, trust: TrustStore, ask: AskConsent, is_trusted: bool | None = None) -> None:
        """``is_trusted``: what the editor says of its own workspace; None: the trust file decides."""
        self._trust = trust
        self._ask = ask
        self.is_trusted_by_editor = is_trusted
        self._asked: dict[str, asyncio.Task[ConsentAnswer | None]] = {}

    def is_trusted(self, path: Path) -> bool:
        """Whether anything but parsing may be done with the file."""
        if self.is_trusted_by_editor is not None:
            return self.is_trusted_by_editor
        return self._trust.is_trusted(find_workspace(path))

    async def may_run(self, path: Path, command: tuple[str, ...], flags: tuple[str, ...] = ()) -> bool:
        """Whether this very run was consented to; asks where nobody has. Several jobs that wait for one answer ask once."""
        if not self.is_trusted(path):
            return False
        run = ProgramConsent(find_workspace(path), command, flags)
        known = self._trust.consent(run)
        if known is not None:
            return known is ConsentAnswer.ALWAYS
        asked = self._asked.get(run.digest)
        if asked is None:
            asked = self._asked[run.digest] = asyncio.create_task(self._answered(run))
        return await asyncio.shield(asked) in (ConsentAnswer.ALWAYS, ConsentAnswer.ONCE)

    def forget_answers(self) -> None:
        """Ask again: trust or settings changed."""
        self._asked.clear()

    async def _answered(self, run: ProgramConsent) -> ConsentAnswer | None:
        answer = await self._ask(run)
        if answer is not None:
            self._trust.answer(run, answer)
        return answer
