"""May candidates of this search edit host code? Allowed beforehand, or asked once, before the first such candidate is built.

Whether one does is up to the judge's own look at its text, whatever its writer declares.

Example::

    right = HostCodeRight(is_given=False, ask=on_terminal)
    if await right.asked("block-size-search of triad"): ...
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace

from assistant.cuda.parse import parse
from assistant.engine.rewritten import edited_sources
from assistant.engine.source_version import SourceVersion
from assistant.model.plan import Rewrite
from assistant.model.source import Source
from assistant.model.verification import Label
from assistant.plan.tuning.space import Setting, defines, written
from assistant.verify.host_edits import edits_host_code, macro_elsewhere

__all__ = ["AskHostCode", "HostCodeRight", "further_files", "labelled", "with_host_label"]

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
    """``rewrite`` of ``version`` with the label for host code where one of its texts edits some, or may run some from device code.

    Its numbers may be defined in files that it leaves as they are: then other values of them count as its edits.
    """
    after = edited_sources(version, rewrite)
    if Label.HOST_CODE in rewrite.labels or not isinstance(after, tuple):
        return rewrite
    before = {source.path: source for source in version.sources}
    is_edited = any(edits_host_code(parse(before[source.path]), parse(source)) for source in after)
    changed = {source.path: source for source in after}
    texts = (*version.sources, *version.headers)
    is_edited = is_edited or any(edits_host_code(parse(old), parse(new)) for old, new in _with_other_numbers(version, rewrite, after))
    if not is_edited and macro_elsewhere(texts, [changed.get(source.path, source) for source in texts]) is None:
        return rewrite
    return replace(rewrite, labels=(*rewrite.labels, Label.HOST_CODE))


def labelled(version: SourceVersion, rewrite: Rewrite, right: HostCodeRight) -> Rewrite:
    """As `with_host_label`; where host code cannot be edited, without numbers that would be the only reason for that label."""
    found = with_host_label(version, rewrite)
    if Label.HOST_CODE not in found.labels or right.is_possible or not rewrite.tunables or rewrite.alternatives:
        return found
    reason = "they are defined where host code may use them, and host code may not be edited here"
    bare = with_host_label(version, replace(rewrite, tunables=(), constraints=(), tuning_fault=reason))
    return found if Label.HOST_CODE in bare.labels else bare


def further_files(version: SourceVersion, rewrite: Rewrite, changed: Sequence[Source]) -> tuple[Source, ...]:
    """Files of the program that an edit leaves as they are and that define a number of it, which no ``changed`` one does."""
    missing = [one.name for one in rewrite.tunables if not any(defines(source.text, one.name) for source in changed)]
    paths = {source.path for source in changed}
    left = (source for source in version.sources if source.path not in paths)
    return tuple(source for source in left if any(defines(source.text, name) for name in missing))


def _with_other_numbers(version: SourceVersion, rewrite: Rewrite, changed: Sequence[Source]) -> Iterator[tuple[Source, Source]]:
    """Each such file with what its numbers may become."""
    if rewrite.alternatives:
        return
    for source in further_files(version, rewrite, changed):
        for place in (0, -1):
            (text,) = written((source.text,), Setting(tuple((one.name, one.values[place]) for one in rewrite.tunables)))
            yield source, Source(source.path, text)
