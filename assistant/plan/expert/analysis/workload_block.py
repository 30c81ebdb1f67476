"""The grid and block that a ``/* kernelopt … */`` comment declares, as places in the text.

Only lists of the form ``grid = ["ceil(n/32)", 4]`` are found; what a sidecar file declares is not in the text.

Example::

    [item.text for item in declared_shapes(context)[0].grid]   # ['"ceil(n/32)"', '"ceil(n/32)"']
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistant.model.source import Expression, Kernel, Span
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["DeclaredShape", "declared_shapes"]

_BLOCK = re.compile(r"/\*\s*kernelopt\b(?P<toml>.*?)\*/", re.DOTALL)
_SECTION = re.compile(r"^\s*\[workload\.(?P<name>[\w-]+)\]\s*$(?P<body>.*?)(?=^\s*\[workload\.[\w-]+\]|\Z)", re.DOTALL | re.MULTILINE)
_KERNEL = re.compile(r"^\s*kernel\s*=\s*\"(?P<name>[^\"]*)\"", re.MULTILINE)
_LIST = r"^\s*{key}\s*=\s*\[(?P<items>[^\]]*)\]"
_ITEM = re.compile(r"\"[^\"]*\"|[^\s,]+")


@dataclass(frozen=True)
class DeclaredShape:
    """One declared workload of a kernel."""

    name: str
    grid: tuple[Expression, ...]
    """Items as written, quotes included; empty when the block gives none in this form."""
    block: tuple[Expression, ...]


def declared_shapes(context: TransformationContext) -> tuple[DeclaredShape, ...]:
    """Every ``[workload.NAME]`` of the text that is about the context's kernel."""
    found: list[DeclaredShape] = []
    for comment in _BLOCK.finditer(context.text):
        for section in _SECTION.finditer(comment["toml"]):
            start = comment.start("toml") + section.start("body")
            kernel = _KERNEL.search(section["body"])
            if _is_about(context.kernel, section["name"] if kernel is None else kernel["name"]):
                grid, block = _items(section["body"], "grid", start), _items(section["body"], "block", start)
                found.append(DeclaredShape(section["name"], grid, block))
    return tuple(found)


def _is_about(kernel: Kernel, selector: str) -> bool:
    name = re.split(r"[<(]", selector)[0].strip()
    return name in {kernel.name, kernel.qualified_name}


def _items(body: str, key: str, offset: int) -> tuple[Expression, ...]:
    found = re.search(_LIST.format(key=key), body, re.MULTILINE)
    if found is None:
        return ()
    start = offset + found.start("items")
    return tuple(Expression(m[0], Span(start + m.start(), start + m.end())) for m in _ITEM.finditer(found["items"]))
