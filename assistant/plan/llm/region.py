"""The region of a text that a model may rewrite: shown in whole parts, taken back in whole parts, turned into edits.

The parts are the kernel and the device functions that it calls. All other text stays as it is, but for launch expressions and
includes, which are fields of the answer and are written here. Example::

    parts = region_of(parsed, kernel)                  # (Part("kernel", …), Part("square", …))
    edit_of(parsed, kernel, reply)                     # RegionEdit(edits=(…,), labels=(Label.HOST_CODE,)) or UnusableAnswer(…)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from assistant.cuda.edits import apply_edits, edits_between
from assistant.cuda.files import line_end
from assistant.cuda.parse import parse
from assistant.cuda.same_names import without_file
from assistant.model.plan import FileEdits
from assistant.model.source import DeviceFunction, Kernel, ParsedSource, Source, Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.llm.cleaning import cleaned
from assistant.plan.llm.foreign import foreign_code, lost_code
from assistant.plan.llm.headers import header_edits, header_labels, without_includes
from assistant.plan.llm.launching import changed_place, launched, launches_elsewhere
from assistant.plan.llm.schemas import CodeReply
from assistant.plan.llm.undecoded import written_into
from assistant.plan.llm.unusable import Unusable, UnusableAnswer
from assistant.record import Record
from assistant.verify.host_reach import host_reach
from assistant.workload.blocks import find_blocks

__all__ = ["KERNEL_PART", "Part", "RegionEdit", "edit_of", "region_of"]

KERNEL_PART = "kernel"


class Part(Record):
    """One function that may be rewritten."""

    id: str
    """``kernel``, or the device function's name; a number behind the names of overloads."""
    span: Span
    text: str
    first_line: int


class RegionEdit(Record):
    """An answer as edits of the text that it was asked about."""

    edits: tuple[TextEdit, ...]
    labels: tuple[Label, ...]
    """What follows from what it touches."""
    assumptions: tuple[str, ...] = ()
    """What follows for code that is not in the text."""
    in_others: tuple[FileEdits, ...] = ()
    """Edits of launches in other files of the program."""


def region_of(parsed: ParsedSource, kernel: Kernel) -> tuple[Part, ...]:
    """The parts in source order."""
    text = parsed.source.text
    helpers = [f for f in parsed.device_functions if f.name in kernel.device_functions and not kernel.span.overlaps(f.span)]
    found = [(KERNEL_PART, kernel.span), *((f.name, f.span) for f in helpers if not _is_inside(f, helpers))]
    names = [name for name, _ in found]
    parts = list[Part]()
    for index, (name, span) in enumerate(found):
        number = names[: index + 1].count(name)
        part_id = name if number == 1 and name not in names[:index] else f"{name}-{number}"
        parts.append(Part(part_id, span, text[span.start : span.end], parsed.source.line_of(span.start)))
    return tuple(sorted(parts, key=lambda part: part.span))


def edit_of(parsed: ParsedSource, kernel: Kernel, reply: CodeReply, launching: Iterable[ParsedSource] = ()) -> RegionEdit | UnusableAnswer:
    """The answer's edits of ``parsed``'s text, or why they are not made; minimal, so that untouched lines stay untouched.

    ``launching``: the program's other files that name the kernel, whose launches may change.
    """
    text = parsed.source.text
    parts = {part.id: part for part in region_of(parsed, kernel)}
    headers = list(reply.includes)
    edits = list[TextEdit]()
    seen = set[str]()
    for written in reply.parts:
        name = KERNEL_PART if written.part == kernel.name and kernel.name not in parts else written.part
        part = parts.get(name)
        if part is None or name in seen:
            return _repeated_part(name) if name in seen else _unknown_part(name, parts)
        seen.add(name)
        code, included = without_includes(cleaned(written.code))
        headers += included
        code = code.strip("\n").replace("\n", line_end(text))
        foreign = foreign_code(part.text, code, _outside(text, parts.values()))
        if foreign is not None:
            return replace(foreign, reason=f"part {part.id}: {foreign.reason}")
        edits += _moved(edits_between(part.text, written_into(text, code)), part.span.start)
    made = apply_edits(text, edits)
    problem = _outside_effect(text, made, parts.values()) if isinstance(made, str) else None
    elsewhere = launches_elsewhere(parsed, kernel, launching)
    return problem or _completed(parsed, kernel, reply, tuple(edits), tuple(headers), elsewhere)


def _completed(
    parsed: ParsedSource,
    kernel: Kernel,
    reply: CodeReply,
    edits: tuple[TextEdit, ...],
    headers: tuple[str, ...],
    elsewhere: Mapping[str, ParsedSource],
) -> RegionEdit | UnusableAnswer:
    """The edits of the parts with those of launches and includes, checked as a whole."""
    included = header_edits(parsed, headers)
    launches = launched(parsed, kernel, reply.launches, elsewhere)
    if isinstance(included, UnusableAnswer):
        return included
    if isinstance(launches, UnusableAnswer):
        return launches
    every = (*included, *edits, *launches.edits)
    after = apply_edits(parsed.source.text, every)
    if not isinstance(after, str):
        return UnusableAnswer(Unusable.OVERLAP, "its changes overlap")
    if after == parsed.source.text and not launches.in_others:
        return UnusableAnswer(Unusable.NO_CHANGE, "it changes nothing")
    problem = _broken_signature(parsed, kernel, reply, parse(Source(parsed.source.path, after)), elsewhere)
    if problem is not None:
        return problem
    labels = tuple(dict.fromkeys((*launches.labels, *header_labels(included))))
    return RegionEdit(every, labels, launches.assumptions, launches.in_others)


def _outside_effect(before: str, after: str, parts: Iterable[Part]) -> UnusableAnswer | None:
    """How the edited parts would change code outside them, what runs on the host, or what is judged; None where they do not."""
    lost = lost_code(before, after, (part.span for part in parts))
    if lost is not None:
        return lost
    reach = host_reach(before, after)
    return _changed_blocks(before, after) if reach is None else UnusableAnswer(Unusable.HOST_EFFECT, reach)


def _changed_blocks(before: str, after: str) -> UnusableAnswer | None:
    """A refusal where workload blocks change: they say what is judged, and which flags compilers are started with."""
    if [block.toml for block in find_blocks(after)] == [block.toml for block in find_blocks(before)]:
        return None
    reason = "it changes or adds a comment that begins with `kernelopt`, which declares what the kernel is judged on; leave those unchanged"
    return UnusableAnswer(Unusable.WORKLOAD_BLOCK, reason)


def _broken_signature(
    parsed: ParsedSource, kernel: Kernel, reply: CodeReply, after: ParsedSource, elsewhere: Mapping[str, ParsedSource]
) -> UnusableAnswer | None:
    """Why the edited text's kernels are not what its launches expect; None where they are."""
    own = without_file(kernel.qualified_name)
    before_names = [without_file(k.qualified_name) for k in parsed.kernels]
    after_names = [without_file(k.qualified_name) for k in after.kernels]
    if after_names.count(own) != before_names.count(own):
        reason = f"it must define the kernel {kernel.name} exactly as often as before, under the same name"
        return UnusableAnswer(Unusable.KERNEL_MISSING, reason)
    functions, defined = [f.name for f in parsed.device_functions], [f.name for f in after.device_functions]
    repeated = next((part.id for part in region_of(parsed, kernel) if defined.count(part.id) > functions.count(part.id)), None)
    if repeated is not None:
        return UnusableAnswer(Unusable.REPEATED_PART, f"it defines {repeated} once more; that function is a part of its own")
    extra = [name for name in after_names if name not in before_names]
    if extra:
        reason = f"it defines a further kernel, {extra[0]}, which nothing launches; write a __device__ function instead"
        return UnusableAnswer(Unusable.EXTRA_KERNEL, reason)
    index = [k.span for k, name in zip(parsed.kernels, before_names, strict=True) if name == own].index(kernel.span)
    new = [k for k, name in zip(after.kernels, after_names, strict=True) if name == own][index]
    if _call_form(new) == _call_form(kernel):
        return None
    files: dict[str | None, ParsedSource] = {None: parsed, **elsewhere}
    sites = [(name, site.line) for name, file in files.items() for site in file.launch_sites_of(kernel)]
    changed = {changed_place(parsed, kernel, change, elsewhere) for change in reply.launches if change.arguments is not None}
    missing = [site for site in sites if site not in changed]
    if not sites:
        reason = f"it changes the parameters of {kernel.name}, whose launches are not in this text; keep number, order and types"
        return UnusableAnswer(Unusable.PARAMETERS, reason)
    if missing:
        places = ", ".join(str(line) if name is None else f"{line} of {name}" for name, line in missing)
        reason = f"it changes the parameters of {kernel.name} but not the arguments of its launch at line {places}: give `launches` for it"
        return UnusableAnswer(Unusable.PARAMETERS, reason)
    return None


def _call_form(kernel: Kernel) -> tuple[object, ...]:
    """What a caller must know: the parameters but for names, const and __restrict__, and the template parameters."""
    parameters = tuple(" ".join(p.type.replace("const", " ").replace("*", " * ").split()) for p in kernel.parameters)
    return parameters, tuple(p.kind for p in kernel.template_parameters), kernel.is_extern_c


def _is_inside(function: DeviceFunction, others: Iterable[DeviceFunction]) -> bool:
    """A function that stands inside another one (a lambda's, a local type's)."""
    return any(other.span != function.span and other.span.contains(function.span) for other in others)


def _outside(text: str, parts: Iterable[Part]) -> str:
    """The text without its parts."""
    result, position = list[str](), 0
    for part in sorted(parts, key=lambda part: part.span):
        result.append(text[position : part.span.start])
        position = max(position, part.span.end)
    return "\n".join([*result, text[position:]])


def _moved(edits: Iterable[TextEdit], offset: int) -> list[TextEdit]:
    return [TextEdit(Span(e.span.start + offset, e.span.end + offset), e.new_text) for e in edits]


def _repeated_part(name: str) -> UnusableAnswer:
    return UnusableAnswer(Unusable.REPEATED_PART, f"it gives part {name} twice")


def _unknown_part(name: str, parts: Iterable[str]) -> UnusableAnswer:
    reason = f"it gives a part {name[:40]!r}, but the parts are {', '.join(parts)}; nothing else may be edited"
    return UnusableAnswer(Unusable.UNKNOWN_PART, reason)
