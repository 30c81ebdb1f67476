"""Variants of a rule that differ in numbers alone, as one edit whose numbers are tuned.

Example::

    tuned((with_256, with_128, with_64))    # one rewrite: tunables=(Tunable("block_threads", (64, 128, 256)),)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.model.plan import Rewrite, Tunable

__all__ = ["tuned"]


def tuned(variants: Sequence[Rewrite]) -> Iterator[Rewrite]:
    """The variants, those with the same numbers and labels joined to the first of them, in order."""
    families: dict[object, list[Rewrite]] = {}
    for place, variant in enumerate(variants):
        names = tuple(name for name, _ in variant.numbers)
        families.setdefault((names, variant.labels) if names else place, []).append(variant)
    for first, *others in families.values():
        yield replace(first, tunables=_tunables((first, *others)), alternatives=tuple(others)) if others else first


def _tunables(variants: Sequence[Rewrite]) -> tuple[Tunable, ...]:
    names = [name for name, _ in variants[0].numbers]
    return tuple(Tunable(name, tuple(sorted({dict(variant.numbers)[name] for variant in variants}))) for name in names)
