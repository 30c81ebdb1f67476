"""The action language: an answer names one technique with its number, or none, and ends with ``stop``. Pure.

The edits are written as a model writes them: nothing here checks that one is right for a kernel, only that the kernel has what it
changes. Whether the result is right is the judge's to say. Example::

    parsed("window-tile 3 stop")                    # Edit("window-tile", 3)
    edited(TASKS["window-3-affine"].kernel, _)       # the kernel with a tile in shared memory
    parsed("window-tile stop")                      # None: it needs a number
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["ANSWERS", "NUMBERS", "STOP", "TECHNIQUES", "Edit", "edited", "parsed", "possible_edits"]

STOP = "stop"
NUMBERS = (2, 3, 4)


@dataclass(frozen=True)
class Edit:
    technique: str | None
    """None: the kernel stays as it is."""
    number: int | None = None


def parsed(answer: str) -> Edit | None:
    """None for an answer that is not of the language."""
    match answer.split():
        case [word] if word == STOP:
            return Edit(None)
        case [name, word] if word == STOP and name in TECHNIQUES and not TECHNIQUES[name].takes_number:
            return Edit(name)
        case [name, number, word] if word == STOP and name in TECHNIQUES and TECHNIQUES[name].takes_number and number in _NUMBER_WORDS:
            return Edit(name, int(number))
    return None


def edited(kernel: str, edit: Edit) -> str:
    """The same text where the kernel has nothing that the technique changes."""
    return kernel if edit.technique is None else TECHNIQUES[edit.technique].write(kernel, edit.number or 0)


def possible_edits(kernel: str) -> list[str]:
    """Answers that change the kernel's text, rightly or not."""
    return [answer for answer in ANSWERS if (edit := parsed(answer)) is not None and edited(kernel, edit) != kernel]


def _interchanged(kernel: str, _: int) -> str:
    return kernel.replace("threadIdx.x * gridDim.x + blockIdx.x", "blockIdx.x * blockDim.x + threadIdx.x")


def _in_register(kernel: str, _: int) -> str:
    """A sum that is kept in global memory is kept in a register."""
    pattern = r"    y\[i\] = 0;\n(    for .*) y\[i\] \+= (.*);\n"
    return re.sub(pattern, r"    float sum = 0;\n\1 sum += \2;\n    y[i] = sum;\n", kernel)


def _in_float(kernel: str, _: int) -> str:
    return re.sub(r"(\d\.\d+)(?![\df])", r"\1f", kernel)


def _unrolled(kernel: str, _: int) -> str:
    """Two turns in one, without what is left over where their number is odd."""

    def loop(match: re.Match[str]) -> str:
        name, condition, statement = match.groups()
        again = re.sub(rf"\b{name}\b", f"({name} + 1)", statement)
        return f"for (int {name} = 0; {name} {condition}; {name} += 2) {{ {statement} {again} }}\n"

    return re.sub(r"for \(int (\w) = 0; \1 (<=? \d+); \1\+\+\) (.*;)\n", loop, kernel)


def _in_tile(kernel: str, margin: int) -> str:
    """Reads a block's elements and ``margin`` more into shared memory once, and adds up from there."""
    tile = f"""\
    __shared__ float tile[128 + {margin}];
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n + {margin}) tile[threadIdx.x] = x[i];
    if (threadIdx.x < {margin} && i + 128 < n + {margin}) tile[threadIdx.x + 128] = x[i + 128];
    __syncthreads();
    if (i >= n) return;
    float sum = 0;
    for (int d = 0; d <= {margin}; d++) sum += tile[threadIdx.x + d];
"""
    return re.sub(r"    int i = .*\n    if .*\n    float sum = 0;\n    for .* sum \+= x\[i \+ d\];\n", lambda _: tile, kernel)


@dataclass(frozen=True)
class _Technique:
    write: Callable[[str, int], str]
    takes_number: bool = False


TECHNIQUES = {
    "coalescing-interchange": _Technique(_interchanged),
    "scalar-replacement": _Technique(_in_register),
    "float-literals": _Technique(_in_float),
    "loop-unrolling": _Technique(_unrolled),
    "window-tile": _Technique(_in_tile, takes_number=True),
}
"""In the names of kernelopt's catalogue."""
_NUMBER_WORDS = tuple(map(str, NUMBERS))
ANSWERS = (
    STOP,
    *(f"{name} {STOP}" for name, technique in TECHNIQUES.items() if not technique.takes_number),
    *(f"{name} {number} {STOP}" for name, technique in TECHNIQUES.items() if technique.takes_number for number in NUMBERS),
)
"""All there are."""
