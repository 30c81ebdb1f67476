"""A program without its host code, for a lab that cannot build that: kernels are replayed by name and need none of it.

Example::

    without_host_code(program)      # the same lines, with `main` and host functions blank; None where nothing goes
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assistant.build.blank import blank_spans, host_spans
from assistant.build.includes import with_headers
from assistant.cuda.functions import functions
from assistant.cuda.parse import parse
from assistant.cuda.syntax import SyntaxTree
from assistant.model.source import Source, Span
from assistant.ports.lab import Program

__all__ = ["device_part", "without_host_code"]

_LIBRARY = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*"
    r'[<"](?:(?:thrust|torch|ATen|c10|pybind11)/[^>"\n]+|(?:cublas|cufft|cusparse|cusolver|cudnn|nccl)\w*\.h|curand\.h)[>"][^\n]*$',
    re.MULTILINE,
)
"""Include lines of libraries that host code calls."""
_PYTORCH = re.compile(r"\b(?:torch|at|c10|pybind11|py)::|\b(?:TORCH_LIBRARY\w*|PYBIND11_MODULE)\b|<torch/|<ATen/|<c10/")
_PYTORCH_HEADER = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"](?:torch|ATen|c10)/[^\n]*$", re.MULTILINE)
_STANDARD = "#include <string>"
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*\n?", re.MULTILINE)
_END = re.compile(r"[;{]")
_BRACE = re.compile(r"[{}]")
_MACRO = re.compile(r"\bC10_(?:HOST_DEVICE|DEVICE)\b|\bC10_LAUNCH_BOUNDS_[0-9]\([^()]*\)")
"""Macros of PyTorch's headers on device functions and kernels."""
_CUDA_UNIT = ".cu"
_DEVICE = "__device__"
_DEVICE_WORDS = ("__global__", "__device__", "__constant__")


def without_host_code(program: Program) -> Program | None:
    """Lines and columns stay. None where no source has host code.

    Of a PyTorch extension also the headers are cut down, and units without device code (bindings) are left out.
    """
    sources = tuple(map(device_part, program.sources))
    if program.is_extension:
        sources = (sources[0], *(source for source in sources[1:] if _is_compiled(source)), *_headers(program))
        originals = {source.path: source.text for source in program.sources}
        sources = tuple(_with_standard_header(source, originals.get(source.path)) for source in sources)
    return None if sources == program.sources else replace(program, sources=sources)


def device_part(source: Source) -> Source:
    """The source with everything blank that only host code needs."""
    source = replace(source, text=_MACRO.sub(_without_macro, source.text))
    parsed = parse(source)
    spans = tuple(function.span for function in functions(SyntaxTree(source.text)))
    libraries = (Span(match.start(), match.end()) for match in _LIBRARY.finditer(source.text))
    text = blank_spans(source.text, (*libraries, *host_spans(parsed, spans)))
    return replace(source, text=blank_spans(text, tuple(_of_pytorch(text, spans))))


def _headers(program: Program) -> Iterator[Source]:
    """Those of the program's own that name PyTorch, without it."""
    known = {source.path for source in program.sources}
    texts = with_headers(((str(source.path), source.text) for source in program.sources), program.flags.arguments)
    for path, text in ((Path(name), text) for name, text in texts.items()):
        if path not in known and _PYTORCH.search(text):
            yield _with_standard_header(device_part(Source(path, text)), text)


def _with_standard_header(source: Source, original: str | None) -> Source:
    """With a header of the standard library in the place of the first one of PyTorch, which brings integer types and strings with it."""
    removed = None if original is None else _PYTORCH_HEADER.search(original)
    if original is None or removed is None or len(original) != len(source.text) or removed.end() - removed.start() < len(_STANDARD):
        return source
    text = source.text
    return replace(source, text=f"{text[: removed.start()]}{_STANDARD}{text[removed.start() + len(_STANDARD) :]}")


def _is_compiled(source: Source) -> bool:
    """Whether it has device code, or may include some."""
    return source.path.suffix == _CUDA_UNIT or any(word in source.text for word in _DEVICE_WORDS)


def _without_macro(match: re.Match[str]) -> str:
    """As long as it was; what says how many registers a kernel may take does not matter to an emulator."""
    return " " * len(match[0]) if "BOUNDS" in match[0] else _DEVICE.ljust(len(match[0]))


def _of_pytorch(text: str, functions: tuple[Span, ...]) -> Iterator[Span]:
    """What names PyTorch: declarations and blocks that declare host functions and bind them to Python, kernels of its tensor types."""
    directives = [match.span() for match in _DIRECTIVE.finditer(text)]
    for match in _PYTORCH.finditer(text):
        place = match.start()
        if any(start <= place < end for start, end in directives):  # a macro's lines too: without one of them it is no macro
            continue
        function = next((span for span in functions if span.start <= place < span.end), None)
        begun = place if function is None else function.start
        first = max(text.rfind(mark, 0, begun) for mark in ";{}") + 1
        first = max(first, *(line.end() for line in _DIRECTIVE.finditer(text, first, begun)), first)
        if function is not None:
            yield Span(first, function.end)
            continue
        end = _END.search(text, match.end())
        if end is not None:
            yield Span(first, end.end() if end[0] == ";" else _closed(text, end.start()))


def _closed(text: str, opened: int) -> int:
    """Behind the brace that closes the one at ``opened``; the end of the text where none does."""
    depth = 0
    for match in _BRACE.finditer(text, opened):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    return len(text)
