"""What a kernel's meaning rests on in its text: its own definition and every helper, constant, type and macro that it names.

Wide where text cannot tell: a declaration counts as used when any name it declares is mentioned. Where braces do not balance (``#if``
around half a function) everything is in reach.

Example::

    reach(items(uncommented(text)), ("blur",))    # the items of blur, of clamp(), which it calls, and of RADIUS
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.cuda.code_text import kept
from assistant.cuda.items import Item, ItemKind
from assistant.cuda.tokens import words_in_code

__all__ = ["only", "reach"]


def reach(found: Iterable[Item], names: Iterable[str], skipped: frozenset[ItemKind] = frozenset()) -> tuple[Item, ...]:
    """Items that declare one of ``names``, and all that these name in turn; those of the ``skipped`` kinds are not entered."""
    open_items = [item for item in found if item.kind not in skipped]
    waiting = set(names)
    reached = [item for item in open_items if item.is_everywhere]
    waiting |= {word for item in reached for word in words_in_code(item.text)}
    left = [item for item in open_items if not item.is_everywhere and item.kind is not ItemKind.INCLUDE]
    while waiting:
        hit = [item for item in left if item.names & waiting]
        left = [item for item in left if not item.names & waiting]
        reached += hit
        waiting = {word for item in hit for word in words_in_code(item.text)}
    return tuple(sorted(reached, key=lambda item: item.start))


def only(code: str, found: Iterable[Item]) -> str:
    """``code`` with everything but the given items as spaces; offsets and lines stay."""
    return kept(code, ((item.start, item.end) for item in found))
