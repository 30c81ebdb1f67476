"""Programs whose host code uses libraries of CUDA that this nvcc comes without: their device code is compiled all the same.

Headers of ours name the libraries' types; where host code calls the libraries, it is left out. Example::

    device_alone(with_declarations(request))    # host functions blank, lines kept
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from assistant.build.blank import INCLUDE, blank_spans, host_spans, name_expressions
from assistant.cuda.functions import functions
from assistant.cuda.parse import parse
from assistant.cuda.syntax import SyntaxTree
from assistant.device.protocol import CompileRequest
from assistant.model.source import ParsedSource, Source, Span

__all__ = ["DECLARATIONS", "device_alone", "function_spans", "lacks_library", "with_declarations"]

DECLARATIONS = Path(__file__).with_name("library_headers")
_MISSING_HEADER = re.compile(r"fatal error: ([\w./]+): No such file")
"""As gcc 11 to 15 say it."""
LIBRARY_HEADER = re.compile(r"(?:cublas|cufft|cusparse|cusolver|cudnn|nccl|curand)\w*\.h$")


def lacks_library(log: str) -> bool:
    """Whether a header of a library is missing."""
    missing = [match[1] for match in _MISSING_HEADER.finditer(log)]
    return any((DECLARATIONS / header).is_file() or LIBRARY_HEADER.match(header) for header in missing)


def with_declarations(request: CompileRequest) -> CompileRequest:
    flags = replace(request.flags, arguments=(*request.flags.arguments, f"-isystem={DECLARATIONS}"))
    return replace(request, flags=flags)


def device_alone(request: CompileRequest) -> CompileRequest:
    """Without the sources' host functions, whose launches decide which instances of templates there are."""
    parsed = [parse(Source(Path(path), text)) for path, text in request.sources]
    sources = tuple((str(each.source.path), _device_text(each)) for each in parsed)
    launched = (name for each in parsed[:1] for name in name_expressions(_templates_of(each)))
    return replace(request, sources=sources, kernels=request.kernels or tuple(launched))


def _device_text(parsed: ParsedSource) -> str:
    text = parsed.source.text
    includes = (m for m in INCLUDE.finditer(text) if LIBRARY_HEADER.match(m[1] or m[2]) and not (DECLARATIONS / (m[1] or m[2])).is_file())
    return blank_spans(text, (*(Span(m.start(), m.end()) for m in includes), *host_spans(parsed, function_spans(text))))


def function_spans(text: str) -> tuple[Span, ...]:
    return tuple(function.span for function in functions(SyntaxTree(text)))


def _templates_of(parsed: ParsedSource) -> ParsedSource:
    return replace(parsed, kernels=tuple(kernel for kernel in parsed.kernels if kernel.template_parameters))
