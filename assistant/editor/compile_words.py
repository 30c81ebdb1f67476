"""What compilers say against a text, in words. Pure.

Example::

    error = compile_error(view.notes)      # the first error, or None
    refusal_in_words(error)                # 'does not compile: line 9: expected a ";"'
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.editor.view import Note
from assistant.model.profile import Severity

__all__ = ["compile_error", "refusal_in_words"]


def compile_error(notes: Sequence[Note]) -> Note | None:
    """The first error of a compiler in a text; None where it compiles, or was not compiled."""
    return next((n for n in notes if n.stage == "compile" and n.severity is Severity.ERROR and n.source != "kernelopt"), None)


def refusal_in_words(error: Note) -> str:
    """``does not compile: line 9: expected a ";"``."""
    return f"does not compile: line {error.line}: {error.message}"
