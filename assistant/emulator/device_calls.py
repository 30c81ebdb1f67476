"""What device code refers to that is no device code: host functions of the program's own, functions of libraries, system calls.

nvcc refuses such a program; g++ would link it, and run host code as part of a kernel. Read from the object files, so that no spelling
hides it: everything that kernels reach by relocations is looked at, whatever was inlined. Kernels stand in sections ``.text.hot.*``,
host functions are protected or stand in ``.text.emu_host`` (``include/emu/keywords.h``). Example::

    foreign_calls((read_object(data),))     # (ForeignCall(0, ".text.hot._Z1kPf", 17, "open", "host"),)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from assistant.emulator.object_file import UNDEFINED, ObjectFile, Reference, Symbol
from assistant.record import Record

__all__ = ["ForeignCall", "foreign_calls", "is_of_device", "needed_functions", "replaced_functions"]

_KERNELS = ".text.hot"
_HOST_FUNCTIONS = ".text.emu_host"
_PROTECTED = 3


def _words(text: str) -> str:
    return "|".join(text.split())


_CORE = _words(
    """
    emu_syncthreads emu_syncthreads_reduce emu_barrier emu_syncwarp emu_activemask emu_shuffle emu_vote emu_match emu_reduce emu_grid_sync
    emu_fence emu_copy_(?:read|write|commit|wait) emu_read_only emu_has_aliases emu_note_(?:read_only|block_scope|unread|end)
    emu_yield emu_trap emu_assert_fail emu_false_assumption emu_device_printf emu_clock emu_device_malloc emu_device_free emu_address_space
    emu_refuse emu_texture_fetch emu_wmma_(?:offer|multiply) emu_multiply_doubles emu_product_of_lane emu_atomic_\\w+ __emu_tc
    __emu_dynamic_shared __tsan_\\w+ __sanitizer_cov_\\w+
    """
)
"""What the emulator's core does for device code (``runtime/abi.h``), and the compiler's hooks into it."""
_MATH = _words(
    """
    acosh? asinh? atanh? atan2 cbrt ceil copysign cosh? erfc? exp exp10 exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb
    j[01n] ldexp lgamma(?:_r)? llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter pow remainder remquo
    rint round roundeven scalbl?n sin sincos sinh sqrt tanh? tgamma trunc y[01n]
    """
)
"""Functions of the C library, with an `f` behind for float: CUDA has the same for device code (CUDA Math API 13.0)."""
_HELPERS = _words(
    """
    __(?:u?div|u?mod|u?divmod|mul|popcount|clz|ctz|ffs|parity|powi|neg|bswap|ashl|ashr|lshr|u?cmp|fix|fixuns|float|floatun|extend|trunc)[a-z]*
    """
)
"""Functions of the compiler's own library, ended by the types' letters: ``__popcountdi2``, ``__extendhfsf2``."""
_LANGUAGE = _words(
    """
    memcpy memmove memset memcmp bcmp memchr strlen printf vprintf malloc free fegetround fesetround _Zn[aw]m(?:\\w*) _Zd[al]Pv\\w*
    __cxa_(?:pure|deleted)_virtual __cxa_begin_catch __cxa_end_catch __cxa_call_unexpected _ZSt9terminatev _ZSt\\d+__throw_\\w+
    _ZSt21__glibcxx_assert_fail\\w* _ZTVN10__cxxabiv1\\w+ _Unwind_Resume __gxx_personality_v0 _GLOBAL_OFFSET_TABLE_
    """
)
"""What CUDA's device code may call, and what g++ calls for the language itself: memory, the heap, virtual functions, failed checks."""
_ALLOWED = re.compile(rf"{_CORE}|(?:{_MATH})f?|(?:{_HELPERS})[hsdtx][ifc]\d?|{_LANGUAGE}")
_SYSTEM_CALLS = (b"\x0f\x05", b"\xcd\x80", b"\x0f\x34")
"""``syscall``, ``int 0x80`` and ``sysenter`` (Intel SDM, volume 2)."""


class ForeignCall(Record):
    """One place in device code."""

    file: int
    """Which of the object files."""
    section: str
    offset: int
    """In that section."""
    name: str
    """Mangled name of what is referred to; of the function itself for a system call."""
    kind: Literal["host", "library", "system call"]


class _Code(Record):
    """One section of a file."""

    file: int
    section: int


def foreign_calls(files: Sequence[ObjectFile]) -> tuple[ForeignCall, ...]:
    """Everything that kernels of the program reach and that is no device code, one place for each name. A possible system call is one
    that only its bytes look like: the caller has the code disassembled before it reports one."""
    defined = {s.name: code for n, file in enumerate(files) for s in file.symbols if s.name and (code := _code_of(n, s)) is not None}
    of_host = {code: name for n, file in enumerate(files) for code, name in _host_code(n, file)}
    kernels = (_Code(n, i) for n, file in enumerate(files) for i, s in enumerate(file.sections) if s.name.startswith(_KERNELS))
    waiting = [code for code in kernels if code not in of_host]
    reached = set(waiting)
    found: dict[str, ForeignCall] = {}
    while waiting:
        code = waiting.pop()
        file = files[code.file]
        section = file.sections[code.section]
        if section.is_code and any(pattern in file.contents(code.section) for pattern in _SYSTEM_CALLS):
            found.setdefault(section.name, ForeignCall(code.file, section.name, 0, section.name, "system call"))
        for reference in file.references.get(code.section, ()):
            symbol = file.symbols[reference.symbol]
            target = _code_of(code.file, symbol) or defined.get(symbol.name)
            if target is None and symbol.section == UNDEFINED and not is_of_device(symbol.name):
                found.setdefault(symbol.name, ForeignCall(code.file, section.name, reference.offset, symbol.name, "library"))
            elif target is not None and target in of_host:
                name = symbol.name or _local_name(file, reference, target) or of_host[target]
                found.setdefault(name, ForeignCall(code.file, section.name, reference.offset, name, "host"))
            elif target is not None and target not in reached:
                reached.add(target)
                waiting.append(target)
    return tuple(found.values())


def is_of_device(symbol: str) -> bool:
    """Whether device code may refer to this symbol, which the program itself does not define."""
    return _ALLOWED.fullmatch(symbol) is not None


def replaced_functions(files: Sequence[ObjectFile], needed: frozenset[str]) -> tuple[str, ...]:
    """Functions of the program, but for its host code, that take the place of what the emulator's core needs of the C library."""
    return tuple(
        symbol.name
        for file in files
        for symbol in file.symbols
        if symbol.name in needed and symbol.is_function and not symbol.is_local and symbol.section and symbol.visibility != _PROTECTED
    )


def needed_functions(runtime: Sequence[ObjectFile]) -> frozenset[str]:
    """C functions that the core takes from libraries."""
    symbols = [symbol for file in runtime for symbol in file.symbols if not symbol.is_local and not symbol.name.startswith("_Z")]
    defined = {symbol.name for symbol in symbols if symbol.section != UNDEFINED}
    return frozenset(symbol.name for symbol in symbols if symbol.section == UNDEFINED) - defined


def _code_of(number: int, symbol: Symbol) -> _Code | None:
    """Where it is defined; None where that is in another file, or nowhere."""
    return None if symbol.section is None or symbol.section == UNDEFINED else _Code(number, symbol.section)


def _host_code(number: int, file: ObjectFile) -> list[tuple[_Code, str]]:
    """Sections with a host function of the user's, and its name."""
    marked = [
        (code, symbol.name)
        for symbol in file.symbols
        if symbol.visibility == _PROTECTED and symbol.is_function and (code := _code_of(number, symbol)) is not None
    ]
    local = (index for index, section in enumerate(file.sections) if section.name.startswith(_HOST_FUNCTIONS))
    return [*marked, *((_Code(number, index), "") for index in local)]


def _local_name(file: ObjectFile, reference: Reference, target: _Code) -> str:
    """The function that a section and an offset mean."""
    places = (reference.addend, reference.addend + 4)
    names = (s.name for s in file.symbols if s.section == target.section and s.is_function and s.offset in places)
    return next(names, "")
