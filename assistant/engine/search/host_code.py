"""May candidates of this search edit host code? Allowed beforehand, or asked once, before the first such candidate is built.

Whether one does is up to the judge's own look at its text, whatever its writer declares.

Example::

    right = HostCodeRight(is_given=False, ask=on_terminal)
    if await right.asked("block-size-search of triad"): ...
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from assistant.cuda.parse import parse
from assistant.engine.rewritten import edited_sources
from assistant.engine.source_version import SourceVersion
from assistant.model.plan import Rewrite
from assistant.model.verification import Label
from assistant.verify.host_edits import edits_host_code, macro_elsewhere

__all__ = ["AskHostCode", "HostCodeRight", "with_host_label"]

AskHostCode = Callable[[str], Awaitable[bool]]
"""Puts the question to a person, with the edit it first comes up for (``block-size-search of triad``)."""


class HostCodeRight:
    """The answer for one search."""

    def __init__(self, is_given: bool, ask: AskHostCode | None) -> None:
        """``ask``: None where no person can answer, which counts as no."""
        self._ask = ask
        self._asking = asyncio.Lock()
        self._answer = True if is_given else None if ask is not None else False

    @property
    def is_open(self) -> bool:
        """Whether a person will be asked next time."""
        return self._answer is None

    @property
    def is_given(self) -> bool:
        """Whether edits of host code were allowed already, so that no question is left."""
        return self._answer is True

    @property
    def is_possible(self) -> bool:
        """Whether it was given, or may still be."""
        return self._answer is not False

    async def asked(self, edit: str) -> bool:
        """Whether ``edit`` may be tried; the first answer holds for the whole search."""
        async with self._asking:
            if self._answer is None:
                self._answer = self._ask is not None and await self._ask(edit)
            return self._answer


def with_host_label(version: SourceVersion, rewrite: Rewrite) -> Rewrite:
    """``rewrite`` of ``version`` with the label for host code where one of its texts edits some, or may run some from device code."""
    after = edited_sources(version, rewrite)
    if Label.HOST_CODE in rewrite.labels or not isinstance(after, tuple):
        return rewrite
    before = {source.path: source for source in version.sources}
    is_edited = any(edits_host_code(parse(before[source.path]), parse(source)) for source in after)
    changed = {source.path: source for source in after}
    texts = (*version.sources, *version.headers)
    if not is_edited and macro_elsewhere(texts, [changed.get(source.path, source) for source in texts]) is None:
        return rewrite
    return replace(rewrite, labels=(*rewrite.labels, Label.HOST_CODE))
