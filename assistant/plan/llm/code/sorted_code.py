"""Code that does not say which part it is the text of, or says too little, sorted by what it defines: a whole file, two functions in one
fence, a kernel with the types that it rests on.

What stands in the program in the same words is left out, and so is a function of which the code says that it stays (``// ... unchanged``).
Example::

    sorted_code(region, WrittenPart(part=UNNAMED, code=whole_file))    # [WrittenPart("kernel", …), WrittenPart("run", …)]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assistant.cuda.code_patterns import squeezed
from assistant.cuda.code_text import uncommented
from assistant.cuda.items import Item, ItemKind, items
from assistant.plan.llm.code.cleaning import cleaned
from assistant.plan.llm.code.headers import without_includes
from assistant.plan.llm.code.parts import INSTANTIATION, KERNEL_PART, Part, PartKind, Region
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer
from assistant.plan.llm.reading.fences import UNNAMED
from assistant.plan.llm.reading.schemas import WrittenPart

__all__ = ["sorted_code"]

_ADDED = "added_code"
_ELIDED = re.compile(r"^[ \t]*(?:(?://|/\*)[ \t]*)?(?:\.\.\.|…)[^\n]*$", re.MULTILINE)
"""``// ... existing code ...``, or dots alone."""
_NAMESPACE = re.compile(r"\bnamespace\b(?P<name>[\w\s:]*)\{")
_SKETCH = re.compile(r"\)\s*\{\s*\}\s*\Z")
"""A function with nothing in it, at the end."""
_LEADING = re.compile(r"(?:[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/)\s*)+\Z", re.DOTALL)
"""Comments right in front of something."""
_FUNCTIONS = frozenset({ItemKind.KERNEL, ItemKind.DEVICE, ItemKind.HOST})


def sorted_code(region: Region, given: WrittenPart) -> list[WrittenPart] | UnusableAnswer:
    """The parts that a piece of an answer gives; itself where it is the text of its part, or cannot be taken apart."""
    code, headers = without_includes(cleaned(given.code))
    found = items(uncommented(code))
    name = KERNEL_PART if given.part == UNNAMED else given.part
    part = next((part for part in region.parts if part.id == name or (part.kind is PartKind.KERNEL and name == region.kernel.name)), None)
    if name.startswith("launch-"):
        return [given]  # a statement
    own = frozenset[str]().union(*(item.names for item in _items(part.text))) if part is not None else frozenset[str]()
    is_alone = found is None or (len(found) == 1 and (given.part != UNNAMED or bool(found[0].names & own)))
    if part is not None and is_alone and _is_elided(code, part.text):
        return _left_out(name)
    alone = WrittenPart(part=name, code=given.code)
    if found is None or any(item.text.lstrip().startswith("#") and item.kind is ItemKind.SCOPE for item in found):
        return [alone]
    known = {each for item in _program(region) for each in item.names}
    macros = {ItemKind.MACRO} if part is not None and part.kind is PartKind.KERNEL else frozenset[ItemKind]()
    is_mixed = any((item.names - (frozenset() if item.kind in macros else own)) & known or item.kind is ItemKind.SCOPE for item in found)
    if given.part != UNNAMED and not is_mixed and not _is_in_known_namespaces(region, code):
        return [alone]
    return _by_part(region, code, found, "".join(f"#include <{header}>\n" for header in headers))


def _is_in_known_namespaces(region: Region, code: str) -> bool:
    """Whether it stands in namespaces, as the program has them."""
    opened = [name for found in _NAMESPACE.finditer(uncommented(code)) for name in re.split(r"\s*::\s*", found["name"].strip())]
    known = {found["name"].strip() for file in region.files for found in _NAMESPACE.finditer(uncommented(file.source.text))}
    return bool(opened) and {*opened} <= {name for each in known for name in re.split(r"\s*::\s*", each)}


def _by_part(region: Region, code: str, found: Iterable[Item], includes: str) -> list[WrittenPart] | UnusableAnswer:
    known = {squeezed(item.text): item for item in _program(region)}
    named = {name: item for item in known.values() for name in item.names}
    codes: dict[str, str] = {}
    added: list[str] = []
    end = 0
    for item in found:
        text, end = code[_begin(region, code, end, item) : item.end], item.end
        if squeezed(item.text) in known:
            continue
        part = _part_of(region, item, codes)
        is_known = part is not None or bool(item.names & named.keys())
        if is_known and _is_elided(text, "" if part is None else part.text):
            if part is not None and part.kind is PartKind.KERNEL:
                return _left_out(part.id)
            continue
        if part is not None:
            codes[part.id] = text
        elif is_known and item.kind in _FUNCTIONS:
            codes[min(item.names)] = text  # which is refused: it is not to be edited
        else:
            added.append(text)
    first = next(iter(codes), _ADDED)
    if KERNEL_PART in codes:
        codes[KERNEL_PART] = "\n\n".join([*added, codes[KERNEL_PART]])
    elif added:
        codes = {_ADDED: "\n\n".join(added)} | codes
    if includes and codes:
        first = KERNEL_PART if KERNEL_PART in codes else first
        codes[first] = includes + codes[first]
    return [WrittenPart(part=name, code=text) for name, text in codes.items()]


def _part_of(region: Region, item: Item, taken: Iterable[str]) -> Part | None:
    """The part that the item is the new text of; of several of one name the next."""
    instance = INSTANTIATION.match(item.text)
    fitting = [part for part in region.parts if part.kind is not PartKind.LAUNCH and _is_of(part, item, instance)]
    return next((part for part in fitting if part.id not in taken), fitting[-1] if fitting else None)


def _is_of(part: Part, item: Item, instance: re.Match[str] | None) -> bool:
    if instance is not None or part.kind is PartKind.INSTANTIATION:
        return instance is not None and part.kind is PartKind.INSTANTIATION and part.id.startswith(instance[1])
    is_function = item.kind in _FUNCTIONS
    if item.kind is ItemKind.MACRO and part.kind is PartKind.KERNEL:
        return False  # the macro that makes the kernel
    return any(item.names & each.names and is_function == (each.kind in _FUNCTIONS) for each in _items(part.text))


def _begin(region: Region, code: str, end: int, item: Item) -> int:
    """Where the comments in front of an item begin, if they are new and say something of it."""
    leading = _LEADING.search(code, end, item.start)
    is_known = leading is not None and any(leading[0].strip() in file.source.text.replace("\r\n", "\n") for file in region.files)
    return item.start if leading is None or is_known or _ELIDED.search(leading[0]) else leading.start()


def _is_elided(code: str, before: str) -> bool:
    """Whether it says that it leaves something out, where what it replaces does not; a function of comments alone does."""
    if _SKETCH.search(uncommented(code)) is not None and _SKETCH.search(uncommented(before)) is None and ("//" in code or "/*" in code):
        return True
    kept = {match[0].strip() for match in _ELIDED.finditer(before)}
    return any(match[0].strip() not in kept for match in _ELIDED.finditer(code))


def _left_out(name: str) -> UnusableAnswer:
    return UnusableAnswer(Unusable.ELIDED, f"part {name} leaves code out (`...`): give its whole text")


def _program(region: Region) -> Sequence[Item]:
    return [item for file in region.files for item in _items(file.source.text)]


def _items(text: str) -> tuple[Item, ...]:
    return items(uncommented(text)) or ()
