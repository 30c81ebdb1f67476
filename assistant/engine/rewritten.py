"""A rewrite made in the texts of a program's files. Pure.

Example::

    edited_sources(version, rewrite)    # (Source(/p/k.cuh, …), Source(/p/run.cu, …)): the file in question first
"""

from __future__ import annotations

from assistant.cuda.edits import EditFailure, apply_edits
from assistant.engine.source_version import SourceVersion
from assistant.model.plan import Rewrite
from assistant.model.source import Source

__all__ = ["edited_sources"]


def edited_sources(version: SourceVersion, rewrite: Rewrite) -> tuple[Source, ...] | EditFailure:
    """The file in question and the others that the rewrite changes, with it made; why its edits do not fit."""
    texts = {source.path: source.text for source in version.sources}
    made: list[Source] = []
    for path, edits in ((version.source.path, rewrite.edits), *((other.path, other.edits) for other in rewrite.in_others)):
        text = apply_edits(texts[path], edits)
        if not isinstance(text, str):
            return text
        made.append(Source(path, text))
    return tuple(made)
