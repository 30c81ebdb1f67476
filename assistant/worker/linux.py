"""System calls for which Python has no function.

Example::

    prctl(PR_SET_NO_NEW_PRIVS, 1)
    system_call(446, ruleset, 0)        # landlock_restrict_self
"""

from __future__ import annotations

import ctypes
import os

__all__ = [
    "PR_SET_CHILD_SUBREAPER",
    "PR_SET_NO_NEW_PRIVS",
    "PR_SET_PDEATHSIG",
    "prctl",
    "system_call",
]

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38  # linux/prctl.h
_LIBC = ctypes.CDLL(None, use_errno=True)
"""Looked up once: in a process that was just forked, looking up costs more than the calls."""
_SYSCALL, _PRCTL = _LIBC.syscall, _LIBC.prctl


def prctl(option: int, argument: int = 0) -> None:
    """Raises OSError."""
    if _PRCTL(option, argument, 0, 0, 0) != 0:
        raise _error("prctl")


def system_call(number: int, *arguments: object) -> int:
    """Its result. Raises OSError."""
    result: int = _SYSCALL(number, *arguments)
    if result < 0:
        raise _error(f"system call {number}")
    return result


def _error(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")
