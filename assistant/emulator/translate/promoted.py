"""A program's texts with ``float`` computed as ``double``, for another compiler than the emulator's: nothing else of them changes.

Example::

    promoted_texts([{Path("/k.cu"): text}])       # {Path("/k.cu"): "… __global__ void k(double *x) …"}, or Unpromotable
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from assistant.emulator.translate.context import LexedFile, lex_files
from assistant.emulator.translate.edits import Edit, apply_edits
from assistant.emulator.translate.promote import promotion_obstacle, promotion_renames
from assistant.emulator.translate.unit import Unpromotable

__all__ = ["promoted_texts"]

_HALF = re.compile(r"\b(?:__\w*(?:half|bfloat16)\w*|half2?|nv_half2?|nv_bfloat16\w*|cuda_(?:fp16|bf16|fp8)\.h)\b")
_FUNCTIONS = (
    "static __host__ __device__ inline double emu_promoted_divide(double a, double b) { return a / b; } "
    "static __host__ __device__ inline double emu_promoted_saturate(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; } "
    "static __host__ __device__ inline double emu_promoted_same(double x) { return x; }\n"
)
"""What intrinsics of ``float`` become that ``double`` has none for."""


def promoted_texts(units: Iterable[Mapping[Path, str]]) -> dict[Path, str] | Unpromotable:
    """By path. ``units``: the texts of each unit, its own file's first."""
    found: dict[Path, str] = {}
    for texts in units:
        for number, file in enumerate(lex_files(texts)):
            narrow = promotion_obstacle(file.code) or next(iter(_HALF.findall(file.text)), None)
            if narrow is not None:
                return Unpromotable(f"{file.path.name} uses {narrow}, which depends on the bits of a narrower type")
            text = _promoted(file)
            found[file.path] = _FUNCTIONS + text if number == 0 else text
    return found


def _promoted(file: LexedFile) -> str:
    edits: list[Edit] = []
    for stream in (file.code, *(stream for _, stream in file.macros)):
        names = promotion_renames(stream)
        edits += [Edit(token.start, token.end, names[token.start]) for token in stream.tokens if token.start in names]
    return apply_edits(file.text, edits).text
