"""One name for each file of a folder, whatever links lead to it.

Example::

    real_within("/p/k.cuh", "/p")      # '/p/src/k.cuh' of a link to that; '/p/k.cuh' of a link to '/elsewhere/k.cuh'
"""

from __future__ import annotations

import os
import posixpath

__all__ = ["real_within"]


def real_within(path: str, root: str) -> str:
    """The real path of a file; of a link that leads out of ``root``, itself real, the name that it has there: compilers see that one."""
    real = os.path.realpath(path)
    named = posixpath.join(os.path.realpath(posixpath.dirname(path)), posixpath.basename(path))
    return named if not _is_below(real, root) and _is_below(named, root) else real


def _is_below(path: str, root: str) -> bool:
    return path.startswith(root.rstrip(os.sep) + os.sep)
