"""Where the page of a finding is."""

from __future__ import annotations

from functools import cache

from assistant.shipped import shipped_findings

__all__ = ["finding_page"]


@cache
def finding_page(code: str) -> str | None:
    """``file:`` URI of the page of a ``KOnnn`` code; None for a code that has none (a compiler's)."""
    page = shipped_findings() / f"{code}.md"
    return page.as_uri() if page.is_file() else None
