"""Where the page of a finding is: in the installed package, or in the source tree."""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["finding_page"]

_PACKAGE = Path(__file__).parents[1]
_FOLDERS = (_PACKAGE / "findings", _PACKAGE.parent / "docs" / "reference" / "findings")


@cache
def finding_page(code: str) -> str | None:
    """``file:`` URI of the page of a ``KOnnn`` code; None for a code that has none (a compiler's)."""
    pages = (folder / f"{code}.md" for folder in _FOLDERS)
    return next((page.as_uri() for page in pages if page.is_file()), None)
