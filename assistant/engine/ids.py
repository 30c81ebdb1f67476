"""Identifiers of jobs, proposals and candidates: a letter and a ULID (https://github.com/ulid/spec, Crockford's base 32)."""

from __future__ import annotations

import os
import time

__all__ = ["new_id"]

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_TIME_CHARACTERS = 10
_RANDOM_CHARACTERS = 16
_RANDOM_BYTES = 10


def new_id(letter: str, now_ms: int | None = None, entropy: bytes | None = None) -> str:
    """``letter`` + 26 characters that sort by time. ``now_ms`` (Unix time) and ``entropy`` (10 bytes) are for tests."""
    moment = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    random = int.from_bytes(os.urandom(_RANDOM_BYTES) if entropy is None else entropy)
    return letter + _base32(moment, _TIME_CHARACTERS) + _base32(random, _RANDOM_CHARACTERS)


def _base32(value: int, length: int) -> str:
    digits = [_ALPHABET[(value >> 5 * position) & 31] for position in range(length)]
    return "".join(reversed(digits))
