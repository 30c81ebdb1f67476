"""A `.cu` file made fit for NVRTC: host code blanked, lines and columns kept.

NVRTC knows only device code. What is blanked, and which kernel instances the host launches, comes from a parse, handed in as
plain data. Example::

    blank_spans("int main() { } __global__ void k();", (Span(0, 14),))   # '               __global__ void k();'
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.model.source import Kernel, LaunchSite, ParsedSource, Span

__all__ = ["INCLUDE", "blank_spans", "host_includes", "host_spans", "name_expressions"]

_HOST_HEADERS = """
algorithm array cassert cfloat chrono climits cmath complex cstddef cstdint cstdio cstdlib cstring ctime fstream
functional getopt.h iomanip iostream limits map math.h memory numeric omp.h random set sstream stdexcept
stdint.h stdio.h stdlib.h string string.h sys/time.h thread time.h tuple type_traits unistd.h unordered_map
utility vector assert.h float.h limits.h cuda_runtime.h cuda_runtime_api.h cuda.h device_launch_parameters.h
"""
"""Headers that NVRTC either provides itself or that only host code needs; their include lines are blanked."""
_DECIDING = re.compile(
    r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|elifdef|elifndef|else|endif|define|undef)\b(?:\\[ \t]*\r?\n|[^\n])*", re.MULTILINE
)
"""Directives that say what is compiled behind them."""
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")[^\n]*$', re.MULTILINE)
"""The name is the first group in angle brackets, the second in quotes."""


def blank_spans(text: str, spans: tuple[Span, ...]) -> str:
    """``text`` with every character of ``spans`` but line ends turned into a space."""
    pieces: list[str] = []
    at = 0
    for span in sorted(spans):
        if span.end <= at:
            continue
        start = max(span.start, at)
        pieces.append(text[at:start])
        pieces.append(re.sub(r"[^\n]", " ", text[start : span.end]))
        at = span.end
    pieces.append(text[at:])
    return "".join(pieces)


def host_includes(text: str) -> tuple[Span, ...]:
    """Include lines of `_HOST_HEADERS`."""
    return tuple(Span(m.start(), m.end()) for m in INCLUDE.finditer(text) if (m[1] or m[2]) in _HOST_HEADERS.split())


def host_spans(parsed: ParsedSource, functions: tuple[Span, ...]) -> tuple[Span, ...]:
    """The given function definitions that hold no device code: neither a kernel nor a device function of ``parsed``. Macros and
    conditions in them are left out: device code behind them depends on them."""
    device = [k.span for k in parsed.kernels] + [f.span for f in parsed.device_functions]
    text = parsed.source.text
    of_host = (f for f in functions if not any(f.contains(d) or d.contains(f) for d in device))
    return tuple(piece for function in of_host for piece in _without_directives(text, function))


def _without_directives(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    for directive in _DECIDING.finditer(text, span.start, span.end):
        yield Span(start, directive.start())
        start = directive.end()
    yield Span(start, span.end)


def name_expressions(parsed: ParsedSource) -> tuple[str, ...]:
    """What NVRTC must instantiate: each plain kernel, and each template kernel as the launch sites spell it.

    A template kernel launched with deduced arguments only cannot be named here; it is left out, and nvcc has the word.
    """
    found: list[str] = []
    for kernel in parsed.kernels:
        if not kernel.template_parameters:
            found.append(kernel.qualified_name)
        else:
            found.extend(_instances(kernel, parsed.launch_sites_of(kernel)))
    return tuple(dict.fromkeys(found))


def _instances(kernel: Kernel, sites: tuple[LaunchSite, ...]) -> list[str]:
    return [f"{kernel.qualified_name}<{', '.join(site.template_arguments)}>" for site in sites if site.template_arguments]
