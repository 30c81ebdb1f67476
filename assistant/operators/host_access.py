"""Where an extension's host code reads or writes a tensor's memory itself: on a GPU that is the device's, and the program ends there.

Tensors are in the emulator's memory here, where such code would compute in the place of kernels and look right. Read from the text: what a
function got from ``data_ptr``, or was given as a launcher's pointer, and then indexes, follows, or hands to a function like ``memcpy``.
Example::

    host_accesses("void f(at::Tensor y) { float* p = y.data_ptr<float>(); p[0] = 1; }", ())      # (HostAccess(1, "p"),)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.code_text import blanked
from assistant.cuda.functions import functions
from assistant.cuda.recovery import recover
from assistant.record import Record

__all__ = ["HostAccess", "host_accesses"]

_POINTER = r"\b(?:(?:mutable_|const_)?data_ptr\s*(?:<[^;()]*>)?|data\s*<[^;()]*>)\s*\(\s*\)"
_TAKEN = re.compile(rf"\b(\w+)\s*=(?!=)\s*[^;=]*?(\w*)\s*(?:\.|->)\s*{_POINTER}\s*\)?\s*(?=[;,])")
"""The pointer, and the tensor whose memory it leads to."""
_OF_HOST = re.compile(r"\b(\w+)\s*=(?!=)\s*(?:\w+::)*(?:empty|zeros|ones|full|arange)\s*\([^;]*\bkCPU\b")
"""Tensors that are made on the host. What is moved there from elsewhere is none: here it may be the same memory."""
_AT_ONCE = re.compile(rf"{_POINTER}\s*\[")
_FUNCTIONS = r"(?:memcpy|memmove|memset|memcmp|copy|copy_n|fill|fill_n|transform|accumulate|reduce|for_each|generate|sort|iota)"
"""Of the C and C++ libraries: they work on what they are given at once, on the host."""


class HostAccess(Record):
    """One place."""

    line: int
    """Of the extension's text."""
    name: str
    """The pointer."""


def host_accesses(text: str, launchers: tuple[str, ...]) -> tuple[HostAccess, ...]:
    """In the order of the text. ``launchers``: functions that are called from outside, whose pointers lead to tensors."""
    return tuple(sorted(dict.fromkeys(_found(text, launchers)), key=lambda each: each.line))


def _found(text: str, launchers: tuple[str, ...]) -> Iterator[HostAccess]:
    code = blanked(text)
    for tree in recover(text).trees:
        for function in functions(tree):
            if function.is_kernel or function.is_device:
                continue
            start, end = function.span.start, function.span.end
            body = code[start:end]
            of_host = set(_OF_HOST.findall(body))
            names = {pointer for pointer, tensor in _TAKEN.findall(body) if tensor not in of_host}
            if function.name in launchers:
                names |= {parameter.name for parameter in function.parameters if parameter.is_pointer and parameter.name}
            for name in names:
                for found in _used(name).finditer(body):
                    yield HostAccess(code.count("\n", 0, start + found.end()) + 1, name)
            for found in _AT_ONCE.finditer(body):
                yield HostAccess(code.count("\n", 0, start + found.start()) + 1, "data_ptr")


def _used(name: str) -> re.Pattern[str]:
    """Indexed, followed, or given to a function that follows it. A declaration (``float *p = …``) is no use."""
    followed = rf"(?:[;{{}}(=+\-/<!&|?:]|\breturn)\s*\*\s*{name}\b"
    return re.compile(rf"\b{name}\s*\[|{followed}|\b{_FUNCTIONS}\s*\([^;{{}}]*\b{name}\b")
