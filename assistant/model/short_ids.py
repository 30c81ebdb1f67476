"""Long ids of proposals in a text for people, put as their short ones: ``P01M7WGD… was rejected`` → ``P3 was rejected``."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["with_short_ids"]

_LONG = re.compile(r"(?<![/\\])\bP0[0-9A-HJKMNP-TV-Z]{25}\b")
"""``P`` and a ULID; not the name of a file, which has to be found."""


def with_short_ids(text: str, short_id: Callable[[str], str]) -> str:
    """``short_id``: the short one of a long one, as ``ProposalStore.short_id``."""
    return _LONG.sub(lambda found: short_id(found[0]), text)
