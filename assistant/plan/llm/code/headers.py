"""Headers that an answer may include: those of the CUDA toolkit, of CCCL, CUTLASS and C++ that code for a GPU and its launches needs.

Anything else is refused: an include reads a file, and what a compiler says of it would reach the model. Example::

    header_edits(parsed, ("cuda_fp16.h",), HeaderRights())    # (TextEdit(Span(0, 0), "#include <cuda_fp16.h>\\n"),)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from assistant.cuda.embedded.cell_launch import without_first_line
from assistant.cuda.files import line_end
from assistant.cuda.live_code import live_code
from assistant.model.source import ParsedSource, Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer
from assistant.record import Record

__all__ = ["HeaderRights", "decided_header_words", "header_edits", "header_labels", "header_words", "without_includes"]


class HeaderRights(Record):
    """Which kinds of headers may be added."""

    may_edit_host: bool = False
    may_call_libraries: bool = False
    cutlass: str | None = None
    """The release of CUTLASS that the program's compilers find; None: none."""
    is_emulated: bool = False
    """Edits are tried without a GPU."""


class _Kind(Record):
    """Headers that are treated alike."""

    pattern: re.Pattern[str]
    words: tuple[str, ...]
    """For the prompt."""
    labels: tuple[Label, ...] = ()
    """What an edit earns that adds one."""
    is_for_host: bool = False
    is_library: bool = False
    is_cutlass: bool = False
    needs_gpu: bool = False
    """The emulator cannot run what it declares."""

    @classmethod
    def named(cls, *names: str, **more: Any) -> _Kind:
        """Headers by their names; ``more``: the other fields."""
        return cls(re.compile("|".join(map(re.escape, names))), names, **more)


_NEWER = (Label.ARCH_LOCK_IN,)
_KINDS = (
    _Kind.named(
        *("cooperative_groups.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h"),
        *(
            "cuda_bf16.h",
            "cuda_fp16.h",
            "cuComplex.h",
            "math_constants.h",
            "vector_types.h",
            "vector_functions.h",
            "device_launch_parameters.h",
            "cuda_runtime.h",
            "cfloat",
            "climits",
            "cmath",
            "cstddef",
            "cstdint",
            "float.h",
            "limits",
            "limits.h",
            "math.h",
            "stdint.h",
            "type_traits",
            "utility",
        ),
    ),
    _Kind.named(
        *("cooperative_groups/memcpy_async.h", "cuda_pipeline.h", "cuda_pipeline_primitives.h", "cuda_fp8.h", "mma.h"),
        labels=_NEWER,
    ),
    _Kind.named(
        *("cuda_awbarrier.h", "cuda_awbarrier_primitives.h", "cuda_fp6.h", "cuda_fp4.h", "cuda.h", "cudaTypedefs.h"),
        *("cuda/pipeline", "cuda/barrier", "cuda/ptx"),
        labels=_NEWER,
        needs_gpu=True,
    ),
    _Kind(re.compile(r"cuda/(?:std/)?\w+"), ("cuda/atomic", "cuda/std/array and the rest of libcu++"), needs_gpu=True),
    _Kind(
        re.compile(r"(?:cub|thrust)/(?:\w+/){0,3}\w+\.(?:cuh|h)"),
        ("cub/cub.cuh and the rest of CUB and Thrust",),
        (Label.LIBRARY_CALL,),
        needs_gpu=True,
    ),
    _Kind(
        re.compile(r"(?:cutlass|cute)/(?:\w+/){0,4}\w+\.(?:hpp|h)"),
        ("cutlass/… and cute/… of CUTLASS {cutlass}",),
        (Label.LIBRARY_CALL, Label.ARCH_LOCK_IN),
        is_cutlass=True,
        needs_gpu=True,
    ),
    _Kind.named(
        *("cuda_runtime_api.h", "cuda_profiler_api.h", "algorithm", "array", "atomic", "cassert", "cstdio", "cstdlib", "cstring"),
        *("functional", "iostream", "map", "memory", "mutex", "numeric", "stdexcept", "stdio.h", "string", "string.h", "tuple"),
        *("unordered_map", "vector"),
        is_for_host=True,
    ),
    _Kind(
        re.compile(r"(?:cublas_v2|cublasLt|cudnn|cufft|curand|curand_kernel|cusolverDn|cusparse|cutensor)\.h"),
        ("cublas_v2.h, cublasLt.h, cufft.h, cusparse.h, cudnn.h and their like",),
        (Label.LIBRARY_CALL,),
        is_library=True,
        needs_gpu=True,
    ),
)
"""Asynchronous copies, fp8 and wmma need sm_80, sm_89 and sm_70 for what they are worth (CUDA C++ Programming Guide 13.0, "Asynchronous
Data Copies", "Warp Matrix Functions"); ``cuda/ptx`` and ``cuda.h`` (tensor maps) are for instructions of one architecture."""
_INCLUDE_LINE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"][ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*if", re.MULTILINE)


def without_includes(code: str) -> tuple[str, tuple[str, ...]]:
    """``code`` without its include lines, and the headers that these name."""
    return _INCLUDE_LINE.sub("", code), tuple(match[1] for match in _INCLUDE_LINE.finditer(code))


def header_words(rights: HeaderRights) -> tuple[str, ...]:
    """What may be included, for the prompt."""
    return tuple(_word(word, rights) for kind in _KINDS if _is_open(kind, rights) for word in kind.words)


def decided_header_words(rights: HeaderRights) -> tuple[str, ...]:
    """Those of them that a person has to decide on, each kind with the labels that it earns."""
    kinds = (kind for kind in _KINDS if kind.labels and _is_open(kind, rights))
    return tuple(f"{_listed(kind.words, rights)} ({', '.join(label.value for label in kind.labels)})" for kind in kinds)


def header_edits(parsed: ParsedSource, headers: Iterable[str], rights: HeaderRights) -> tuple[TextEdit, ...] | UnusableAnswer:
    """Edits that include the headers which the text does not include yet, behind its first includes."""
    text = parsed.source.text
    known = _always_included(text)
    wanted = (name.strip(' <>"') for name in headers)
    missing = [name for name in dict.fromkeys(wanted) if name not in known]
    for name in missing:
        problem = _problem(name, rights)
        if problem is not None:
            return UnusableAnswer(Unusable.HEADER, problem)
    if not missing:
        return ()
    newline = line_end(text)
    offset = _behind_includes(text)
    lines = "".join(f"#include <{name}>{newline}" for name in missing)
    return (TextEdit(Span(offset, offset), lines),)


def header_labels(edits: Iterable[TextEdit]) -> tuple[Label, ...]:
    """The labels of the headers that ``header_edits`` add."""
    added = (match[1] for edit in edits for match in _INCLUDE_LINE.finditer(edit.new_text))
    return tuple(label for name in added if (kind := _kind_of(name)) is not None for label in kind.labels)


def _always_included(text: str) -> frozenset[str]:
    """Names, with and without their folders, of what ``text`` includes under no condition but that it was not read before."""
    live = live_code(text)
    own = {line.rest[0].text for line in live.directives if line.word == "define" and line.rest}
    files = {
        match[1]
        for match in _INCLUDE_LINE.finditer(text)
        if all(condition.forbids in own for condition in live.conditions_at(match.start()))
    }
    return frozenset({*files, *(name.rsplit("/", 1)[-1] for name in files)})


def _problem(name: str, rights: HeaderRights) -> str | None:
    """Why a header is not added."""
    kind = _kind_of(name)
    if kind is None:
        return f"it includes {name[:80]!r}; only these may be added: {', '.join(header_words(rights))}"
    if kind.is_library and not rights.may_call_libraries:
        return f"it includes {name!r}: calls of ready-made libraries are off here (--allow library allows them); write the kernel itself"
    if kind.needs_gpu and rights.is_emulated:
        return f"it includes {name!r}, which cannot be run here, where there is no GPU"
    if kind.is_cutlass and rights.cutlass is None:
        return f"it includes {name!r}: the program's compilers find no CUTLASS (-I of its flags, CPATH); write it without"
    return f"it includes {name!r}, which is for host code, and host code may not be edited here" if not _is_open(kind, rights) else None


def _word(word: str, rights: HeaderRights) -> str:
    return word.replace("{cutlass}", rights.cutlass or "")


def _listed(words: Iterable[str], rights: HeaderRights) -> str:
    """``a.h, b.h or c.h``"""
    *first, last = (_word(word, rights) for word in words)
    return f"{', '.join(first)} or {last}" if first else last


def _kind_of(name: str) -> _Kind | None:
    return next((kind for kind in _KINDS if kind.pattern.fullmatch(name)), None)


def _is_open(kind: _Kind, rights: HeaderRights) -> bool:
    is_unfit = (kind.is_for_host and not rights.may_edit_host) or (kind.is_library and not rights.may_call_libraries)
    cannot_run = kind.needs_gpu and rights.is_emulated
    return not (is_unfit or cannot_run or (kind.is_cutlass and rights.cutlass is None))


def _behind_includes(text: str) -> int:
    """Offset of the line behind the first run of includes, which no condition encloses; where there is none, of the first line of code."""
    condition = _CONDITIONAL.search(text)
    end = len(text) if condition is None else condition.start()
    ends = [match.end() for match in _INCLUDE_LINE.finditer(text, 0, end)]
    return ends[-1] if ends else len(text) - len(without_first_line(text))
