"""What of a program a model may rewrite, in whole parts: the kernel, what is launched with it, what they rest on, who launches them.

A part is named by an id that no other part of the program has. Example::

    region = Region(parsed, kernel, others, may_edit_host=True)
    [part.id for part in region.parts]     # ["scaled", "kernel", "TILE", "run", "launch-22"]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from enum import Enum
from functools import cached_property
from pathlib import Path

from assistant.build.units import is_unit
from assistant.cuda.code_text import blanked, uncommented
from assistant.cuda.items import Item, ItemKind, items
from assistant.cuda.tokens import words_in_code
from assistant.model.source import DeviceFunction, Kernel, ParsedSource, Span
from assistant.ports.planner import PlanRequest
from assistant.record import Record

__all__ = ["INSTANTIATION", "KERNEL_PART", "Part", "PartKind", "Region", "region_of"]

KERNEL_PART = "kernel"
_MOST_CHARACTERS_ELSEWHERE = 16_000
"""Longest part in another file: it is shown whole, or it is none (about 5,000 tokens)."""
_MOST_NAMED = 64
"""Macros, constants and types of a region."""
_OF_DEVICE = re.compile(r"\b(?:__device__|__constant__|__managed__|__shared__|constexpr|const|enum|struct|class|union|using|typedef)\b")
_NUMBER_OR_MACRO = re.compile(
    r"\s*(?:#|enum\b|(?:(?:static|inline|const|constexpr|unsigned|signed|long|short|int|size_t|std::size_t)\s+)+\w+\s*[={])"
)
INSTANTIATION = re.compile(r"(?:extern\s+)?template\b(?!\s*<)[^;{]*?\b([A-Za-z_]\w*)\s*(?:<[^;()]*>\s*)?\(")
_IN_A_LIST = frozenset("{};")
"""What stands before a statement that others may be put next to."""


class PartKind(Enum):
    """What a part is."""

    KERNEL = "the kernel"
    HELPER = "a device function that a kernel of the region calls"
    SIBLING = "a kernel that is launched by the same host function"
    NAMED = "a macro, constant, type or device variable that they use"
    INSTANTIATION = "an explicit instantiation of a kernel or a device function of the region"
    HOST = "a host function that launches the kernel"
    LAUNCH = "a statement of theirs that launches a kernel"


class Part(Record):
    """One piece of a file that may be rewritten."""

    id: str
    """``kernel``, a name, or ``launch-22`` by its line; a number behind the names of several."""
    span: Span
    text: str
    first_line: int
    kind: PartKind
    path: Path
    needs_braces: bool = False
    """It is all that an ``if`` or a loop governs."""

    @property
    def is_of_host(self) -> bool:
        return self.kind in (PartKind.HOST, PartKind.LAUNCH)

    @property
    def last_line(self) -> int:
        return self.first_line + self.text.count("\n")


class _Found(Record):
    """A part before it has its id."""

    name: str
    span: Span
    kind: PartKind
    file: ParsedSource
    needs_braces: bool = False


class Region(Record):
    """What a model is asked about: a kernel, the program around it, and what of that it may change."""

    parsed: ParsedSource
    """The file that holds the kernel."""
    kernel: Kernel
    others: tuple[ParsedSource, ...] = ()
    """The program's other files, as far as the kernel's name means the same in them."""
    may_edit_host: bool = False
    """Whether host code may be edited; without it no part is the host's."""
    may_call_libraries: bool = False
    """Whether calls of cuBLAS and the like may be decided on."""
    cutlass: str | None = None
    """The release of CUTLASS that the program's compilers find; None: none."""
    is_emulated: bool = False
    """Edits are tried without a GPU."""

    @property
    def files(self) -> tuple[ParsedSource, ...]:
        return (self.parsed, *self.others)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Those of the kernel's own file in source order, then those of each other file."""
        kept = list[_Found]()
        for found in self._found():
            is_inside_launch = found.kind is PartKind.LAUNCH
            if is_inside_launch or not any(o.file is found.file and o.span.overlaps(found.span) for o in kept):
                kept.append(found)
        order = {file.source.path: number for number, file in enumerate(self.files)}
        names = list[str]()
        parts = list[Part]()
        for found in kept:
            names.append(found.name)
            number = names.count(found.name)
            text, span = found.file.source.text, found.span
            parts.append(
                Part(
                    id=found.name if number == 1 else f"{found.name}-{number}",
                    span=span,
                    text=text[span.start : span.end],
                    first_line=found.file.source.line_of(span.start),
                    kind=found.kind,
                    path=found.file.source.path,
                    needs_braces=found.needs_braces,
                )
            )
        shown = (p for p in parts if p.path == self.parsed.source.path or len(p.text) <= _MOST_CHARACTERS_ELSEWHERE)
        return tuple(sorted(shown, key=lambda part: (order[part.path], part.span)))

    def parts_of(self, file: ParsedSource) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.path == file.source.path)

    def _found(self) -> Iterator[_Found]:
        kernels = [(self.parsed, self.kernel), *self._siblings()]
        functions = [_Found(KERNEL_PART, self.kernel.span, PartKind.KERNEL, self.parsed)]
        functions += [_Found(kernel.name, kernel.span, PartKind.SIBLING, file) for file, kernel in kernels[1:]]
        for file, kernel in kernels:
            functions += [_Found(helper.name, helper.span, PartKind.HELPER, file) for helper in _helpers(file, kernel)]
        yield from functions
        yield from self._instantiations({self.kernel.name, *(found.name for found in functions)})
        named = self._named(functions)
        hosts = list(self._of_host()) if self.may_edit_host else []
        yield from named
        known = {(found.file.source.path, found.span) for found in named}
        of_hosts = (found for found in self._named(hosts) if (found.file.source.path, found.span) not in known)
        yield from filter(_is_number_or_macro, of_hosts)
        yield from hosts

    @cached_property
    def _launchers(self) -> tuple[tuple[ParsedSource, frozenset[str]], ...]:
        """Files that launch the kernel, with the names of the functions that do."""
        sites = ((file, frozenset(site.function for site in file.launch_sites_of(self.kernel))) for file in self.files)
        return tuple((file, names) for file, names in sites if names)

    def _siblings(self) -> list[tuple[ParsedSource, Kernel]]:
        launched = {
            site.kernel_name.split("::")[-1] for file, names in self._launchers for site in file.launch_sites if site.function in names
        }
        return [(file, k) for file in self.files for k in file.kernels if k.name in launched and k.name != self.kernel.name and not k.file]

    def _named(self, functions: Iterable[_Found]) -> list[_Found]:
        """Macros, constants, types and device functions of any file that the functions use, directly or through others."""
        waiting = {word for f in functions for word in words_in_code(blanked(f.file.source.text[f.span.start : f.span.end]))}
        left = [(file, item) for file in self.files if file.kernels or self._is_editable(file) for item in _offered(file)]
        found = list[_Found]()
        while waiting and len(found) < _MOST_NAMED:
            hit = [(file, item) for file, item in left if item.names & waiting]
            left = [each for each in left if each not in hit]
            waiting = {word for _, item in hit for word in words_in_code(blanked(item.text))}
            for file, item in hit:
                kind = PartKind.HELPER if item.kind is ItemKind.DEVICE else PartKind.NAMED
                found.append(_Found(_name_of(item), Span(item.start, item.end), kind, file))
        return found

    def _is_editable(self, file: ParsedSource) -> bool:
        """Whether what a file without kernels defines may be changed: a header's, which host code may use, where that may be edited."""
        return self.may_edit_host or is_unit(file.source.path)

    def _instantiations(self, names: Set[str]) -> Iterator[_Found]:
        """``template __global__ void k<128>(float *);``, which has to follow its template's parameters."""
        for file in self.files:
            for item in items(uncommented(file.source.text)) or ():
                found = INSTANTIATION.match(item.text)
                if found is not None and found[1] in names:
                    yield _Found(f"{found[1]}-instantiation", Span(item.start, item.end), PartKind.INSTANTIATION, file)

    def _of_host(self) -> Iterator[_Found]:
        yield from self._launching()
        for file in self.files:  # cudaLaunchKernelEx, a macro, a pointer to the kernel: no launch that can be seen
            hosts = [item for item in items(uncommented(file.source.text)) or () if item.kind is ItemKind.HOST]
            for host in (host for host in hosts if self.kernel.name in words_in_code(blanked(host.text))):
                yield _Found(min(host.names, default="host"), Span(host.start, host.end), PartKind.HOST, file)

    def _launching(self) -> Iterator[_Found]:
        """Launches, and the functions that hold them."""
        for file, names in self._launchers:
            code = uncommented(file.source.text)
            hosts = [item for item in items(code) or () if item.kind is ItemKind.HOST]
            for site in (site for site in file.launch_sites if site.function in names):
                host = next((item for item in hosts if Span(item.start, item.end).contains(site.span)), None)
                if host is not None:
                    name = site.function.split("::")[-1] or min(host.names, default="host")
                    yield _Found(name, Span(host.start, host.end), PartKind.HOST, file)
                statement = _statement(code, site.span)
                if statement is not None:
                    yield _Found(f"launch-{site.line}", statement[0], PartKind.LAUNCH, file, statement[1])


def region_of(request: PlanRequest) -> Region:
    """What the model that is asked may change."""
    rights = request.may_edit_host, request.may_call_libraries, request.cutlass, request.is_emulated
    return Region(request.parsed, request.kernel, request.program, *rights)


def _helpers(file: ParsedSource, kernel: Kernel) -> list[DeviceFunction]:
    """Device functions of the file that the kernel calls."""
    found = [f for f in file.device_functions if f.name in kernel.device_functions and not kernel.span.overlaps(f.span)]
    return [f for f in found if not _is_inside(f, found)]


def _is_inside(function: DeviceFunction, others: Iterable[DeviceFunction]) -> bool:
    """A function that stands inside another one (a lambda's, a local type's)."""
    return any(other.span != function.span and other.span.contains(function.span) for other in others)


def _offered(file: ParsedSource) -> list[Item]:
    """What device code of the file may rest on."""
    found = items(uncommented(file.source.text)) or ()
    return [
        item
        for item in found
        if item.names and (item.kind in (ItemKind.MACRO, ItemKind.DEVICE) or (item.kind is ItemKind.DECLARATION and _is_of_device(item)))
    ]


def _is_number_or_macro(found: _Found) -> bool:
    """What host code alone uses is of interest as far as it may hold sizes of launches."""
    text = found.file.source.text[found.span.start : found.span.end]
    return found.kind is PartKind.NAMED and _NUMBER_OR_MACRO.match(text) is not None


def _name_of(item: Item) -> str:
    name = min(item.names, key=item.text.find)
    return f"{name}-prototype" if "__global__" in item.text and item.kind is ItemKind.DECLARATION else name


def _is_of_device(item: Item) -> bool:
    head = item.text.partition("{")[0]
    return _OF_DEVICE.search(head) is not None or "__global__" in head


def _statement(code: str, site: Span) -> tuple[Span, bool] | None:
    """The launch with its semicolon, and whether an ``if`` or a loop governs it; None where it is part of a larger expression."""
    end = re.compile(r"\s*;").match(code, site.end)
    before = code[: site.start].rstrip()
    if end is None or not before or before.endswith("\\"):
        return None
    if before[-1] in _IN_A_LIST:
        return Span(site.start, end.end()), False
    is_governed = before[-1] == ")" or re.search(r"\b(?:else|do)\Z", before) is not None
    return (Span(site.start, end.end()), True) if is_governed else None
