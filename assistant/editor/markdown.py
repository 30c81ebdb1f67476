"""Foreign text inside Markdown: names, messages and source code are shown literally, and make no image, link or HTML.

Example::

    tamed("declare it __restrict__")     # 'declare it `__restrict__`': without, the underscores would be gone and the word bold
"""

from __future__ import annotations

import re

__all__ = ["fenced", "line_by_line", "tamed", "unmarked"]

_SHORTEST_FENCE = 3
_RUN = re.compile(r"`+")
_LINK = re.compile(r"\](?=[(:])")
_TAG = re.compile(r"<(?=[A-Za-z][A-Za-z0-9-]*(?:[\s/>:]|$)|[/!?])")
_CODE = re.compile(r"(`[^`\n]+`)")
_BOLD = re.compile(r"^\*\*(.+)\*\*$", re.MULTILINE)
_UNDERSCORES = re.compile(r"(?<!\w)__\w+__(?!\w)")
_FENCE = re.compile(r"^(\s*)(?:`{3,}|~{3,})", re.MULTILINE)


def tamed(text: str) -> str:
    """The text with a space where an image, a link or HTML would begin; a fence begins no block; CUDA's words keep their underscores.

    A space, as a backslash would be shown in code spans, and in front of another one would do nothing.
    """
    return _FENCE.sub(r"\1``", _TAG.sub("< ", _LINK.sub("] ", _with_underscores(text))))


def _with_underscores(text: str) -> str:
    """``__restrict__`` as code, where the text has no backtick that would end it elsewhere."""
    parts = _CODE.split(text)
    if any("`" in part for part in parts[::2]):
        return text
    return "".join(part if index % 2 else _UNDERSCORES.sub(r"`\g<0>`", part) for index, part in enumerate(parts))


def line_by_line(text: str) -> str:
    """Each line on one of its own: Markdown would make one paragraph of them."""
    return text.replace("\n", "  \n")


def fenced(text: str, language: str = "") -> str:
    """A block of code that nothing inside it ends."""
    fence = "`" * max(_SHORTEST_FENCE, *(len(run) + 1 for run in _RUN.findall(text)), 0)
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"


def unmarked(text: str) -> str:
    """What an editor without Markdown shows of our own: no stars around a bold line, no backticks around code."""
    return _BOLD.sub(r"\1", _CODE.sub(lambda code: code[0][1:-1], text))
