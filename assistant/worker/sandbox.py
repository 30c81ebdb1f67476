"""What limits a program that the user did not write, and the compilers; layer by layer, and which layers this machine lacks.

Layers: no new privileges, no capabilities, file rules (Landlock), a filter of system calls (seccomp). Each works without the others.
A layer that the kernel lacks is named; one that it has and refuses to put in force stops the program from being started. Time,
memory and number of processes are ``child``'s and ``tools``'.

Example::

    with confine((scratch,)) as confinement:
        run_child(command, bounds, out, err, confinement)
    confinement.layers.missing
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assistant.record import Record
from assistant.worker.landlock import (
    SIGNALS_ABI,
    FileAccess,
    allow_own_threads,
    everything_but_devices,
    landlock_abi,
    open_ruleset,
    restrict,
)
from assistant.worker.linux import PR_SET_NO_NEW_PRIVS, prctl, system_call
from assistant.worker.seccomp import compiler_filter, gpu_program_filter, install_filter, program_filter

__all__ = ["Confinement", "Layers", "apply", "confine", "confine_compiler", "confine_to_gpu", "confine_writing", "probe_layers"]

_SYS_CAPGET, _SYS_CAPSET = 125, 126
_CAPABILITY_VERSION = 0x20080522  # linux/capability.h
_KEPT_CAPABILITIES = (1 << 1) | (1 << 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: the superuser's program still reads what it read."""

_GPU_FILES = ("nvidia*", "nvidia-caps/*", "dxg")
"""Below ``/dev``: what CUDA's driver opens for writing, on Linux and under WSL2."""


class Layers(Record):
    """In words for people."""

    in_force: tuple[str, ...]
    missing: tuple[str, ...]


class Confinement(Record):
    """Limits made ready in this process, to be put in force by ``apply`` in the process that they are for."""

    ruleset: int | None
    """Descriptor of Landlock's rules, open while the context is; None: the kernel has none."""
    filter: bytes | None
    """Filter of system calls; None: the kernel has none."""
    layers: Layers
    names_own_threads: bool = False


@contextmanager
def confine(writable: Sequence[Path]) -> Generator[Confinement]:
    """Limits that let a program write only below ``writable`` (existing folders). Raises OSError."""
    access = FileAccess(run=everything_but_devices(), write=tuple(writable))
    with _made_ready(access, program_filter()) as confinement:
        yield confinement


@contextmanager
def confine_to_gpu(writable: Sequence[Path]) -> Generator[Confinement]:
    """Likewise, and the program may use the GPUs of this machine. Raises OSError."""
    access = FileAccess(run=everything_but_devices(), write=tuple(writable), devices=_gpu_files())
    with _made_ready(access, gpu_program_filter(), names_own_threads=True) as confinement:
        yield confinement


@contextmanager
def confine_compiler(access: FileAccess) -> Generator[Confinement]:
    """Limits for a compiler and what it starts: it uses nothing but the files of ``access``. Raises OSError."""
    with _made_ready(access, compiler_filter()) as confinement:
        yield confinement


@contextmanager
def confine_writing(writable: Sequence[Path]) -> Generator[Confinement]:
    """Limits that let the user's own program write only below ``writable``, and leave it all else that it may do. Raises OSError."""
    abi = landlock_abi()
    layers = _layers(abi, False)
    if abi is None:
        yield Confinement(None, None, layers)
        return
    access = FileAccess(run=everything_but_devices(), write=tuple(writable), devices=_gpu_files())
    with open_ruleset(abi, access, about_files_only=True) as ruleset:
        yield Confinement(ruleset, None, layers)


def apply(confinement: Confinement) -> None:
    """Put the limits in force in the calling thread and all that it starts, for good. Raises OSError: the program must not be started.

    Privileges first, as both kernel layers demand it; the filter last, as it may forbid what the others call.
    """
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    _drop_capabilities()
    if confinement.ruleset is not None:
        if confinement.names_own_threads:
            allow_own_threads(confinement.ruleset)
        restrict(confinement.ruleset)
    if confinement.filter is not None:
        install_filter(confinement.filter)


def probe_layers() -> Layers:
    """What ``confine`` would put in force on this machine."""
    return _layers(landlock_abi(), program_filter() is not None)


@contextmanager
def _made_ready(access: FileAccess, code: bytes | None, *, names_own_threads: bool = False) -> Generator[Confinement]:
    abi = landlock_abi()
    layers = _layers(abi, code is not None)
    if abi is None:
        yield Confinement(None, code, layers, names_own_threads)
        return
    with open_ruleset(abi, access) as ruleset:
        yield Confinement(ruleset, code, layers, names_own_threads)


def _gpu_files() -> tuple[Path, ...]:
    found = (path for pattern in _GPU_FILES for path in sorted(Path("/dev").glob(pattern)))
    return tuple(path for path in found if not path.is_dir())


def _drop_capabilities() -> None:
    """Drop capabilities: of what this process may do (effective, permitted, inheritable), only reading files stays."""
    header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION, 0))
    data = ctypes.create_string_buffer(24)
    system_call(_SYS_CAPGET, header, data)
    permitted = struct.unpack_from("=6I", data)[1] & _KEPT_CAPABILITIES
    system_call(_SYS_CAPSET, header, ctypes.create_string_buffer(struct.pack("=6I", permitted, permitted, 0, 0, 0, 0)))


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
