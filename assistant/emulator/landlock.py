"""File access rules of the kernel's Landlock: read and execute everywhere, write only below chosen folders.

Rights and structures are those of linux/landlock.h, ABI 1 (Linux 5.13) to 6 (Linux 6.12); what an older kernel does not know is left out.

Example::

    abi = landlock_abi()
    if abi is not None:
        with open_ruleset(abi, (Path("/tmp/scratch"),)) as ruleset:
            ...  # in the child, after PR_SET_NO_NEW_PRIVS: restrict(ruleset)
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

__all__ = ["SIGNALS_ABI", "landlock_abi", "open_ruleset", "restrict"]

_SYS_CREATE_RULESET, _SYS_ADD_RULE, _SYS_RESTRICT_SELF = 444, 445, 446
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = (1 << bit for bit in range(4))
_RIGHTS_OF_ABI_1 = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_REFER_ABI, _TRUNCATE_ABI, _NETWORK_ABI, _IOCTL_ABI = 2, 3, 4, 5
SIGNALS_ABI = 6
"""From here on a confined program cannot signal others."""
_BIND_AND_CONNECT_TCP = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
_WRITABLE_FILES = (Path("/dev/null"),)


def landlock_abi() -> int | None:
    """The kernel's version of Landlock; None where it has none or it is switched off."""
    version = _syscall(_SYS_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    return version if version > 0 else None


@contextmanager
def open_ruleset(abi: int, writable: Sequence[Path], devices: Sequence[Path] = ()) -> Generator[int]:
    """A descriptor of rules that allow writing only below ``writable`` (existing folders), to ``devices`` and to ``/dev/null``.

    Raises OSError.
    """
    handled = _handled_rights(abi)
    attributes = struct.pack("=Q", handled)
    attributes += struct.pack("=Q", _BIND_AND_CONNECT_TCP) if abi >= _NETWORK_ABI else b""
    attributes += struct.pack("=Q", _ABSTRACT_SOCKETS_AND_SIGNALS) if abi >= SIGNALS_ABI else b""
    ruleset = _checked(_syscall(_SYS_CREATE_RULESET, ctypes.create_string_buffer(attributes, len(attributes)), len(attributes), 0))
    try:
        _allow(ruleset, Path("/"), _EXECUTE | _READ_FILE | _READ_DIR)
        for folder in writable:
            _allow(ruleset, folder, handled & ~_IOCTL_DEV)
        for file in (*_WRITABLE_FILES, *devices):
            _allow(ruleset, file, handled & (_READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV))
        yield ruleset
    finally:
        os.close(ruleset)


def allow_own_threads(ruleset: int) -> None:
    """Let the calling process, and what it becomes by exec, name its threads: CUDA's driver does not start otherwise. Raises OSError."""
    _allow(ruleset, Path("/proc/self/task"), _handled_rights(landlock_abi() or 1) & (_READ_FILE | _WRITE_FILE | _TRUNCATE))


def restrict(ruleset: int) -> None:
    """Put the rules in force in the calling thread and all that it starts, for good. Raises OSError."""
    _checked(_syscall(_SYS_RESTRICT_SELF, ruleset, 0, 0))


def _handled_rights(abi: int) -> int:
    rights = _RIGHTS_OF_ABI_1
    for since, right in ((_REFER_ABI, _REFER), (_TRUNCATE_ABI, _TRUNCATE), (_IOCTL_ABI, _IOCTL_DEV)):
        rights |= right if abi >= since else 0
    return rights


def _allow(ruleset: int, path: Path, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", rights, place)
        _checked(_syscall(_SYS_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.create_string_buffer(rule, len(rule)), 0))
    finally:
        os.close(place)


def _syscall(number: int, *arguments: object) -> int:
    return ctypes.CDLL(None, use_errno=True).syscall(number, *arguments)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"Landlock: {os.strerror(number)}")
    return result
