"""An answer as edits of a program: whole new texts of its parts, changed launches, includes; or the reason why it is not taken.

What no part holds stays as it is. An edit that reaches the host is labelled, so that it waits for the right to be built; where host code
may not be edited at all it is refused, so that its writer can do without. Example::

    edit_of(Region(parsed, kernel), reply)     # RegionEdit(edits=(…,), labels=(Label.HOST_CODE,)) or UnusableAnswer(…)
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assistant.cuda.code_patterns import CodePattern
from assistant.cuda.code_text import blanked
from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.model.plan import FileEdits
from assistant.model.source import ParsedSource, Source, TextEdit
from assistant.model.verification import Label
from assistant.plan.llm.code.foreign import lost_code
from assistant.plan.llm.code.headers import HeaderRights, header_edits, header_labels
from assistant.plan.llm.code.launching import LaunchEdits, changed_place, launched, launches_elsewhere
from assistant.plan.llm.code.parts import Region
from assistant.plan.llm.code.signatures import signature_problem
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer
from assistant.plan.llm.code.written import WrittenParts, written_parts
from assistant.plan.llm.reading.schemas import CodeReply, LaunchChange
from assistant.record import Record
from assistant.verify.hidden_calls import hidden_library
from assistant.verify.host_edits import edits_host_code, macro_elsewhere
from assistant.verify.host_reach import host_reach
from assistant.verify.library_calls import new_library_calls
from assistant.workload.blocks import find_blocks

__all__ = ["RegionEdit", "edit_of"]

_LIBRARY = CodePattern(r"\b(?:cublas|cudnn|cufft|cusparse|cusolver|curand|cutensor|nccl|npp)[A-Z_]\w*")
_SAME = "it changes nothing: what it gives stands in the program already; where nothing is worth a change, give the header alone"
Edits = Mapping[Path, tuple[TextEdit, ...]]


class RegionEdit(Record):
    """An answer as edits of the text that it was asked about."""

    edits: tuple[TextEdit, ...]
    labels: tuple[Label, ...]
    """What follows from what it touches."""
    assumptions: tuple[str, ...] = ()
    """What follows for code that is not in the text."""
    in_others: tuple[FileEdits, ...] = ()
    """Edits of other files of the program."""


def edit_of(region: Region, reply: CodeReply) -> RegionEdit | UnusableAnswer:
    """The answer's edits of the region's program, or why they are not made; minimal, so that untouched lines stay untouched."""
    written = written_parts(region, reply)
    if isinstance(written, UnusableAnswer):
        return written
    elsewhere = launches_elsewhere(region.parsed, region.kernel, region.others)
    changes = [change for change in reply.launches if not _is_given_whole(region, written, change, elsewhere)]
    launches = launched(region.parsed, region.kernel, changes, elsewhere)
    if isinstance(launches, UnusableAnswer):
        return launches
    included = _included(region, written, reply)
    if isinstance(included, UnusableAnswer):
        return included
    edits = _joined(region, written, launches, included)
    after = _applied(region, edits)
    if isinstance(after, UnusableAnswer):
        return after
    problem = _reach(region, written, after) or signature_problem(region, after, _confirmed(region, written, changes, elsewhere))
    if problem is not None:
        return problem
    labels = (*launches.labels, *header_labels(edit for made in included.values() for edit in made))
    if region.may_edit_host and _edits_host(region, written, after):
        labels = (Label.HOST_CODE, *labels)
    own = region.parsed.source.path
    others = tuple(sorted(FileEdits(path, made) for path, made in edits.items() if path != own and made))
    return RegionEdit(edits[own], tuple(dict.fromkeys(labels)), launches.assumptions, others)


def _is_given_whole(region: Region, written: WrittenParts, change: LaunchChange, elsewhere: Mapping[str, ParsedSource]) -> bool:
    """Whether a changed launch stands in a function that the answer gives as a whole, whose text counts."""
    path, line = _path_of(region, change, elsewhere)
    return any(part.path == path and part.first_line <= line <= part.last_line for part in written.host_parts)


def _path_of(region: Region, change: LaunchChange, elsewhere: Mapping[str, ParsedSource]) -> tuple[Path | None, int]:
    name, line = changed_place(region.parsed, region.kernel, change, elsewhere)
    file = region.parsed if name is None else elsewhere.get(name)
    return None if file is None else file.source.path, line


def _confirmed(
    region: Region, written: WrittenParts, changes: list[LaunchChange], elsewhere: Mapping[str, ParsedSource]
) -> frozenset[tuple[Path, int]]:
    """Launches that are written anew, with all that they pass."""
    stated = (_path_of(region, change, elsewhere) for change in changes if change.arguments is not None)
    inside = ((part.path, line) for part in written.host_parts for line in range(part.first_line, part.last_line + 1))
    return frozenset((*((path, line) for path, line in stated if path is not None), *inside))


def _included(region: Region, written: WrittenParts, reply: CodeReply) -> Edits | UnusableAnswer:
    rights = HeaderRights(region.may_edit_host, region.may_call_libraries, region.cutlass, region.is_emulated)
    found: dict[Path, tuple[TextEdit, ...]] = {}
    for file in region.files:
        path = file.source.path
        stated = reply.includes if file is region.parsed else ()
        made = header_edits(file, (*stated, *written.headers.get(path, ())), rights)
        if isinstance(made, UnusableAnswer):
            return made
        found[path] = made
    return found


def _joined(region: Region, written: WrittenParts, launches: LaunchEdits, included: Edits) -> Edits:
    """All edits, by file."""
    own = region.parsed.source.path
    of_launches = {own: launches.edits} | {each.path: each.edits for each in launches.in_others}
    found: dict[Path, tuple[TextEdit, ...]] = {}
    for file in region.files:
        path = file.source.path
        texts = (edit for new in written.texts if new.part.path == path for edit in new.edits)
        found[path] = (*included[path], *texts, *of_launches.get(path, ()))
    return found


def _applied(region: Region, edits: Edits) -> dict[Path, ParsedSource] | UnusableAnswer:
    """Every file with its edits made."""
    found: dict[Path, ParsedSource] = {}
    for file in region.files:
        path, before = file.source.path, file.source.text
        after = apply_edits(before, edits[path])
        if not isinstance(after, str):
            return UnusableAnswer(Unusable.OVERLAP, "its changes overlap")
        found[path] = file if after == before else parse(Source(path, after))
    if all(found[file.source.path] is file for file in region.files):
        return UnusableAnswer(Unusable.NO_CHANGE, _SAME)
    return found


def _reach(region: Region, written: WrittenParts, after: Mapping[Path, ParsedSource]) -> UnusableAnswer | None:
    """How new texts of parts would change code outside them, what is judged, or what runs on the host where that may not be edited."""
    for file in region.files:
        given = [text for text in written.texts if text.part.path == file.source.path]
        old = file.source.text
        new = apply_edits(old, [edit for text in given for edit in text.edits])
        if not isinstance(new, str) or new == old:
            continue
        problem = lost_code(old, new, (text.part.span for text in given)) or _changed_blocks(old, new)
        reach = None if problem is not None or region.may_edit_host else host_reach(old, new)
        if problem is not None or reach is not None:
            return problem or UnusableAnswer(Unusable.HOST_EFFECT, reach or "")
    library = None if region.may_call_libraries else _library(region, after)
    if library is not None:
        reason = f"it calls {library}: calls of ready-made libraries are off here (--allow library allows them); write the kernel itself"
        return UnusableAnswer(Unusable.LIBRARY, reason)
    named = None if region.may_edit_host else _macro_elsewhere(region, after)
    return None if named is None else UnusableAnswer(Unusable.NAME_IN_USE, f"it defines the macro {named}, a name that another file uses")


def _library(region: Region, after: Mapping[Path, ParsedSource]) -> str | None:
    """What an edit asks of a library beyond what the program did."""
    old, new = ([file.source.text for file in files] for files in (region.files, after.values()))
    called = new_library_calls(_LIBRARY, list(map(blanked, old)), list(map(blanked, new)))
    return next((match.text for match in called), None) or hidden_library(old, new)


def _macro_elsewhere(region: Region, after: Mapping[Path, ParsedSource]) -> str | None:
    return macro_elsewhere([file.source for file in region.files], [after[file.source.path].source for file in region.files])


def _edits_host(region: Region, written: WrittenParts, after: Mapping[Path, ParsedSource]) -> bool:
    changed = ((file, after[file.source.path]) for file in region.files if after[file.source.path] is not file)
    is_given = any(text.part.is_of_host and text.edits for text in written.texts)
    return is_given or any(edits_host_code(old, new) for old, new in changed) or _macro_elsewhere(region, after) is not None


def _changed_blocks(before: str, after: str) -> UnusableAnswer | None:
    """A refusal where workload blocks change: they say what is judged, and which flags compilers are started with."""
    if [block.toml for block in find_blocks(after)] == [block.toml for block in find_blocks(before)]:
        return None
    reason = "it changes or adds a comment that begins with `kernelopt`, which declares what the kernel is judged on; leave those unchanged"
    return UnusableAnswer(Unusable.WORKLOAD_BLOCK, reason)
