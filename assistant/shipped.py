"""Folders of text that come with kernelopt: prompts, and the pages of findings.

An installed kernelopt has them inside its package, a source tree at its top. Example::

    shipped_prompts() / "techniques" / "shared-tile.md"
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["shipped_findings", "shipped_prompts"]

_PACKAGE = Path(__file__).parent


def shipped_prompts() -> Path:
    """The folder of prompt templates; techniques are in its folder ``techniques``."""
    return _shipped("prompts", Path("prompts"))


def shipped_findings() -> Path:
    """The folder with a page ``KOnnn.md`` for each finding."""
    return _shipped("findings", Path("docs", "reference", "findings"))


def _shipped(installed: str, in_tree: Path) -> Path:
    folder = _PACKAGE / installed
    return folder if folder.is_dir() else _PACKAGE.parent / in_tree
