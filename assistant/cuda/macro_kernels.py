"""Kernels whose name, or whole text, a macro of the file makes: they are known by what the macro expands to, at the line of its use.

Example::

    text = "#define MAKE(NAME) __global__ void NAME##_kernel(float *x) {}\\nMAKE(add)"
    with_macro_kernels(parse_alone(Source(path, text)), parse_alone).kernels[0].name      # 'add_kernel'
    spelled_out("KERNEL(sum)", "#define KERNEL(x) x##_kernel\\n…")                         # 'sum_kernel'
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from assistant.cuda.code_text import uncommented
from assistant.cuda.directives import directives_in
from assistant.cuda.macro_expansion import MacroTable, expanded, macro_table
from assistant.cuda.reading import matching_close
from assistant.model.source import Kernel, ParsedSource, Source, Span
from assistant.record import Record

__all__ = ["spelled_out", "with_macro_kernels"]

_KERNEL = "__global__"


def spelled_out(name: str, text: str) -> str:
    """A function's name as its parser sees it, with the macro that makes it expanded; as it was where that gives no name."""
    found = expanded(name, macro_table(text)).strip() if "(" in name else name
    return found if found.isidentifier() else name


def with_macro_kernels(parsed: ParsedSource, parse: Callable[[Source], ParsedSource]) -> ParsedSource:
    """With the kernels that stand in macros; ``parse`` reads a text without looking for these."""
    text = parsed.source.text
    uses = tuple(_uses(text))
    if not uses:
        return parsed
    read = parse(replace(parsed.source, text=_expanded_text(text, uses)))
    made = (placed for kernel in read.kernels if (placed := _placed(kernel, parsed.source, uses)) is not None)
    return replace(parsed, kernels=tuple(sorted((*parsed.kernels, *made), key=lambda kernel: (kernel.line, kernel.span))))


class _Use(Record):
    macro: str
    start: int
    opening: int
    """Of the arguments: offset of ``(``."""
    end: int
    expansion: str


def _uses(text: str) -> Iterator[_Use]:
    """Of macros that hold a kernel, themselves or through others, outside directives."""
    if _KERNEL not in text or "define" not in text:
        return
    macros = macro_table(text)
    names = _with_kernels(macros)
    if not names:
        return
    code, end = _without_directives(text), 0
    for use in re.finditer(rf"\b({'|'.join(map(re.escape, sorted(names)))})\s*\(", code):
        close = matching_close(code, use.end() - 1)
        if close is None or use.start() < end or not macros[use[1]].start < use.start() < macros[use[1]].end:
            continue
        end = close + 1
        expansion = expanded(code[use.start() : end], macros)
        if _KERNEL in expansion:
            yield _Use(use[1], use.start(), use.end() - 1, end, expansion)


def _with_kernels(macros: MacroTable) -> frozenset[str]:
    """Function-like macros whose bodies have a kernel's name and body, or use one that has."""
    found = {name for name, macro in macros.items() if _KERNEL in macro.body and "{" in macro.body}
    for _ in range(len(macros)):
        users = {name for name, macro in macros.items() if name not in found and found.intersection(re.findall(r"\w+", macro.body))}
        if not users:
            break
        found |= users
    return frozenset(name for name in found if macros[name].parameters)


def _expanded_text(text: str, uses: Sequence[_Use]) -> str:
    parts: list[str] = []
    at = 0
    for use in uses:
        parts += [text[at : use.start], use.expansion]
        at = use.end
    return "".join((*parts, text[at:]))


def _placed(kernel: Kernel, source: Source, uses: Sequence[_Use]) -> Kernel | None:
    """The kernel at the macro's use that makes it; None for a kernel that stands in the text itself."""
    starts, shift = list[int](), 0
    for use in uses:
        starts.append(use.start + shift)
        shift += len(use.expansion) - (use.end - use.start)
    at = bisect_right(starts, kernel.name_span.start) - 1
    if at < 0 or kernel.name_span.start >= starts[at] + len(uses[at].expansion):
        return None
    use = uses[at]
    end = Span(use.end - 1, use.end)
    return replace(
        kernel,
        parameters=tuple(replace(parameter, span=end) for parameter in kernel.parameters),
        span=Span(use.start, use.end),
        name_span=Span(use.start, use.start + len(use.macro)),
        parameters_span=Span(use.opening, use.end),
        body=end,
        line=source.line_of(use.start),
        macro=use.macro,
    )


def _without_directives(text: str) -> str:
    """The code with each directive blanked; offsets stay."""
    code = uncommented(text)
    for directive in directives_in(text):
        blank = re.sub(r"[^\n]", " ", code[directive.start : directive.end])
        code = code[: directive.start] + blank + code[directive.end :]
    return code
