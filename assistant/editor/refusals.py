"""Why nobody is asked whether a program may run: compilers refuse its text.

Example::

    await Refusals(documents, is_to_compile).of(work)      # 'does not compile: line 9: expected a ";"', or None
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from assistant.editor.compile_words import compile_error, refusal_in_words
from assistant.editor.lanes import Work
from assistant.editor.open_document import OpenDocument
from assistant.editor.tasks import Verb

__all__ = ["Refusals"]

_LOOK_S = 0.1
"""Between two looks whether a compile is over."""


class Refusals:
    """Of the open sources of an editor session."""

    def __init__(self, documents: Mapping[str, OpenDocument], is_to_compile: Callable[[str], bool]) -> None:
        """``is_to_compile``: whether a compile of a source runs, or waits."""
        self._documents = documents
        self._is_to_compile = is_to_compile

    async def of(self, work: Work) -> str | None:
        """Why compilers refuse the text of a job on it as it stands; None where they do not, as far as is known.

        Background work waits for what they say; a person's own does not.
        """
        while work.is_background and self._is_to_compile(work.key):  # noqa: ASYNC110 - it ends in many ways, no one event says so
            await asyncio.sleep(_LOOK_S)
        document = self._documents.get(work.key)
        if document is None or not document.has_answer(Verb.INSPECT.value):
            return None
        error = compile_error(document.view.notes)
        return None if error is None else refusal_in_words(error)
