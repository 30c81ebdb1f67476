"""Kernels whose names a macro of the text pastes together: they are compiled and run, and have no text of their own to look at.

Example::

    pasted_kernels("#define MAKE(NAME) __global__ void NAME##_kernel(float *x) {}\\nMAKE(add)")   # (PastedKernel("add_kernel", "MAKE", 2),)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.code_text import uncommented
from assistant.cuda.directives import Macro, directives_in, macros_in
from assistant.cuda.reading import matching_close, split_arguments
from assistant.record import Record

__all__ = ["PastedKernel", "pasted_kernels"]

_KERNEL_NAME = re.compile(r"__global__[^;{}()]*?(?:__launch_bounds__\s*\([^()]*\)[^;{}()]*?)?(?P<name>\w+(?:\s*##\s*\w+)+)\s*\(")


class PastedKernel(Record):
    name: str
    macro: str
    line: int
    """Line of the macro's use."""


def pasted_kernels(text: str) -> tuple[PastedKernel, ...]:
    """In order of their names' first making; those of macros that other macros use are not followed."""
    macros = [macro for macro in macros_in(text) if macro.parameters and macro.is_pasting and "__global__" in macro.body]
    if not macros:
        return ()
    code = _without_directives(text)
    found = (kernel for macro in macros for kernel in _made_by(macro, code))
    return tuple(sorted({kernel.name: kernel for kernel in found}.values(), key=lambda kernel: kernel.line))


def _made_by(macro: Macro, code: str) -> Iterator[PastedKernel]:
    for use in re.finditer(rf"\b{re.escape(macro.name)}\s*\(", code[: macro.end]):
        close = matching_close(code, use.end() - 1)
        if use.start() < macro.start or close is None:
            continue
        values = dict(zip(macro.parameters, split_arguments(code[use.end() : close]), strict=False))
        for made in _KERNEL_NAME.finditer(macro.body):
            name = "".join(values.get(part.strip(), part.strip()) for part in made["name"].split("##"))
            if name.isidentifier():
                yield PastedKernel(name, macro.name, code.count("\n", 0, use.start()) + 1)


def _without_directives(text: str) -> str:
    """The code with each directive blanked; offsets stay."""
    code = uncommented(text)
    for directive in directives_in(text):
        blank = re.sub(r"[^\n]", " ", code[directive.start : directive.end])
        code = code[: directive.start] + blank + code[directive.end :]
    return code
