"""Headers of a program that hold no kernels and define what its files name: with them among those, an edit may change a constant there.

Example::

    editable = with_named_headers(version)
    [file.source.path.name for file in editable.others]     # ["run.cu", "config.cuh"]
"""

from __future__ import annotations

from dataclasses import replace

from assistant.build.units import is_unit
from assistant.cuda.code_text import blanked, uncommented
from assistant.cuda.items import ItemKind, items
from assistant.cuda.parse import parse
from assistant.cuda.tokens import words_in_code
from assistant.engine.source_version import SourceVersion
from assistant.model.source import Source

__all__ = ["only_named", "with_named_headers"]

_MOST_CHARACTERS = 64_000
"""Longest header that is looked at (chosen: a configuration is short)."""
_OF_OTHERS = frozenset(
    {"third_party", "third-party", "thirdparty", "3rdparty", "3rd_party", "external", "extern", "vendor", "vendored", "deps"}
)
"""Folders whose files are by others, as projects call them."""


def with_named_headers(version: SourceVersion) -> SourceVersion:
    """The same program with such headers among its files; judged and offered as those are."""
    used = {word for file in version.files for word in words_in_code(blanked(file.source.text))}
    named = [header for header in version.headers if _is_own(header) and _defined(header) & used]
    if not named:
        return version
    program = replace(version.program, sources=(*version.program.sources, *named))
    left = tuple(header for header in version.headers if header not in named)
    return replace(version, program=program, others=(*version.others, *map(parse, named)), headers=left)


def only_named(version: SourceVersion) -> tuple[Source, ...]:
    """The headers without kernels among a program's files."""
    return tuple(file.source for file in version.others if not file.kernels and not is_unit(file.source.path))


def _is_own(header: Source) -> bool:
    return len(header.text) <= _MOST_CHARACTERS and _OF_OTHERS.isdisjoint(part.lower() for part in header.path.parts)


def _defined(header: Source) -> frozenset[str]:
    kinds = (ItemKind.MACRO, ItemKind.DECLARATION, ItemKind.DEVICE)
    found = items(uncommented(header.text)) or ()
    return frozenset(name for item in found if item.kind in kinds for name in item.names)
