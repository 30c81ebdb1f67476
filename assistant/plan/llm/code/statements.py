"""Statements that an answer gives in a fence of their own, in no function: a launch, a quotation, a remark in code.

Example::

    settled(region, WrittenPart(part=UNNAMED, code="k<<<n / 64, 64>>>(x, n);"), ())    # [WrittenPart("launch-22", …)]
    settled(region, WrittenPart(part=UNNAMED, code=a_line_of_the_program), ())         # []: it is a quotation
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assistant.cuda.code_patterns import squeezed
from assistant.cuda.code_text import uncommented
from assistant.cuda.items import Item, ItemKind, items
from assistant.cuda.tokens import words_in_code
from assistant.plan.llm.code.parts import KERNEL_PART, PartKind, Region
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer
from assistant.plan.llm.reading.fences import UNNAMED
from assistant.plan.llm.reading.schemas import WrittenPart

__all__ = ["settled"]

_LAUNCH = re.compile(r"\s*(?P<name>(?:\w+\s*::\s*)*\w+)\s*(?:<[^<>;]*>\s*)?<<<[^;]*;\s*\Z")
_FUNCTIONS = frozenset({ItemKind.KERNEL, ItemKind.DEVICE, ItemKind.HOST})
_PLACE = r"[A-Za-z_]\w*(?:\s*\[[^\]]*\]|\s*(?:\.|->)\s*\w+)*\s*"
_STATEMENT = re.compile(
    rf"\s*(?:(?:if|for|while|do|switch|return|break|continue|else)\b|(?:\+\+|--)\s*{_PLACE};|{_PLACE}(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))"
    r"|__sync\w+\s*\(|atomic\w+\s*\()"
)
"""What can stand in functions alone. A name with parentheses behind it may be a macro that makes a function."""
_PLAIN_VARIABLE = re.compile(
    r"\s*(?:auto|bool|char|short|int|long|unsigned|float|double|size_t|u?int\d+_t|half|__half2?|(?:float|double|u?int)[234]|dim3)\b[^(){}]*="
)
"""Outside functions it would be the host's."""


def settled(region: Region, given: WrittenPart, others: Sequence[WrittenPart]) -> list[WrittenPart] | UnusableAnswer | None:
    """The parts that a piece without a name gives if it is statements; None where it is none, or a part's name is given with it.

    What stands in the program, or in the other pieces of the answer, in the same words is a quotation. Other statements are refused: where
    they belong is not known.
    """
    found = items(uncommented(given.code)) if given.part in (UNNAMED, KERNEL_PART) else None
    if not found or given.code.lstrip().startswith("{"):
        return None
    *first, last = found
    launch = _LAUNCH.match(last.text)
    if launch is not None and all(item.kind is ItemKind.DECLARATION and not _is_statement(item) for item in first):
        return _launching(region, given.code, re.split(r"\s*::\s*", launch["name"])[-1])
    statement = next((item for item in found if _is_statement(item)), None)
    if statement is None and all(_PLAIN_VARIABLE.match(item.text) for item in found) and not _are_used(found, others):
        statement = last
    if statement is None:
        return None
    if _is_quoted(given.code, (*(file.source.text for file in region.files), *(each.code for each in others))):
        return []
    shown = " ".join(statement.text.split())[:60]
    return UnusableAnswer(Unusable.ELIDED, f"it gives `{shown}` in no function: give the whole text of the part that it belongs to")


def _is_statement(item: Item) -> bool:
    return _STATEMENT.match(item.text) is not None or _LAUNCH.match(item.text) is not None


def _are_used(found: Iterable[Item], others: Iterable[WrittenPart]) -> bool:
    """Whether a function of the other pieces names what these declare."""
    names = {name for item in found for name in item.names}
    codes = [uncommented(each.code) for each in others]
    return any(names & words_in_code(item.text) for code in codes for item in items(code) or () if item.kind in _FUNCTIONS)


def _launching(region: Region, code: str, name: str) -> list[WrittenPart] | UnusableAnswer:
    """The statement of the only launch of that kernel."""
    if _is_quoted(code, (file.source.text for file in region.files)):
        return []
    launches = [part for part in region.parts if part.kind is PartKind.LAUNCH and re.search(rf"\b{name}\s*<", part.text)]
    if len(launches) == 1:
        return [WrittenPart(part=launches[0].id, code=code)]
    reason = f"it gives a launch of {name} in no function"
    if not region.may_edit_host:
        return UnusableAnswer(Unusable.HOST_PART, f"{reason}, and launches may not be edited here; leave them as they are")
    shown = ", ".join(part.id for part in launches) or "none of it alone"
    return UnusableAnswer(Unusable.UNKNOWN_LAUNCH, f"{reason}: say in `launches` of the header which line it is of (parts: {shown})")


def _is_quoted(code: str, texts: Iterable[str]) -> bool:
    """Whether the code stands in one of the texts, token by token."""
    words = squeezed(uncommented(code))
    return any(words in squeezed(uncommented(text)) for text in texts)
