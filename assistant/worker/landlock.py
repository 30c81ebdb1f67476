"""File access rules of the kernel's Landlock: which files a process and all that it starts may read, start, write and control.

Rights and structures are those of linux/landlock.h, ABI 1 (Linux 5.13) to 6 (Linux 6.12); what an older kernel does not know is left out.
Looking at names and attributes is not covered by Landlock: a confined process may find out that a file exists.

Example::

    abi = landlock_abi()
    if abi is not None:
        with open_ruleset(abi, FileAccess(run=everything_but_devices(), write=(Path("/tmp/scratch"),))) as ruleset:
            ...  # in the child, after PR_SET_NO_NEW_PRIVS: restrict(ruleset)
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from assistant.record import Record
from assistant.worker.linux import system_call

__all__ = ["SIGNALS_ABI", "FileAccess", "allow_own_threads", "everything_but_devices", "landlock_abi", "open_ruleset", "restrict"]

_SYS_CREATE_RULESET, _SYS_ADD_RULE, _SYS_RESTRICT_SELF = 444, 445, 446
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = (1 << bit for bit in range(4))
_RIGHTS_OF_ABI_1 = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_RIGHTS_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_REFER_ABI, _TRUNCATE_ABI, _NETWORK_ABI, _IOCTL_ABI = 2, 3, 4, 5
SIGNALS_ABI = 6
"""From here on a confined program cannot signal others."""
_BIND_AND_CONNECT_TCP = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
_WRITABLE_FILES = (Path("/dev/null"),)
_DEVICES = Path("/dev")
_READABLE_DEVICES = ("null", "zero", "full", "random", "urandom", "shm")
"""Reading another device can take something from its owner, as a terminal's next line; ``shm`` is a folder like any other."""


class FileAccess(Record):
    """Files, and folders with all that is below them; a path that does not exist is left out of what may be read."""

    read: tuple[Path, ...] = ()
    run: tuple[Path, ...] = ()
    """May be read, and started."""
    write: tuple[Path, ...] = ()
    """Existing folders: everything but controlling devices."""
    devices: tuple[Path, ...] = ()
    """May be read, written and controlled."""


def landlock_abi() -> int | None:
    """The kernel's version of Landlock; None where it has none or it is switched off."""
    try:
        return system_call(_SYS_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    except OSError:
        return None


def everything_but_devices() -> tuple[Path, ...]:
    """What stands in the root folder, but for ``/dev`` of which a few files are left. Raises OSError."""
    with os.scandir("/") as listing:
        entries = tuple(Path(entry.path) for entry in listing if Path(entry.path) != _DEVICES)
    return (*entries, *(_DEVICES / name for name in _READABLE_DEVICES))


@contextmanager
def open_ruleset(abi: int, access: FileAccess, *, about_files_only: bool = False) -> Generator[int]:
    """A descriptor of rules that allow ``access``, writing to ``/dev/null`` and nothing else. Raises OSError.

    ``about_files_only``: connections and signals stay as they are.
    """
    handled = _handled_rights(abi)
    attributes = struct.pack("=Q", handled)
    if not about_files_only:
        attributes += struct.pack("=Q", _BIND_AND_CONNECT_TCP) if abi >= _NETWORK_ABI else b""
        attributes += struct.pack("=Q", _ABSTRACT_SOCKETS_AND_SIGNALS) if abi >= SIGNALS_ABI else b""
    ruleset = system_call(_SYS_CREATE_RULESET, ctypes.create_string_buffer(attributes, len(attributes)), len(attributes), 0)
    try:
        for path in access.read:
            _allow_if_there(ruleset, path, _READ_FILE | _READ_DIR)
        for path in access.run:
            _allow_if_there(ruleset, path, _EXECUTE | _READ_FILE | _READ_DIR)
        for folder in access.write:
            _allow(ruleset, folder, handled & ~_IOCTL_DEV)
        for file in (*_WRITABLE_FILES, *access.devices):
            _allow(ruleset, file, handled & (_READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV))
        yield ruleset
    finally:
        os.close(ruleset)


def allow_own_threads(ruleset: int) -> None:
    """Let the calling process, and what it becomes by exec, name its threads: CUDA's driver does not start otherwise. Raises OSError."""
    _allow(ruleset, Path("/proc/self/task"), _handled_rights(landlock_abi() or 1) & (_READ_FILE | _WRITE_FILE | _TRUNCATE))


def restrict(ruleset: int) -> None:
    """Put the rules in force in the calling thread and all that it starts, for good. Raises OSError."""
    system_call(_SYS_RESTRICT_SELF, ruleset, 0, 0)


def _handled_rights(abi: int) -> int:
    rights = _RIGHTS_OF_ABI_1
    for since, right in ((_REFER_ABI, _REFER), (_TRUNCATE_ABI, _TRUNCATE), (_IOCTL_ABI, _IOCTL_DEV)):
        rights |= right if abi >= since else 0
    return rights


def _allow_if_there(ruleset: int, path: Path, rights: int) -> None:
    try:
        _allow(ruleset, path, rights)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return


def _allow(ruleset: int, path: Path, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        fitting = rights if stat.S_ISDIR(os.fstat(place).st_mode) else rights & _RIGHTS_ON_FILES
        rule = struct.pack("=Qi", fitting, place)
        system_call(_SYS_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.create_string_buffer(rule, len(rule)), 0)
    finally:
        os.close(place)
