"""Inline assembly of a text: its literal text, the directives that this holds, and the registers that it names.

Example::

    next(assembly_in('asm volatile("mov.u32 %0, %clock;" : "=r"(t));')).template     # 'mov.u32 %0, %clock;'
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.token_reader import TokenReader, read_tokens
from assistant.cuda.tokens import TokenKind
from assistant.record import Record

__all__ = ["Assembly", "assembly_in", "registers_in"]

_WORDS = frozenset({"asm", "__asm__", "__asm"})
_VOLATILE = frozenset({"volatile", "__volatile__"})
_LINE_ESCAPE = re.compile(r"\\[nt]")
_ODD = re.compile(r"\\(?![nt\"\\])|\\\\|/[*/]|^\s*#", re.MULTILINE)
"""Escapes that may spell anything, comments, lines for a preprocessor."""
_DIRECTIVE = re.compile(r"(?<![\w\]>)])\.([A-Za-z_]\w*)")
_REGISTER = re.compile(r"%%?([A-Za-z_]\w*)")


class Assembly(Record):
    """One ``asm``."""

    template: str | None
    """What its literals say together; None where it is not ``asm("…")`` with literals, or gives a declared function another one's name."""
    is_plain: bool = False
    """Whether the template is all that it says, without comments, and without escapes but for line ends and tabs."""

    @property
    def directives(self) -> tuple[str, ...]:
        """Words behind a dot that is no part of an instruction, such as ``.reg``."""
        return tuple(_DIRECTIVE.findall(self.template or ""))


def assembly_in(code: str) -> Iterator[Assembly]:
    """Every ``asm`` of code without comments."""
    read = read_tokens(code)
    return (_assembly(read, index) for index in range(len(read.tokens)) if read.is_word(index) and read.text(index) in _WORDS)


def registers_in(code: str) -> Iterator[tuple[str, int]]:
    """(name, offset) of each ``%name``: in literals, and where a macro may make one of it."""
    read = read_tokens(code)
    for index, token in enumerate(read.tokens):
        if token.kind is TokenKind.STRING:
            yield from ((found[1], token.start + found.start(1)) for found in _REGISTER.finditer(token.text))
        elif token.text == "%" and read.is_word(index + 1) and read.start(index + 1) == token.end:
            yield read.text(index + 1), token.end


def _assembly(read: TokenReader, word: int) -> Assembly:
    index = word + 1
    is_volatile = read.text(index) in _VOLATILE
    index += is_volatile
    is_open = read.text(index) == "("
    index += is_open
    literals = list[str]()
    while read.text(index).startswith('"'):
        literals.append(read.text(index)[1:-1])
        index += 1
    rest = read.text(index)
    is_statement = is_volatile or rest == ":" or not _ends_operand(read, word - 1)
    if not is_open or not literals or not is_statement:
        return Assembly(None)
    template = _LINE_ESCAPE.sub("\n", "".join(literals))
    return Assembly(template, rest in (":", ")") and _ODD.search(template) is None)


def _ends_operand(read: TokenReader, index: int) -> bool:
    return read.is_word(index) or read.is_number(index) or read.text(index) in (")", "]")
