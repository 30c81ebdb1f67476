"""What a CUDA text inside another document is called: by its kernel, so that every front end gives it the same name.

Example::

    own_name("__global__ void halve(float *x) {}")     # 'halve'
    name_of(embedded)                                  # 'scan', below `%%kernelopt scan<256> --grid 4 --block 256`
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from assistant.cuda.embedded.cell_launch import named_kernel
from assistant.cuda.tokens import words_in_code
from assistant.model.embedded import EmbeddedText, EmbeddingKind

__all__ = ["is_in_notebook", "name_of", "names_like", "own_name", "path_in"]

_NO_NAME = "cuda"
_LAUNCH_BOUNDS = re.compile(r"__launch_bounds__\s*\([^()]*\)")
_CALLED = re.compile(r"([A-Za-z_]\w{0,60})\s*\(")
_NAMED = re.compile(r"(?:.*::)?([A-Za-z_]\w{0,60})(?:<|$)")
"""As ``ns::scan<256>``."""
_SIGNATURE_CHARACTERS = 400
"""How far behind ``__global__`` its kernel's name is looked for."""


def name_of(embedded: EmbeddedText) -> str | None:
    """The kernel that a cell's ``%%kernelopt`` line names, else the text's first; None where it holds no kernel (yet).

    The same text below two lines that name two of its kernels is two sources, as each is judged on its own kernel.
    """
    named = named_kernel(embedded.arguments) if embedded.kind is EmbeddingKind.KERNELOPT_MAGIC else None
    found = None if named is None else _NAMED.match(named)
    return own_name(embedded.text) if found is None or found[1] not in words_in_code(embedded.text) else found[1]


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
