"""Decides whether a program may run: first by trust of its folder, then by consent to the exact run, which is asked for once.

Example::

    guard = Guard(TrustStore(user_paths().trust), ask)
    if await guard.may_run(ProgramConsent(folder, ("transpose.cu",), flags), is_asked_for=True) in CONSENTED: ...
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Awaitable, Callable
from pathlib import Path

from assistant.config import ConsentAnswer, ProgramConsent, TrustStore, find_workspace
from assistant.errors import CannotAnswerError, UsageError

__all__ = ["CONSENTED", "AskConsent", "Guard"]

CONSENTED = frozenset({ConsentAnswer.ALWAYS, ConsentAnswer.ONCE})
"""Answers with which the program may run."""

AskConsent = Callable[[ProgramConsent], Awaitable[ConsentAnswer | None]]
"""Asks a person; None: no answer, which counts as no."""


class Guard:
    """Asks for one front end."""

    def __init__(self, trust: TrustStore, ask: AskConsent, is_trusted: bool | None = None, ask_now: AskConsent | None = None) -> None:
        """``is_trusted``: whether the editor trusts its workspace; None: the trust file decides.

        ``ask_now``: asks for work that a person has just started, also while a quiet question of ``ask`` is open, which its answer closes;
        None: ``ask`` asks everything.
        """
        self._trust = trust
        self._ask = ask
        self._ask_now = ask_now
        self.is_trusted_by_editor = is_trusted
        self._asked: dict[str, asyncio.Task[ConsentAnswer | None]] = {}

    def is_trusted(self, path: Path) -> bool:
        """Whether anything but parsing may be done with the file; not while the trust file cannot be read."""
        try:
            return self._is_folder_trusted(find_workspace(path))
        except CannotAnswerError:
            return False

    def demand_trust(self, path: Path) -> None:
        """Raises UsageError for a file that is not trusted, CannotAnswerError where the trust file cannot be read."""
        if not self._is_folder_trusted(find_workspace(path)):
            message = f"{path.parent} is not trusted: sources there are only parsed"
            is_file_asked = self.is_trusted_by_editor is None
            raise UsageError(
                message, f"kernelopt trust {shlex.quote(str(path.parent))}" if is_file_asked else "trust the folder in the editor"
            )

    def has_to_ask(self, run: ProgramConsent) -> bool:
        """Whether a person has not said yet if this exact run may be made."""
        return self._is_folder_trusted(run.folder) and self._trust.consent(run) is None

    async def may_run(self, run: ProgramConsent, is_asked_for: bool) -> ConsentAnswer | None:
        """The answer to this exact run; asks where there is none. None: no answer, or not trusted.

        Several jobs that wait for one answer ask once, and ``ONCE`` counts as long as this front end lives. After a question that was
        dismissed, only work that a person started (``is_asked_for``) asks again.
        """
        if not self._is_folder_trusted(run.folder):
            return None
        known = self._trust.consent(run)
        if known is not None:
            return known
        asked = self._asked.get(run.digest)
        is_asked_now = is_asked_for and self._ask_now is not None and (asked is None or not asked.done())
        if asked is None or is_asked_now or (is_asked_for and _is_dismissed(asked)):
            asked = self._asked[run.digest] = asyncio.create_task(self._answered(run, is_asked_for))
        return await asyncio.shield(asked)

    def forget_answers(self) -> None:
        """Ask again: trust or settings changed."""
        self._asked.clear()

    def _is_folder_trusted(self, folder: Path) -> bool:
        return self._trust.is_trusted(folder) if self.is_trusted_by_editor is None else self.is_trusted_by_editor

    async def _answered(self, run: ProgramConsent, is_asked_for: bool) -> ConsentAnswer | None:
        answer = await (self._ask_now if is_asked_for and self._ask_now is not None else self._ask)(run)
        if answer is not None:
            self._trust.answer(run, answer)
        return answer


def _is_dismissed(asked: asyncio.Task[ConsentAnswer | None]) -> bool:
    return asked.done() and (asked.cancelled() or asked.exception() is not None or asked.result() is None)
