"""How the author writes: indentation, spaces around operators, names. New code follows it.

Example::

    style = style_of(context)
    style.sum("TILE", "1")       # 'TILE + 1', or 'TILE+1' in a text written that way
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Style", "is_simple_term", "style_of"]

_SPACED = re.compile(r"[\w)\]] [-+*/] [\w(]")
_TIGHT = re.compile(r"[\w)\]][-+*/][\w(]")
_OPENED_BEHIND = re.compile(r"\b(?:if|for|while|switch)\b[^\n]*\)[ \t]*\{")
_OPENED_BELOW = re.compile(r"\b(?:if|for|while|switch)\b[^\n{;]*(?:;[^\n{;]*){0,2}\)[ \t]*(?://[^\n]*)?\r?\n[ \t]*\{")
_OPENED = re.compile(f"{_OPENED_BEHIND.pattern}|{_OPENED_BELOW.pattern}")
_CUDA_CAMEL = re.compile(r"threadIdx|blockIdx|blockDim|gridDim|atomic[A-Z][a-z]+")
"""CUDA's own names that are written likeThis."""
_SIMPLE_TERM = re.compile(r"[\w.]+(?:\s*[*/]\s*[\w.]+)*|\([^()]*\)")


class Style(Record):
    """How a text is written."""

    space: str
    """Around a binary operator: one blank or nothing."""
    indent: str
    """One level of indentation."""
    is_camel: bool
    """Names are written likeThis."""
    opens_below: bool = False
    """The brace of a branch or a loop stands on the line below it."""

    def sum(self, left: str, right: str) -> str:
        return f"{left}{self.space}+{self.space}{right}"

    def opened(self, head: str) -> tuple[str, ...]:
        """The lines that open a block: ``if (n > 0) {``, or that on two lines."""
        return (head, "{") if self.opens_below else (f"{head} {{",)

    def headed(self, head: str, statements: Sequence[str]) -> tuple[str, ...]:
        """The lines of a branch or a loop; braces where it has several."""
        inner = (self.indent + line for line in statements)
        return (head, *inner) if len(statements) == 1 else (*self.opened(head), *inner, "}")

    @property
    def otherwise(self) -> tuple[str, ...]:
        """The lines from the end of a branch to the start of its ``else``."""
        return ("}", "else", "{") if self.opens_below else ("} else {",)

    def name(self, *words: str) -> str:
        """Words joined the way the text joins them; underscores at their ends do not add to those between them."""
        inner = [word.strip("_") for word in words] if len(words) > 1 else []
        parts = [word for word in inner if word] or list(words)
        if self.is_camel:
            return parts[0] + "".join(w[:1].upper() + w[1:] for w in parts[1:])
        return "_".join(parts)


def style_of(context: TransformationContext) -> Style:
    """The habits of the kernel, else of the whole text."""
    span = context.kernel.span
    kernel = context.text[span.start : span.end]
    spaced, tight = len(_SPACED.findall(kernel)), len(_TIGHT.findall(kernel))
    names = {context.tree.text(n) for n in context.tree.find("identifier", inside=context.body)}
    camel = sum(bool(re.fullmatch(r"[a-z]+(?:[A-Z][a-z0-9]*)+", n)) for n in names)
    snake = sum("_" in n and n.islower() for n in names)
    builtin = sum(bool(_CUDA_CAMEL.fullmatch(name)) for name in names)
    return Style(
        space=" " if spaced >= tight else "",
        indent=_indent_step(kernel),
        is_camel=camel - builtin > snake,
        opens_below=_opens_below(kernel) or (not _OPENED.search(kernel) and _opens_below(context.text)),
    )


def is_simple_term(text: str) -> bool:
    """True where ``text + 1`` needs no parentheses around ``text``."""
    return _SIMPLE_TERM.fullmatch(text.strip()) is not None


def _opens_below(text: str) -> bool:
    """More braces of branches and loops stand below them than behind them."""
    return len(_OPENED_BELOW.findall(text)) > len(_OPENED_BEHIND.findall(text))


def _indent_step(kernel: str) -> str:
    base = re.search(r"\n([ \t]*)\}\s*$", kernel)
    outer = "" if base is None else base[1]
    widths: list[str] = [width for width in re.findall(r"\n([ \t]+)\S", kernel) if width != outer]
    if not widths:
        return "    "
    shortest = min(widths, key=len)
    step = shortest.removeprefix(outer)
    return step or "    "
