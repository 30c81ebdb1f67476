"""Headers that an answer may include: those of the CUDA toolkit and of C++ that declare things for device code.

Anything else is refused: an include reads a file, and what a compiler says of it would reach the model. Example::

    header_edits(parsed, ("cuda_fp16.h",))    # (TextEdit(Span(0, 0), "#include <cuda_fp16.h>\\n"),)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from assistant.cuda.files import line_end
from assistant.cuda.includes import included_names
from assistant.model.source import ParsedSource, Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.llm.unusable import Unusable, UnusableAnswer

__all__ = ["HEADERS", "header_edits", "header_labels", "without_includes"]

HEADERS: Mapping[str, tuple[Label, ...]] = MappingProxyType(
    {
        "cooperative_groups.h": (),
        "cooperative_groups/memcpy_async.h": (Label.ARCH_LOCK_IN,),
        "cooperative_groups/reduce.h": (),
        "cooperative_groups/scan.h": (),
        "cuda_bf16.h": (),
        "cuda_fp16.h": (),
        "cuda_pipeline.h": (Label.ARCH_LOCK_IN,),
        "cuda_pipeline_primitives.h": (Label.ARCH_LOCK_IN,),
        "cub/cub.cuh": (Label.LIBRARY_CALL,),
        "mma.h": (Label.ARCH_LOCK_IN,),
        "cfloat": (),
        "climits": (),
        "cstdint": (),
        "float.h": (),
        "limits.h": (),
        "math_constants.h": (),
        "stdint.h": (),
        "type_traits": (),
    }
)
"""Name, and the labels that an edit earns with it. Asynchronous copies and wmma need sm_80 and sm_70 for what they are worth (CUDA C++
Programming Guide 13.0, "Asynchronous Data Copies", "Warp Matrix Functions")."""
_INCLUDE_LINE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"][ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*if", re.MULTILINE)


def without_includes(code: str) -> tuple[str, tuple[str, ...]]:
    """``code`` without its include lines, and the headers that these name."""
    return _INCLUDE_LINE.sub("", code), tuple(match[1] for match in _INCLUDE_LINE.finditer(code))


def header_edits(parsed: ParsedSource, headers: tuple[str, ...]) -> tuple[TextEdit, ...] | UnusableAnswer:
    """Edits that include the headers which the text does not include yet, behind its first includes."""
    text = parsed.source.text
    known = included_names(text)
    wanted = [name.strip(' <>"') for name in headers]
    missing = [name for name in dict.fromkeys(wanted) if name.rsplit("/", 1)[-1] not in known]
    for name in missing:
        if name not in HEADERS:
            return UnusableAnswer(Unusable.HEADER, f"it includes {name[:80]!r}; only these may be added: {', '.join(HEADERS)}")
    if not missing:
        return ()
    newline = line_end(text)
    offset = _behind_includes(text)
    lines = "".join(f"#include <{name}>{newline}" for name in missing)
    return (TextEdit(Span(offset, offset), lines),)


def header_labels(edits: tuple[TextEdit, ...]) -> tuple[Label, ...]:
    """The labels of the headers that ``header_edits`` add."""
    return tuple(label for edit in edits for match in _INCLUDE_LINE.finditer(edit.new_text) for label in HEADERS[match[1]])


def _behind_includes(text: str) -> int:
    """Offset of the line behind the first run of includes, which no condition encloses; 0 where there is none."""
    condition = _CONDITIONAL.search(text)
    end = len(text) if condition is None else condition.start()
    ends = [match.end() for match in _INCLUDE_LINE.finditer(text, 0, end)]
    return ends[-1] if ends else 0
