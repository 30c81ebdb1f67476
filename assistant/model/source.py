"""CUDA source text and what a parse finds in it: kernels, parameters, launch sites, edits.

All offsets are 0-based character offsets into ``Source.text``, half open; all lines are 1-based, as compilers print them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assistant.record import Record


class Span(Record, order=True):
    """A half-open range of character offsets."""

    start: int
    end: int

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


class Source(Record):
    """One text that holds CUDA C++."""

    path: Path
    """Absolute path; only a hint of identity, the text is what counts."""
    text: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "surrogateescape")).hexdigest()

    def line_of(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1


class Expression(Record):
    """A piece of source text at a known place."""

    text: str
    span: Span


class Parameter(Record):
    """One parameter of a kernel."""

    name: str
    type: str
    """The type as spelled, without the name and without ``__restrict__`` (``const float *``)."""
    span: Span
    """The whole declarator, qualifiers included."""
    is_pointer: bool
    is_const: bool
    """For a pointer: the pointee is const."""
    is_restrict: bool
    element_type: str | None
    """Pointee type without cv-qualifiers (``float``); None when the parameter is not a pointer."""

    def with_types(self, spell: Callable[[str], str]) -> Parameter:
        """The parameter with what ``spell`` makes of its types."""
        return replace(self, type=spell(self.type), element_type=None if self.element_type is None else spell(self.element_type))


class TemplateParameter(Record):
    """One template parameter of a kernel."""

    name: str
    kind: str
    """``typename`` for a type, else the spelled type of the value (``int``)."""
    default: str | None


class Kernel(Record):
    """One ``__global__`` function definition."""

    name: str
    """Unqualified name."""
    namespaces: tuple[str, ...]
    template_parameters: tuple[TemplateParameter, ...]
    parameters: tuple[Parameter, ...]
    span: Span
    """The whole definition, template head and attributes included."""
    name_span: Span
    parameters_span: Span
    """From ``(`` to ``)``, both included."""
    body: Span
    """From ``{`` to ``}``, both included."""
    line: int
    """Line of the name."""
    launch_bounds: tuple[str, ...]
    """Arguments of ``__launch_bounds__`` as spelled; empty when absent."""
    is_extern_c: bool
    device_functions: tuple[str, ...]
    """Names of ``__device__`` functions of the same source that it calls, directly or through others."""
    is_internal: bool = False
    """``static`` or in an unnamed namespace: another file of the program may have a kernel of the same name."""
    file: str = ""
    """The end of the path of its file, where another file of the program has a kernel of the same name (``first.cu``); else empty."""
    macro: str = ""
    """Whose body holds the kernel's text, which then has the place of the macro's use; empty where the kernel stands in the source."""

    @property
    def qualified_name(self) -> str:
        """``ns::k``; ``first.cu:ns::k`` where another file of the program has one of that name."""
        name = "::".join((*self.namespaces, self.name))
        return f"{self.file}:{name}" if self.file else name

    def has_type_parameter(self, name: str) -> bool:
        return any(p.name == name and p.kind in ("typename", "class") for p in self.template_parameters)

    @property
    def key(self) -> str:
        """Qualified name and parameter types: ``ns::k(float *, int)``, ``first.cu:ns::k(float *, int)``."""
        return f"{self.qualified_name}({', '.join(p.type for p in self.parameters)})"


class DeviceFunction(Record):
    """One ``__device__`` function definition."""

    name: str
    span: Span
    body: Span
    line: int
    calls: tuple[str, ...]


class SourceLoop(Record):
    """One ``for``, ``while`` or ``do`` statement of device code."""

    file: str
    first_line: int
    """Line of the keyword."""
    last_line: int
    condition_line: int
    """Line of the loop's condition; where compilers book its branch."""
    step: int | None
    """Size of the constant step of a ``for`` (``k += 4``: 4); None where it is not a literal."""
    shift: int | None
    """Binary logarithm of a constant factor (``k *= 2``, ``k >>= 1``: 1); None where the loop does not scale its variable."""
    is_unroll_requested: bool
    """``#pragma unroll`` stands before it."""
    has_jump: bool
    """``break``, ``continue``, ``return`` or ``goto`` stands inside, so that threads may leave an iteration early."""


class LaunchSite(Record):
    """One ``kernel<<<grid, block, shared, stream>>>(arguments)`` expression."""

    kernel_name: str
    """As written, without template arguments (``ns::k``)."""
    template_arguments: tuple[str, ...]
    """As written; empty when deduced."""
    grid: Expression
    block: Expression
    shared: Expression | None
    stream: Expression | None
    arguments: tuple[Expression, ...]
    span: Span
    """The whole expression, without the semicolon."""
    line: int
    function: str
    """Name of the enclosing host function; empty at file scope."""
    is_in_loop: bool


class ParseProblem(Record):
    """A place the parser could not read; the rest of the source is still valid."""

    line: int
    span: Span
    message: str


class ParsedSource(Record):
    """Everything a parse found."""

    source: Source
    kernels: tuple[Kernel, ...]
    device_functions: tuple[DeviceFunction, ...]
    launch_sites: tuple[LaunchSite, ...]
    has_main: bool
    problems: tuple[ParseProblem, ...]

    def code_spans_of(self, kernel: Kernel) -> tuple[Span, ...]:
        """Where the kernel and the device functions that it calls stand."""
        return (kernel.span, *(f.span for f in self.device_functions if f.name in kernel.device_functions))

    def launch_sites_of(self, kernel: Kernel) -> tuple[LaunchSite, ...]:
        return tuple(s for s in self.launch_sites if s.kernel_name.split("::")[-1] == kernel.name)


class TextEdit(Record, order=True):
    """Replace ``span`` of the original text by ``new_text``."""

    span: Span
    new_text: str


class Hunk(Record):
    """One run of changed lines that can be applied alone."""

    id: str
    """First 12 hex digits of sha256 over before and after text; survives a rebase."""
    before_line: int
    """First changed line in the old text, 1-based; for a pure insertion the line it comes before."""
    before: tuple[str, ...]
    """Removed lines, line ends kept."""
    after: tuple[str, ...]
    """Inserted lines, line ends kept."""
