"""Values for the sizes of a first block: large enough to say something, small enough for an emulator, never square by chance.

Example::

    choose_shapes(("h", "w"), axes, (), (), {})    # ({'h': 768, 'w': 1024}, {'h': 749, 'w': 999})
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.code_patterns import Words
from assistant.workload.polynomial import ONE, Polynomial
from assistant.workload.threads import Axis

__all__ = ["choose_shapes"]

_ROUND = (1 << 20, 3 << 18, 5 << 17, 7 << 17)
"""First values, one size after the other: all different, multiples of 2^17."""
_ODD_SHARE = (1000, 1024)
"""The second shape's sizes are this share of the first's, made odd."""
_MOST_ELEMENTS = 1 << 22
"""Elements of all arrays together, about 16 MiB of floats."""
_MOST_STEPS = 1 << 22
"""Threads times loop iterations: a second or two in the emulator with every check."""
_FEW = 16
"""Value of a size that neither threads nor arrays depend on: iterations."""
_NARROW = 2
_WINDOW = Words(r"(?i)r|k?rad(?:ius)?|halo|half_?\w*|pad(?:ding)?|border|order|dilation|stride")
"""Names of half-widths: of a stencil, of a filter."""
_PITCH = Words(r"(?i)pitch|ld[abc]?|(?:row_?)?stride|leading\w*")
"""Names of distances between rows, which are never shorter than a row."""


def choose_shapes(
    sizes: tuple[str, ...],
    axes: tuple[Axis, ...],
    loops: tuple[Polynomial, ...],
    lengths: tuple[Polynomial, ...],
    multiples: Mapping[str, int],
) -> tuple[dict[str, int], ...]:
    """Two shapes: a round one, and a smaller one that no block divides where the kernel allows that."""
    if not sizes:
        return ()
    spanned = {name for axis in axes for name in axis.extent.names}
    products = [product for length in lengths for product, _ in length.terms]
    multiplied = {name for product in products if spanned & set(product) for name in product}
    main = sorted((name for name in sizes if name in spanned | multiplied), key=lambda name: name in _PITCH)
    few = {name: _NARROW if name in _WINDOW else _FEW for name in sizes}
    first = few | {name: _ROUND[index % len(_ROUND)] for index, name in enumerate(reversed(main))}
    while main and _is_too_much(first, axes, loops, lengths) and min(first[name] for name in main) > _FEW:
        first |= {name: first[name] // 2 for name in main}
    first = {name: _stepped(value, multiples.get(name, 1)) for name, value in first.items()}
    up, down = _ODD_SHARE
    second = {name: _second(value, multiples.get(name), up, down) if name in main else value for name, value in first.items()}
    return (first, second)


def _second(value: int, multiple: int | None, up: int, down: int) -> int:
    return _stepped(value * up // down, multiple) if multiple is not None else (value * up // down - 1) | 1


def _stepped(value: int, step: int) -> int:
    return max(1, value // step) * step


def _is_too_much(values: Mapping[str, int], axes: tuple[Axis, ...], loops: tuple[Polynomial, ...], lengths: tuple[Polynomial, ...]) -> bool:
    elements = sum((length.at(values) for length in lengths if length.names <= set(values)), ONE.at(values))
    steps = max((length.at({}) for length in loops if not length.names), default=ONE.at(values))  # one after the other
    for extent in (*(axis.extent for axis in axes), *loops):
        if extent.names and extent.names <= set(values):
            steps *= max(ONE.at(values), extent.at(values))
    return elements > _MOST_ELEMENTS or steps > _MOST_STEPS
