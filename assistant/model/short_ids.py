"""Long ids of proposals in a text for people, put as their short ones: ``P01M7WGD… was rejected`` → ``P3 was rejected``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

__all__ = ["first_letters", "with_short_ids"]

_FEWEST_LETTERS = 8
"""Of a long id: the time to about half a minute."""

_LONG = re.compile(r"(?<![/\\])\bP0[0-9A-HJKMNP-TV-Z]{25}\b")
"""``P`` and a ULID; not the name of a file, which has to be found."""


def with_short_ids(text: str, short_id: Callable[[str], str]) -> str:
    """``short_id``: the short one of a long one, as ``ProposalStore.short_id``."""
    return _LONG.sub(lambda found: short_id(found[0]), text)


def first_letters(proposal_id: str, ids: Iterable[str]) -> str:
    """The first letters of a long id that no other of ``ids`` begins with; the whole of it where there are none."""
    others = [other for other in ids if other != proposal_id]
    beginnings = (proposal_id[:count] for count in range(_FEWEST_LETTERS, len(proposal_id)))
    return next((letters for letters in beginnings if not any(other.startswith(letters) for other in others)), proposal_id)
