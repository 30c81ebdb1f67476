"""What a text's macros and conditions may mean to code of the host.

Example::

    macro_problem(macros_in("#define run(x) x")[0], False, [(0, 100)])    # "its macro run stays in force in headers; …"
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.cuda.code_text import blanked
from assistant.cuda.directives import Macro, directives_in
from assistant.cuda.token_reader import TokenReader, read_tokens
from assistant.cuda.tokens import TokenKind

__all__ = ["conditions_problem", "macro_problem"]

_EFFECT_SIGNS = frozenset(";{}#\\")
_EFFECT_WORDS = frozenset({"asm", "new", "delete", "throw", "return", "goto"})
_CONDITIONS = frozenset({"if", "ifdef", "ifndef", "elif", "else", "endif"})


def macro_problem(macro: Macro, is_named_by_host: bool, includes: Iterable[tuple[int, int]]) -> str | None:
    """Why a new macro, whose name the text did not say before, may matter to code of the host all the same."""
    if macro.is_pasting or "#" in blanked(macro.body):
        return f"its macro {macro.name} makes words or text of what it is given, which hides what it names"
    if _is_within(macro, includes):
        return f"its macro {macro.name} stays in force in headers; write `#undef {macro.name}` behind its last use"
    if is_named_by_host and _has_effect(macro.body):
        return f"its macro {macro.name} is more than arithmetic, and host code names it"
    return None


def conditions_problem(code: str, old: str) -> str | None:
    """Why conditions of a function reach beyond it; None where they are those of its ``old`` text, or end in it."""
    words, old_words = ([d.word for d in directives_in(text) if d.word in _CONDITIONS] for text in (code, old))
    if words == old_words:
        return None
    depth = 0
    for word in words:
        if word in ("else", "elif", "endif") and depth == 0:
            return f"its `#{word}` has no `#if`"
        depth += (word in ("if", "ifdef", "ifndef")) - (word == "endif")
    return "its `#if` has no `#endif`" if depth else None


def _has_effect(body: str) -> bool:
    """Whether a macro's text is more than arithmetic on what it is given."""
    read = read_tokens(body)
    return any(_is_effect(read, index) for index in range(len(read.tokens)))


def _is_effect(read: TokenReader, index: int) -> bool:
    """A statement, text, an assignment, a lambda, or a word that does something."""
    token = read.tokens[index]
    if token.kind is TokenKind.WORD:
        return token.text in _EFFECT_WORDS
    if token.text == "[":
        return not (read.is_word(index - 1) or read.is_number(index - 1) or read.text(index - 1) in (")", "]"))
    if token.text == "=":
        is_compared = any(read.is_joined(index - 1, f"{sign}=") for sign in "=!<>")
        return not is_compared and not read.is_joined(index, "==")
    is_step = read.is_joined(index, "++") or read.is_joined(index, "--")
    return is_step or token.kind is TokenKind.STRING or token.text in _EFFECT_SIGNS


def _is_within(macro: Macro, places: Iterable[tuple[int, int]]) -> bool:
    """Whether it is in force in one of them."""
    return any(start < macro.end and end > macro.start for start, end in places)
