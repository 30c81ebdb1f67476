"""Kernel parameters as Python knows them: ``in``, ``lambda`` and their like are words of Python's, and are called ``in_`` there.

A call has words of its own in addition (``grid``, ``block``, ``shared``): a parameter of such a name gets an underscore too. Example::

    python_name("in")                          # 'in_'
    kernel_names({"in_": x}, ("out", "in"))    # {'in': x}
"""

from __future__ import annotations

import keyword
from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

__all__ = ["kernel_names", "python_name"]

T = TypeVar("T")


def python_name(name: str, others: Collection[str] = (), reserved: Collection[str] = ()) -> str:
    """``others``: the kernel's parameters, none of which is called like another; ``reserved``: words that mean something else."""
    called = name
    while keyword.iskeyword(called) or called in reserved or (called != name and called in others):
        called += "_"
    return called


def kernel_names(values: Mapping[str, T], parameters: Iterable[str], reserved: Collection[str] = ()) -> dict[str, T]:
    """Values by the parameters' own names, wherever they are given by the ones of Python."""
    names = tuple(parameters)
    own = {python_name(name, names, reserved): name for name in names}
    return {own.get(name, name): value for name, value in values.items()}
