"""The program that an extension becomes on the emulator: its own texts, then a ``main`` that calls its functions one after another.

Example::

    text = extension_text(Extension("add", ("torch::Tensor add(torch::Tensor a);", cuda), ("add",)), main_text)
    text.place(41, candidate_text)      # the line of the candidate's file that line 41 comes from
"""

from __future__ import annotations

import re
from dataclasses import replace

from assistant.operators.aten_text import declarations
from assistant.operators.host_access import HostAccess, host_accesses
from assistant.record import Record

__all__ = ["Extension", "ExtensionText", "extension_text"]

_OF_PYTORCH = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"](?:torch|ATen|c10|pybind11)/[^>\"\n]*[>\"]", re.MULTILINE)
"""Headers in whose place the emulator has one of its own."""
_OF_CUDA = frozenset({
    "cospi", "erfcinv", "erfcx", "erfinv", "max", "min", "norm", "norm3d", "norm4d", "normcdf", "normcdfinv", "rcbrt", "rhypot", "rnorm",
    "rsqrt", "sincos", "sincospi", "sinpi",
})  # fmt: skip
"""Functions that CUDA's headers declare and a host compiler's do not (CUDA Math API): PyTorch binds an extension's own of that name."""
_HEAD = '#include "kernelopt/torch.h"\n'


class Extension(Record):
    """What ``load_inline`` was given."""

    name: str
    texts: tuple[str, ...]
    """C++ first, then CUDA."""
    functions: tuple[str, ...]
    """Those that Python may call; those of a ``PYBIND11_MODULE`` in the texts come on top."""
    schemas: tuple[str, ...] = ()
    """Of functions of PyTorch that the texts may call."""


class ExtensionText(Record):
    """One translation unit."""

    text: str
    parts: tuple[tuple[int, str], ...]
    """The extension's own texts, each with the line that it begins at."""
    host_accesses: tuple[HostAccess, ...]
    """At lines of the unit."""

    def place(self, line: int, candidate: str) -> int | None:
        """The line of the candidate's file; None where it is not the extension's own, or not written there as it was compiled."""
        for first, part in reversed(self.parts):
            if line >= first:
                offset = candidate.find(part)
                inside = line - first
                if offset < 0 or inside > part.count("\n"):
                    return None
                return candidate.count("\n", 0, offset) + 1 + inside
        return None


def extension_text(extension: Extension, main: str) -> ExtensionText:
    """The unit; ``main``: the text that calls the functions."""
    declared = declarations(extension.schemas)
    text = f"#define KERNELOPT_METHODS {declared.methods}\n{_HEAD}namespace at {{\n{declared.functions}\n}}\n"
    parts = list[tuple[int, str]]()
    for part in extension.texts:
        parts.append((text.count("\n") + 1, part))
        text += f"{_OF_PYTORCH.sub('', part)}\n"
    for number, function in enumerate(extension.functions):
        text += f'static const bool kernelopt_offered_{number} = kernelopt::offer("{function}", {_address(function, extension.texts)});\n'
    found = [(first, access) for first, part in parts for access in host_accesses(part, extension.functions)]
    accesses = tuple(replace(access, line=first + access.line - 1) for first, access in found)
    return ExtensionText(f"{text}{main}", tuple(parts), accesses)


def _address(function: str, texts: tuple[str, ...]) -> str:
    """Of the extension's own function, where CUDA has one of the same name."""
    if function in _OF_CUDA:
        for text in texts:
            found = re.search(rf"^[ \t]*([\w:<>,&* ]+?[\s&*]){function}\s*\(([^()={{}};]*)\)\s*[;{{]", text, re.MULTILINE)
            if found is not None and found[1].split()[0] != "return":
                return f"static_cast<{found[1].strip()} (*)({' '.join(found[2].split())})>(&{function})"
    return f"&{function}"
