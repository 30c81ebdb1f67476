"""What a rewrite makes of a version's texts, in the file in question and in others of the program.

Example::

    match edited_texts(node, rewrite):
        case EditedTexts(text=text, others=others): ...     # `others`: all that this and earlier steps changed
        case problem: ...                                   # the edits do not fit
"""

from __future__ import annotations

from assistant.cuda.edits import EditFailure
from assistant.engine.rewritten import edited_sources
from assistant.engine.search.trials import SearchNode
from assistant.model.change import program_key
from assistant.model.plan import Rewrite
from assistant.model.source import Source
from assistant.record import Record

__all__ = ["EditedTexts", "edited_texts"]


class EditedTexts(Record):
    """A version's texts after a rewrite."""

    text: str
    """Text of the file in question."""
    others: tuple[Source, ...]
    """Every other file that this step or an earlier one changed, by path."""

    @property
    def key(self) -> str:
        """As ``SearchNode.key``."""
        return program_key(self.text, self.others)


def edited_texts(node: SearchNode, rewrite: Rewrite) -> EditedTexts | EditFailure:
    """The node's texts with the rewrite made; why its edits do not fit them."""
    made = edited_sources(node.evaluation.version, rewrite)
    if not isinstance(made, tuple):
        return made
    own, *others = made
    every = {source.path: source for source in (*node.others, *others)}
    return EditedTexts(own.text, tuple(every[path] for path in sorted(every)))
