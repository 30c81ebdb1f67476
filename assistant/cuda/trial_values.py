"""Values for names of a text whose run is not known: indices are evaluated at several choices of them, to see which elements they name.

Example::

    trial_value("width", 0, 11, 89)     # 11 to 99, the same in every process
"""

from __future__ import annotations

import zlib

__all__ = ["trial_value"]


def trial_value(name: str, trial: int, least: int, count: int) -> int:
    """One of ``count`` values from ``least`` on, different for most names and trials."""
    return least + zlib.crc32(f"{name} {trial}".encode()) % count
