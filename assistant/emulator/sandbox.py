"""What limits a program that the user did not write, layer by layer, and which layers this machine lacks.

Layers: no new privileges, no capabilities, file rules (Landlock), a filter of system calls (seccomp). Each works without the others.
A layer that the kernel lacks is named; one that it has and refuses to put in force stops the program from being started. Time,
memory and number of processes are ``child``'s.

Example::

    with confine((scratch,)) as confinement:
        run_child(command, bounds, out, err, confinement)
    confinement.layers.missing
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assistant.emulator.landlock import SIGNALS_ABI, allow_own_threads, landlock_abi, open_ruleset, restrict
from assistant.emulator.seccomp import prepare_filter, prepare_gpu_filter

__all__ = ["Confinement", "Layers", "confine", "confine_to_gpu", "probe_layers"]

_PR_SET_NO_NEW_PRIVS = 38  # linux/prctl.h
_SYS_CAPGET, _SYS_CAPSET = 125, 126
_CAPABILITY_VERSION = 0x20080522  # linux/capability.h
_KEPT_CAPABILITIES = (1 << 1) | (1 << 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: the superuser's program still reads what it read."""

_GPU_FILES = ("nvidia*", "nvidia-caps/*", "dxg")
"""Below ``/dev``: what CUDA's driver opens for writing, on Linux and under WSL2."""


@dataclass(frozen=True)
class Layers:
    """In words for people."""

    in_force: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Confinement:
    """Limits made ready in this process; ``apply`` is called in the child between fork and exec."""

    apply: Callable[[], None]
    """Raises OSError: the program must not be started."""
    layers: Layers


@contextmanager
def confine(writable: Sequence[Path]) -> Generator[Confinement]:
    """Limits that let a program write only below ``writable`` (existing folders). Raises OSError."""
    abi, install = landlock_abi(), prepare_filter()
    if abi is None:
        yield Confinement(_steps(install), _layers(abi, install is not None))
        return
    with open_ruleset(abi, writable) as ruleset:
        yield Confinement(_steps(lambda: restrict(ruleset), install), _layers(abi, install is not None))


@contextmanager
def confine_to_gpu(writable: Sequence[Path]) -> Generator[Confinement]:
    """Likewise, and the program may use the GPUs of this machine. Raises OSError."""
    abi, install = landlock_abi(), prepare_gpu_filter()
    if abi is None:
        yield Confinement(_steps(install), _layers(abi, install is not None))
        return
    with open_ruleset(abi, writable, _gpu_files()) as ruleset:
        steps = (lambda: allow_own_threads(ruleset), lambda: restrict(ruleset), install)
        yield Confinement(_steps(*steps), _layers(abi, install is not None))


def _gpu_files() -> tuple[Path, ...]:
    found = (path for pattern in _GPU_FILES for path in sorted(Path("/dev").glob(pattern)))
    return tuple(path for path in found if not path.is_dir())


def probe_layers() -> Layers:
    """What ``confine`` would put in force on this machine."""
    return _layers(landlock_abi(), prepare_filter() is not None)


def _steps(*steps: Callable[[], None] | None) -> Callable[[], None]:
    """Privileges first: both kernel layers demand it; the filter last, it may forbid what the others call."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, capabilities = _reduced_capabilities(libc)

    def apply() -> None:
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or libc.syscall(_SYS_CAPSET, header, capabilities) != 0:
            raise OSError(ctypes.get_errno(), "privileges could not be given up")
        for step in steps:
            if step is not None:
                step()

    return apply


def _reduced_capabilities(libc: ctypes.CDLL) -> tuple[object, object]:
    """Arguments of ``capset``: of what this process may do (effective, permitted, inheritable), only reading files stays."""
    header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION, 0))
    data = ctypes.create_string_buffer(24)
    if libc.syscall(_SYS_CAPGET, header, data) != 0:
        raise OSError(ctypes.get_errno(), "capabilities cannot be read")
    permitted = struct.unpack_from("=6I", data)[1] & _KEPT_CAPABILITIES
    return header, ctypes.create_string_buffer(struct.pack("=6I", permitted, permitted, 0, 0, 0, 0))


def _layers(abi: int | None, has_filter: bool) -> Layers:
    in_force = ["privileges: none gained, capabilities dropped"]
    missing: list[str] = []
    if abi is None:
        missing.append("files: no Landlock in this kernel, so files of the user can be written (Linux 5.13 or newer has it)")
    else:
        in_force.append(f"files: written only in scratch (Landlock ABI {abi})")
    if abi is not None and abi >= SIGNALS_ABI:
        in_force.append("signals: only to itself (Landlock)")
    else:
        missing.append("signals: other processes of the user can be signalled (Linux 6.12 or newer forbids it)")
    if has_filter:
        in_force.append("system calls: no sockets, no tracing, no mounts, no shared memory, no file attributes (seccomp)")
    else:
        missing.append("system calls: no seccomp filter on this machine, so sockets can be opened")
    return Layers((*in_force, "memory, time and number of processes: watched"), tuple(missing))
