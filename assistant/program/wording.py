"""Sentences about a program that was found: why these files belong together.

Example::

    why(linker, linked, "/p/scale.cuh")     # 'main.cu includes scale.cuh and uses launch_sums of sums.cu'
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from assistant.program.linking import Ambiguity, LinkedProgram, Linker

__all__ = ["ambiguous", "enumerated", "why"]

_MOST_SHOWN = 4
"""Items that are listed in one sentence."""


def why(linker: Linker, linked: LinkedProgram, file: str) -> str:
    """One sentence; ``file`` is what was asked about."""
    shown = linker.sources.shown
    included = _included(linker, linked, file)
    used: dict[str, list[str]] = {}
    for unit, link in linked.links.items():
        used.setdefault(link.user, []).append(f"{_plain(link.name)} of {shown(unit)}")
    sentences: list[str] = []
    for unit in linked.units:
        parts = (included.get(unit, ""), f"uses {enumerated(used[unit])}" if unit in used else "")
        said = " and ".join(filter(None, parts))
        sentences.extend([f"{shown(unit)} {said}"] if said else [])
    ambiguities = (ambiguous(linker, one) for one in linked.ambiguities[:_MOST_SHOWN])
    return "; ".join((*(sentences or [f"{shown(linked.units[0])} has main()"]), *ambiguities))


def _included(linker: Linker, linked: LinkedProgram, file: str) -> dict[str, str]:
    """The note on the first unit that includes the file, by the unit; nothing where the file is a unit itself."""
    if file in linked.units:
        return {}
    unit = next((unit for unit in linked.units if file in linker.closure(unit)), None)
    return {} if unit is None else {unit: f"includes {linker.sources.shown(file)}{_through(linker, unit, file)}"}


def ambiguous(linker: Linker, one: Ambiguity) -> str:
    """That names are defined more than once."""
    shown = linker.sources.shown
    names = enumerated([_plain(name) for name in one.names])
    verb = "are" if len(one.names) > 1 else "is"
    return (
        f"{names}, used by {shown(one.user)}, {verb} defined in {enumerated([shown(unit) for unit in one.units])}: no one of them is nearer"
    )


def enumerated(words: Sequence[str]) -> str:
    """``a, b and c``; the first few of many."""
    if len(words) > _MOST_SHOWN:
        return f"{', '.join(words[:_MOST_SHOWN])} and {len(words) - _MOST_SHOWN} more"
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def _through(linker: Linker, unit: str, file: str) -> str:
    """`` through kernels.h`` where the unit does not include the file itself."""
    includer = linker.closure(unit)[file].includer
    return "" if includer == unit else f" through {posixpath.basename(includer)}"


def _plain(name: str) -> str:
    return name.removesuffix("::")
