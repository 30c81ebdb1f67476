"""A program without its host code, for a lab that cannot build that: kernels are replayed by name and need none of it.

Example::

    without_host_code(program)      # the same lines, with `main` and host functions blank; None where nothing goes
"""

from __future__ import annotations

import re
from dataclasses import replace

from assistant.build.blank import blank_spans, host_spans
from assistant.cuda.functions import functions
from assistant.cuda.parse import parse
from assistant.cuda.syntax import SyntaxTree
from assistant.model.source import Source, Span
from assistant.ports.lab import Program

__all__ = ["device_part", "without_host_code"]

_LIBRARY = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*"
    r'[<"](?:(?:thrust|torch|ATen|c10|pybind11)/[^>"\n]+|(?:cublas|cufft|cusparse|cusolver|cudnn|nccl|curand)\w*\.h)[>"][^\n]*$',
    re.MULTILINE,
)
"""Include lines of libraries that host code calls."""


def without_host_code(program: Program) -> Program | None:
    """Lines and columns stay. None where no source has host code."""
    sources = tuple(map(device_part, program.sources))
    return None if sources == program.sources else replace(program, sources=sources)


def device_part(source: Source) -> Source:
    """The source with everything blank that only host code needs."""
    parsed = parse(source)
    spans = tuple(function.span for function in functions(SyntaxTree(source.text)))
    libraries = (Span(match.start(), match.end()) for match in _LIBRARY.finditer(source.text))
    return replace(source, text=blank_spans(source.text, (*libraries, *host_spans(parsed, spans))))
