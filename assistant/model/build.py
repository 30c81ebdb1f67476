"""What a compiler says of a kernel: diagnostics, resources, machine code by line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from assistant.record import Record

LINKER = "ld"
ASSEMBLER = "ptxas"
_LIBRARY_HEADER = re.compile(
    r"(?P<header>(?:cublas|cufft|curand|cusparse|cusolver|cudnn|nccl|npp|nvml|nvjpeg|thrust/|cub/|cuda/)[\w./]*)"
    r"\W+No such file or directory"
)
"""Headers of the libraries that come in packages of their own, apart from the compiler."""
_LABEL = re.compile(r"\.L_\w+|\$__internal_\d+_[$\w]+")
"""A branch's target, or a function of the compiler's own (a division's slow path)."""
_ZERO = r"-?RZ(?:\.H\d_H\d)?"
_HALF_OPCODES = frozenset({"HFMA2", "HADD2", "HMUL2"})
_ADDS_FLOATS_ATOMICALLY = re.compile(r"(?:RED|REDG|ATOM|ATOMG|ATOMS)\b.*\.ADD\b.*\.(?:F16|F32|F64|BF16)")
_MOVES_CONSTANT = re.compile(rf"^\w+, {_ZERO}, (?:{_ZERO}|[-+]?\d[^,]*)(?:,|$)")
"""Destination, then zeros, or zero and a constant: neither their product nor their sum holds a variable."""
_ADDS_NOTHING = re.compile(r", -RZ$")


class DiagnosticSeverity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Diagnostic(Record):
    """One compiler message."""

    file: str
    line: int
    """0 where the compiler names no place."""
    column: int
    """1-based; 0 where unknown."""
    severity: DiagnosticSeverity
    message: str
    """The full text, notes included."""
    code: str | None = None
    """The compiler's own number (``20``) where it prints one."""
    compiler: str = ""
    """``nvrtc``, ``nvcc``, ``ptxas``, ``g++``, ``emulator`` or ``ld``."""

    @property
    def words(self) -> str:
        """Its first line, with its place where it has one: ``line 7: expected a ";"``."""
        said = self.message.splitlines()[0]
        return f"line {self.line}: {said}" if self.line else said


def is_incomplete(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether all errors are the linker's: each source compiles, but what they use is not all among them."""
    errors = [found for found in diagnostics if found.severity is DiagnosticSeverity.ERROR]
    return bool(errors) and all(found.compiler == LINKER for found in errors)


def missing_library_header(diagnostics: Iterable[Diagnostic]) -> str | None:
    """``cublas_v2.h`` where the only errors are that headers of CUDA's libraries are not there: no mistake in the source."""
    errors = [found for found in diagnostics if found.severity is DiagnosticSeverity.ERROR]
    missing = [_LIBRARY_HEADER.search(error.message) for error in errors]
    return missing[0]["header"] if missing and missing[0] is not None and all(missing) else None


class KernelResources(Record):
    """ptxas's report of a kernel instance for an architecture."""

    kernel: str
    """Demangled instance."""
    symbol: str
    """Mangled name."""
    architecture: str
    """``sm_90``"""
    registers_per_thread: int
    spill_store_bytes: int
    spill_load_bytes: int
    stack_bytes: int
    static_shared_bytes: int
    constant_bytes: int


class Occupancy(Record):
    """Resident warps of a launch shape on an architecture."""

    active_warps_per_sm: int
    max_warps_per_sm: int
    blocks_per_sm: int
    limiter: str
    """``registers``, ``shared``, ``threads``, ``blocks`` or ``none``."""

    @property
    def ratio(self) -> float:
        return self.active_warps_per_sm / self.max_warps_per_sm


class SassInstruction(Record):
    """One machine instruction with its source line."""

    offset_bytes: int
    predicate: str
    """``@P0``, ``@!P1`` or empty."""
    opcode: str
    """Full, with modifiers (``LDG.E.128.CONSTANT``)."""
    operands: str
    file: str
    line: int
    """Innermost user-source line; 0 where unknown."""
    frames: tuple[tuple[str, int], ...] = ()
    """User-source (file, line) of the calls it was inlined through, inner before outer; empty for the kernel's own lines."""

    @property
    def is_half_move(self) -> bool:
        """A half-precision instruction of zeros, by which ptxas moves a constant (``HFMA2.MMA R5, -RZ, RZ, 1.875, 0``, sm_90)."""
        return self.opcode.partition(".")[0].removesuffix("_32I") in _HALF_OPCODES and bool(_MOVES_CONSTANT.match(self.operands))

    @property
    def is_negation(self) -> bool:
        """A float with its sign changed, as ptxas writes it in an exact reciprocal (``FADD.FTZ R2, -R2, -RZ``, CUDA 13.0, sm_90)."""
        return self.opcode.startswith("FADD") and _ADDS_NOTHING.search(self.operands) is not None

    @property
    def is_atomic_float_sum(self) -> bool:
        """``RED.E.ADD.F32.FTZ.RN``: what it leaves depends on the order in which threads arrive."""
        return _ADDS_FLOATS_ATOMICALLY.match(self.opcode) is not None


class KernelCode(Record):
    """Disassembly of a kernel instance."""

    kernel: str
    symbol: str
    architecture: str
    instructions: tuple[SassInstruction, ...]
    labels: tuple[tuple[str, int], ...]
    """(label, offset) of branch targets."""

    @property
    def work(self) -> tuple[tuple[int, str, str, str], ...]:
        """Offset, predicate, opcode and operands of every instruction, equal for kernels that do the same.

        Targets of branches are named by where they are: the compiler numbers its labels through all kernels of a file, so that an edit of
        one renames those of the others.
        """
        places = dict(self.labels)

        def placed(operands: str) -> str:
            return _LABEL.sub(lambda label: f"+{places[label[0]]}" if label[0] in places else label[0], operands)

        return tuple((one.offset_bytes, one.predicate, one.opcode, placed(one.operands)) for one in self.instructions)


class Flags(Record):
    """What changes the meaning of a compile; identical on both sides of a comparison."""

    arguments: tuple[str, ...] = ()
    """nvcc's spelling (``-O3``, ``-DN=4``, ``-Iinclude``, ``-use_fast_math``)."""
    origin: str = "default"
    """``command line``, ``kernelopt.toml``, ``compile_commands.json`` or ``default``."""


def errors_first(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Errors before what a compiler only remarks on, each in the order in which it was said: the first one is why nothing was built."""
    return tuple(sorted(diagnostics, key=lambda found: found.severity is not DiagnosticSeverity.ERROR))


def is_too_large(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether the code is right and only the GPU's assembler refuses it: too much shared memory or too many registers, as a rule."""
    errors = [found for found in diagnostics if found.severity is DiagnosticSeverity.ERROR]
    return bool(errors) and all(found.compiler == ASSEMBLER for found in errors)


class Build(Record):
    """A successful compile."""

    compiler: str
    """Name and version (``nvrtc 13.0``); ``g++ 12.2 (emulator)`` on the last rung."""
    architecture: str
    flags: Flags
    resources: tuple[KernelResources, ...]
    code: tuple[KernelCode, ...]
    diagnostics: tuple[Diagnostic, ...]


class BuildFailure(Record):
    """The compiler refused the source."""

    compiler: str
    diagnostics: tuple[Diagnostic, ...]


class CompilerMissing(Record):
    """No CUDA compiler can be had here; the ladder goes one rung down."""

    reason: str
    remedy: str
    """The exact command or setting that fixes it."""


BuildResult = Build | BuildFailure | CompilerMissing
