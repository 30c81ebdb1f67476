"""What a CUDA text inside another document is called: by its first kernel, so that every front end gives it the same name.

Example::

    own_name("__global__ void halve(float *x) {}")     # 'halve'
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["is_in_notebook", "names_like", "own_name", "path_in"]

_NO_NAME = "cuda"
_LAUNCH_BOUNDS = re.compile(r"__launch_bounds__\s*\([^()]*\)")
_CALLED = re.compile(r"([A-Za-z_]\w{0,60})\s*\(")
_SIGNATURE_CHARACTERS = 400
"""How far behind ``__global__`` its kernel's name is looked for."""


def own_name(text: str) -> str | None:
    """The first kernel's name, however unfinished the text is; None where it holds no kernel (yet)."""
    _, is_there, rest = text.partition("__global__")
    name = _CALLED.search(_LAUNCH_BOUNDS.sub(" ", rest[:_SIGNATURE_CHARACTERS])) if is_there else None
    return None if name is None else name[1]


def names_like(own: str | None) -> Iterator[str]:
    """Names to choose from for a text that gives itself the name ``own``, without end: ``halve``, ``halve-2``, …"""
    name, number = own or _NO_NAME, 2
    yield name
    while True:
        yield f"{name}-{number}"
        number += 1


def is_in_notebook(path: Path) -> bool:
    """Whether ``path`` is what a cell's text goes by (``path_in``)."""
    return ".ipynb." in path.name


def path_in(container: Path, name: str | None, suffix: str = ".cu") -> Path:
    """What the text of that name in a file goes by, as a path: ``train.py.halve.cu``. No file of that name is made."""
    return container.with_name(f"{container.name}.{name or _NO_NAME}{suffix}")
