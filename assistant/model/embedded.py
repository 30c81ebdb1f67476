"""CUDA text that stands inside another text: the body of a notebook cell, or a string of a Python program.

The other text is the container. All offsets are 0-based character offsets, half open, as in ``assistant.model.source``.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from assistant.model.source import Span
from assistant.record import Record


class Container(StrEnum):
    """What the text around the CUDA text is."""

    PYTHON_FILE = "Python file"
    NOTEBOOK_CELL = "notebook cell"
    """A code cell of a Python notebook; it may begin with a cell magic."""


class EmbeddingKind(StrEnum):
    """What says that a text is CUDA: a cell magic, or the function that a string is given to."""

    KERNELOPT_MAGIC = "%%kernelopt"
    CU_MAGIC = "%%cu"
    CUDA_MAGIC = "%%cuda"
    WRITEFILE_MAGIC = "%%writefile"
    RAW_KERNEL = "cupy.RawKernel"
    RAW_MODULE = "cupy.RawModule"
    SOURCE_MODULE = "pycuda.compiler.SourceModule"
    LOAD_INLINE = "torch.utils.cpp_extension.load_inline"
    PROGRAM = "cuda.core.Program"

    @property
    def is_cell_magic(self) -> bool:
        return self.value.startswith("%%")


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of both texts that belong together, in order.

    Equal widths: character by character. Else all container characters stand for the embedded ones: one for an escape, none for
    what never reaches the compiler (a continued line, indentation that ``dedent`` removes).
    """

    embedded_start: int
    embedded_end: int
    container_start: int
    container_end: int

    @property
    def is_one_to_one(self) -> bool:
        return self.embedded_end - self.embedded_start == self.container_end - self.container_start


class Literal(Record):
    """One place of the container that holds a part of the CUDA text."""

    content: Span
    """Container characters between the quotes, or the body of the cell."""
    embedded: Span
    """The part of the CUDA text that it holds."""
    quote: str | None
    """``'``, ``"`` or three of them; None for the body of a cell."""
    is_raw: bool
    margin: str
    """Indentation that ``textwrap.dedent`` takes from every line that is not blank."""


class EmbeddedText(Record):
    """One CUDA text, and where each of its characters stands in the container."""

    kind: EmbeddingKind
    text: str
    """The CUDA text, as the compiler gets it."""
    use: Span
    """The magic's line without its end, or the name of the called function with the names before it."""
    arguments: str
    """What follows the name of the magic on its line; empty for a string."""
    literals: tuple[Literal, ...]
    """In the order of the CUDA text; at least one."""
    runs: tuple[Run, ...] = field(repr=False)
    """In the order of the CUDA text, without gaps there."""
    container: Container
    container_text: str = field(repr=False)
    needs_pytorch: bool = False
    """It uses PyTorch's C++ API: no compiler run but PyTorch's own takes all of it."""

    def to_container(self, offset: int) -> int:
        """The container offset at which the character at ``offset`` begins; for the end of the text, where its last one ends."""
        if offset >= len(self.text):
            return self._end_in_container(len(self.text))
        run = self.runs[bisect_right(self.runs, max(offset, 0), key=_embedded_start) - 1]
        return run.container_start + (max(offset, 0) - run.embedded_start if run.is_one_to_one else 0)

    def to_embedded(self, offset: int) -> int | None:
        """The offset in the CUDA text of what stands at the container's ``offset``; None outside of every literal.

        Inside an escape it is the offset of the character that the escape stands for, at a closing quote the end of the literal's part.
        """
        index = bisect_right(self._runs_in_container, offset, key=_container_start) - 1
        if index < 0:
            return None
        run = self._runs_in_container[index]
        if offset == run.container_end:
            return run.embedded_end
        if offset > run.container_end:
            return None
        return run.embedded_start + (offset - run.container_start if run.is_one_to_one else 0)

    def span_to_container(self, span: Span) -> Span:
        """The container characters from the first to the last of ``span``, what stands between them included.

        Where the texts are in another order than the strings (``sources=[b, a]``), the part in the first string only.
        """
        start = self.to_container(span.start)
        end = self._end_in_container(span.end) if span.end > span.start else start
        if end >= start:
            return Span(start, end)
        return Span(start, next(place.content.end for place in self.literals if place.content.start <= start <= place.content.end))

    def _end_in_container(self, offset: int) -> int:
        """Where the character before ``offset`` ends; the start of the first literal where there is none."""
        if offset <= 0 or not self.text:
            return self.literals[0].content.start
        last = min(offset, len(self.text)) - 1
        run = self.runs[bisect_right(self.runs, last, key=_embedded_start) - 1]
        return run.container_start + last - run.embedded_start + 1 if run.is_one_to_one else run.container_end

    @cached_property
    def _runs_in_container(self) -> tuple[Run, ...]:
        """Runs that stand in the container, in its order."""
        standing = (run for run in self.runs if run.container_end > run.container_start or run.embedded_end == run.embedded_start)
        return tuple(sorted(standing, key=_container_start))


class EmbeddingProblemCode(StrEnum):
    """Why a CUDA text is not offered or not edited; `EmbeddingProblem.reason` says the same about one text, in words."""

    NOT_A_STRING = "not_a_string"
    """The CUDA text is not written as a string where it is used."""
    F_STRING = "f_string"
    BYTES = "bytes"
    UNKNOWN_ESCAPE = "unknown_escape"
    SURROGATE = "surrogate"
    """Half of a surrogate pair, which is not a character."""
    UNCLOSED_STRING = "unclosed_string"
    UNFINISHED = "unfinished"
    """The expression ends before its text does."""
    TOO_DEEP = "too_deep"
    FORMATTED = "formatted"
    """``%`` or ``.format()`` makes the text when the program runs."""
    REPEATED = "repeated"
    CONDITION = "condition"
    """The text depends on a condition."""
    PART_OF_STRING = "part_of_string"
    CHANGED = "changed"
    """A method changes the string."""
    CALL_RESULT = "call_result"
    """The text is what a function returns."""
    ASSIGNED_INSIDE = "assigned_inside"
    """The expression assigns the string (``:=``)."""
    USED_TWICE = "used_twice"
    """One string stands twice in the text."""
    DEDENT_ARGUMENT = "dedent_argument"
    """``dedent`` is not given one string."""
    DEDENT_VERSION = "dedent_version"
    """What ``dedent`` removes depends on the version of Python."""
    UNKNOWN_ATTRIBUTE = "unknown_attribute"
    NOT_ASSIGNED = "not_assigned"
    """No statement of this text gives the name a value."""
    ASSIGNED_LATER = "assigned_later"
    ASSIGNED_AGAIN = "assigned_again"
    """Further down, inside or after a loop."""
    ASSIGNED_IN_BRANCH = "assigned_in_branch"
    SEVERAL_ASSIGNMENTS = "several_assignments"
    NOT_PLAIN_ASSIGNMENT = "not_plain_assignment"
    """Something else than ``name = …`` gives the name its value."""
    GLOBAL_STATEMENT = "global_statement"
    """A ``global`` or ``nonlocal`` statement names it."""
    INNER_NAME = "inner_name"
    """The name belongs to a comprehension or a lambda."""
    NEEDS_PYTORCH = "needs_pytorch"
    """The text uses PyTorch's C++ API."""
    TOO_MANY_CALLS = "too_many_calls"
    INDENTED_MAGIC = "indented_magic"
    EDITS_OVERLAP = "edits_overlap"
    """The edits overlap, or reach beyond the CUDA text."""
    LINE_END_REMOVED = "line_end_removed"
    """The edit removes the line end that PyTorch puts between two strings."""
    RAW_STRING = "raw_string"
    """A raw string cannot hold the new text."""
    NO_BODY = "no_body"
    """The cell has no line after its magic."""
    LAUNCH = "launch"
    """The magic's line cannot say the launch that the first line of the new text says."""
    TEXT_CHANGED_LATER = "text_changed_later"
    """The program's ``strip`` or ``dedent`` would change the new text."""
    SHARED_STRING = "shared_string"
    """Another CUDA text has a part of the string."""


class EmbeddingProblem(Record):
    """A CUDA text that is not offered, or an edit that cannot be made, and why."""

    code: EmbeddingProblemCode
    kind: EmbeddingKind
    span: Span
    """The place in the container that is the reason."""
    reason: str
    """A sentence without a full stop, for the user."""


def _embedded_start(run: Run) -> int:
    return run.embedded_start


def _container_start(run: Run) -> int:
    return run.container_start
