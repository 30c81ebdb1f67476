"""The text that is judged in a kernel's place, where the other kernel has a name of its own. Pure.

Verdicts are about one kernel before and after an edit. Who compares ``naive`` with ``tiled`` means the second in the first's place, whether
both stand in one text or in two. Example::

    text_in_place(naive, tiled).text      # tiled's text, where it is called naive; naive's own definition is gone from it
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.cuda.tokens import words_in_code
from assistant.errors import UsageError
from assistant.model.source import Kernel, ParsedSource, Source, Span, TextEdit
from assistant.record import Record
from assistant.workload.signature import Signature

__all__ = ["NamedKernel", "text_in_place", "without_other_kernels"]

_REMEDY = "compare two kernels that can be launched with the same arguments"


class NamedKernel(Record):
    """One kernel of a text, and which instance of it is meant."""

    parsed: ParsedSource
    kernel: Kernel
    signature: Signature

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(" ".join(parameter.type.split()) for parameter in self.signature.parameters)


def text_in_place(a: NamedKernel, b: NamedKernel) -> str:
    """``b``'s text with ``b`` under the name of ``a``, lines kept. Raises UsageError where it cannot stand there."""
    if _bare(a.types) != _bare(b.types):
        message = f"{_words(b)} cannot be launched as {_words(a)} is"
        raise UsageError(f"compare: {message}", _REMEDY)
    if a.kernel.qualified_name == b.kernel.qualified_name:
        if a.signature.instance != b.signature.instance:
            message = f"{a.signature.instance} and {b.signature.instance} are instances of one template"
            raise UsageError(f"compare: {message}", "give the second one a name of its own, without template parameters")
        return b.parsed.source.text
    if a.kernel.template_parameters or b.kernel.template_parameters or a.kernel.namespaces != b.kernel.namespaces or b.kernel.macro:
        message = f"{b.signature.instance} cannot stand under the name of {a.signature.instance}"
        raise UsageError(f"compare: {message}", f"put the second version into a text of its own, as {a.kernel.name}")
    return _renamed(b, a.kernel)


def without_other_kernels(text: str, name: str) -> str:
    """The text with lines kept, without kernels that neither the one of that name nor anything else left mentions: they need no build."""
    kernels = parse(Source(Path("k.cu"), text)).kernels
    kept = [kernel for kernel in kernels if kernel.macro or kernel.qualified_name == name]
    others = [kernel for kernel in kernels if kernel not in kept] if kept else []
    while True:
        left = _blanked(text, others)
        words = words_in_code(left)
        mentioned = [kernel for kernel in others if kernel.name in words]
        if not mentioned:
            return left
        others = [kernel for kernel in others if kernel not in mentioned]


def _blanked(text: str, kernels: Sequence[Kernel]) -> str:
    spans = [kernel.span for kernel in kernels]
    made = apply_edits(text, tuple(TextEdit(span, "\n" * text.count("\n", span.start, span.end)) for span in spans))
    return made if isinstance(made, str) else text


def _renamed(b: NamedKernel, a: Kernel) -> str:
    """A copy of ``b`` keeps its own name, behind it, for whatever else of the text launches it."""
    text, name, whole = b.parsed.source.text, b.kernel.name_span, b.kernel.span
    edits = [TextEdit(name, a.name), TextEdit(Span(whole.end, whole.end), f"\n{text[whole.start : whole.end]}")]
    for other in b.parsed.kernels:
        if other.qualified_name == a.qualified_name:
            edits.append(TextEdit(other.span, "\n" * text.count("\n", other.span.start, other.span.end)))
    made = apply_edits(text, tuple(sorted(edits, key=lambda edit: edit.span.start)))
    assert isinstance(made, str), made
    return made


def _bare(types: tuple[str, ...]) -> tuple[str, ...]:
    """Without what changes nothing in a launch: const, __restrict__, volatile."""
    left_out = {"const", "__restrict__", "__restrict", "volatile"}
    return tuple("".join(word for word in kind.replace("*", " * ").split() if word not in left_out) for kind in types)


def _words(of: NamedKernel) -> str:
    return f"{of.signature.instance}({', '.join(of.types)})"
