"""Kernel parameters as Python knows them: ``in``, ``lambda`` and their like are words of Python's, and are called ``in_`` there.

Example::

    python_name("in")                          # 'in_'
    kernel_names({"in_": x}, ("out", "in"))    # {'in': x}
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping
from typing import TypeVar

__all__ = ["kernel_names", "python_name"]

T = TypeVar("T")


def python_name(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def kernel_names(values: Mapping[str, T], parameters: Iterable[str]) -> dict[str, T]:
    """Values by the parameters' own names, wherever they are given by the ones of Python."""
    own = {python_name(name): name for name in parameters}
    return {own.get(name, name): value for name, value in values.items()}
