"""Questions about the tokens of a piece of code: which signs stand together, where a bracket is closed, where an assignment is.

A word is found wherever it stands in code, and nothing is found in comments and literals. Example::

    reader = TokenReader("out[i] += 2;")
    reader.past(1)                # 4: behind the bracket at 1 and all that it holds
    reader.past_assignment(4)     # 6: behind `+=`
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from assistant.cuda.tokens import KEPT_TEXTS, Token, TokenKind, tokens

__all__ = ["TokenReader", "names_reached", "read_tokens"]

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ASSIGNMENTS = ("<<=", ">>=", *(f"{sign}=" for sign in "-+*/%&|^"), "=")


class TokenReader:
    """The tokens of code, by index; there are none before the first and behind the last."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.tokens: tuple[Token, ...] = tokens(code)

    def text(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def is_word(self, index: int) -> bool:
        return 0 <= index < len(self.tokens) and self.tokens[index].kind is TokenKind.WORD

    def is_number(self, index: int) -> bool:
        return 0 <= index < len(self.tokens) and self.tokens[index].kind is TokenKind.NUMBER

    def words(self, name: str) -> Iterator[int]:
        """Indices of a word, members of that name included."""
        return (index for index, token in enumerate(self.tokens) if token.kind is TokenKind.WORD and token.text == name)

    def is_member(self, index: int) -> bool:
        """Whether ``.`` or ``->`` stands before the token."""
        return self.text(index - 1) == "." or self.is_joined(index - 2, "->")

    def start(self, index: int) -> int:
        """Where a token begins in the code; behind the last token the end of the code."""
        return self.tokens[index].start if index < len(self.tokens) else len(self.code)

    def is_joined(self, index: int, signs: str) -> bool:
        """Whether these signs stand there without blanks between them: ``->``, ``==``."""
        found = self.tokens[index : index + len(signs)] if index >= 0 else ()
        is_same = [token.text for token in found] == list(signs)
        return is_same and all(before.end == after.start for before, after in pairwise(found))

    def past(self, opening: int) -> int:
        """Index behind the bracket that closes the one at ``opening``, counting brackets of its kind; the end where none does."""
        opened, depth = self.text(opening), 0
        for index in range(opening, len(self.tokens)):
            depth += (self.text(index) == opened) - (self.text(index) == _CLOSING[opened])
            if depth == 0:
                return index + 1
        return len(self.tokens)

    def past_assignment(self, index: int) -> int | None:
        """Index behind the assignment operator that begins there; None where none does."""
        for signs in _ASSIGNMENTS:
            if self.is_joined(index, signs) and not self.is_joined(index + len(signs) - 1, "=="):
                return index + len(signs)
        return None

    def spelled(self, first: int, last: int) -> str:
        """The code from the token at ``first`` up to the one before ``last``, as it is written."""
        return self.code[self.start(first) : self.tokens[last - 1].end] if first < last else ""


@lru_cache(maxsize=KEPT_TEXTS)
def read_tokens(code: str) -> TokenReader:
    """The reader of a piece of code, made once."""
    return TokenReader(code)


def names_reached(code: str) -> frozenset[str]:
    """Names through which the code reaches memory: ``a[…]``, ``*a``, ``&a``, ``a.x``, ``a->x``."""
    read = read_tokens(code)
    return frozenset(token.text for index, token in enumerate(read.tokens) if read.is_word(index) and _is_reached(read, index))


def _is_reached(read: TokenReader, index: int) -> bool:
    before = index - 2 if read.text(index - 1) == "(" else index - 1
    is_pointee = read.text(index - 1) in ("*", "&") or read.text(before) == "*"
    return is_pointee or read.text(index + 1) in ("[", ".") or read.is_joined(index + 1, "->")
