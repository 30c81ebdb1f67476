"""What an answer writes, part by part: found, cleaned and looked over, with the includes that stand among it.

A piece whose name is none of the program's is new: it is put in front of the kernel. Example::

    written_parts(region, reply)      # WrittenParts(texts=(NewText(Part("kernel", …), "…"),), headers={}) or UnusableAnswer(…)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from assistant.cuda.code_text import uncommented
from assistant.cuda.edits import edits_between
from assistant.cuda.files import line_end
from assistant.cuda.items import Item, items
from assistant.cuda.tokens import words_in_code
from assistant.model.source import ParsedSource, Span, TextEdit
from assistant.plan.llm.code.cleaning import cleaned
from assistant.plan.llm.code.foreign import PartPlace, foreign_code, macros_of
from assistant.plan.llm.code.headers import without_includes
from assistant.plan.llm.code.parts import KERNEL_PART, Part, PartKind, Region
from assistant.plan.llm.code.patches import is_patch, patched
from assistant.plan.llm.code.sorted_code import sorted_code
from assistant.plan.llm.code.statements import settled
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer
from assistant.plan.llm.reading.fences import UNNAMED
from assistant.plan.llm.reading.schemas import CodeReply, WrittenPart
from assistant.plan.llm.reading.undecoded import written_into
from assistant.record import Record

__all__ = ["NewText", "WrittenParts", "written_parts"]

_TEMPLATE = re.compile(r"\s*template\s*<[^{}()]*?>\s*(?=[A-Za-z_\[])")


class NewText(Record):
    """A part as the answer has it."""

    part: Part
    code: str

    @property
    def edits(self) -> tuple[TextEdit, ...]:
        """Edits of the part's file; what is the same stays untouched."""
        offset = self.part.span.start
        moved = ((Span(e.span.start + offset, e.span.end + offset), e.new_text) for e in edits_between(self.part.text, self.code))
        return tuple(TextEdit(span, text) for span, text in moved)


class WrittenParts(Record):
    """All that an answer writes in place of parts."""

    texts: tuple[NewText, ...]
    headers: Mapping[Path, tuple[str, ...]]
    """That stood among the code, by the file that they belong into."""

    @property
    def host_parts(self) -> tuple[Part, ...]:
        return tuple(text.part for text in self.texts if text.part.is_of_host)


class _Piece(Record):
    """One piece of code of an answer."""

    name: str
    part: Part | None
    """None: it is new."""
    code: str
    headers: tuple[str, ...]


def written_parts(region: Region, reply: CodeReply) -> WrittenParts | UnusableAnswer:
    """Every part that the answer gives, or why one of them is not taken."""
    pieces = list[_Piece]()
    given_parts = _given(region, reply.parts)
    if isinstance(given_parts, UnusableAnswer):
        return given_parts
    for given in given_parts:
        piece = _piece(region, given)
        if isinstance(piece, UnusableAnswer):
            return piece
        if any(piece.name == other.name for other in pieces):
            return UnusableAnswer(Unusable.REPEATED_PART, f"it gives part {piece.name} twice")
        pieces.append(piece)
    problem = _inside_another(pieces) or _foreign(region, pieces)
    return problem or _assembled(region, pieces)


def _given(region: Region, parts: Iterable[WrittenPart]) -> list[WrittenPart] | UnusableAnswer:
    """Each piece of the answer as the parts that it is the text of; of what two unnamed ones give the later one counts."""
    found: list[WrittenPart] = []
    pieces = [part.model_copy(update={"code": cleaned(part.code)}) for part in parts]
    for given in pieces:
        others = [part for part in pieces if part is not given]
        made = patched(region, given.code) if is_patch(given.code) else settled(region, given, others)
        made = sorted_code(region, given) if made is None else made
        if isinstance(made, UnusableAnswer):
            return made
        later = {part.part for part in made} if given.part == UNNAMED else frozenset[str]()
        found = [*(part for part in found if part.part not in later), *made]
    return found


def _piece(region: Region, given: WrittenPart) -> _Piece | UnusableAnswer:
    parts = {part.id: part for part in region.parts}
    is_kernel = given.part == region.kernel.name and region.kernel.name not in parts
    name = KERNEL_PART if is_kernel else given.part
    code, included = without_includes(cleaned(given.code))
    part = parts.get(name)
    if part is None and (problem := _no_part(region, name, parts)) is not None:
        return problem
    code = _whole(code.strip("\n"), part)
    return _Piece(name, part, code.lstrip() if part is not None and part.kind is PartKind.LAUNCH else code, included)


def _whole(code: str, part: Part | None) -> str:
    """A function of which only the body is given, or all but what its template is declared with, with its own beginning."""
    if part is None or part.kind in (PartKind.LAUNCH, PartKind.NAMED):
        return code
    head, opening, _ = part.text.replace("\r\n", "\n").partition("{")
    if opening and code.lstrip().startswith("{"):
        return head + code.lstrip()
    template = _TEMPLATE.match(head)
    is_bare = template is not None and "template" not in code and any(name in words_in_code(code) for name in _parameters(template[0]))
    return f"{template[0]}{code}" if template is not None and is_bare else code


def _parameters(template: str) -> frozenset[str]:
    return words_in_code(template) - {"template", "typename", "class", "int", "unsigned", "bool", "size_t", "float", "const"}


def _no_part(region: Region, name: str, parts: Iterable[str]) -> UnusableAnswer | None:
    """Why a name that is no part's is not taken; None for a new one."""
    if not region.may_edit_host and name in {part.id for part in replace(region, may_edit_host=True).parts if part.is_of_host}:
        reason = f"it gives {name}, which is host code, and host code may not be edited here; change kernels and `launches` alone"
        return UnusableAnswer(Unusable.HOST_PART, reason)
    is_known = name.startswith("launch-") or any(name in item.names for file in region.files for item in _items(file.source.text))
    if not is_known and name.isidentifier():
        return None
    reason = f"it gives a part {name[:40]!r}, but the parts are {', '.join(parts)}; nothing else that stands in the program may be edited"
    return UnusableAnswer(Unusable.UNKNOWN_PART, reason)


def _inside_another(pieces: Iterable[_Piece]) -> UnusableAnswer | None:
    """A launch of a function that is given as a whole, too."""
    given = [piece.part for piece in pieces if piece.part is not None]
    for part in given:
        host = next((o for o in given if o is not part and o.path == part.path and o.span.contains(part.span)), None)
        if host is not None:
            return UnusableAnswer(Unusable.OVERLAP, f"it gives {host.id} and {part.id}, which is in it: give one of them")
    return None


def _foreign(region: Region, pieces: Iterable[_Piece]) -> UnusableAnswer | None:
    """The first piece of code that does not belong where it is to stand."""
    macros = frozenset(name for piece in pieces for name in macros_of(piece.code))
    for piece in pieces:
        if not piece.code.strip() and piece.part is not None and _may_go(region, piece.part):
            continue
        file = region.parsed if piece.part is None else _file_of(region, piece.part)
        around = PartPlace(
            text=_outside(file.source.text, region.parts_of(file)),
            macros=macros,
            may_edit_host=region.may_edit_host,
            is_statement=piece.part is not None and piece.part.kind is PartKind.LAUNCH,
        )
        problem = foreign_code("" if piece.part is None else piece.part.text, piece.code, around)
        if problem is not None:
            return replace(problem, reason=f"part {piece.name}: {problem.reason}")
    return None


def _may_go(region: Region, part: Part) -> bool:
    """Whether a part may be left out: what then misses it, compilers say."""
    return part.kind not in (PartKind.HOST, PartKind.KERNEL) or (region.may_edit_host and part.kind is PartKind.KERNEL)


def _assembled(region: Region, pieces: Iterable[_Piece]) -> WrittenParts:
    """What is new stands in front of the kernel."""
    added = [piece for piece in pieces if piece.part is None]
    codes = {piece.part: piece.code for piece in pieces if piece.part is not None}
    if added:
        kernel = next(part for part in region.parts if part.kind is PartKind.KERNEL)
        unchanged = kernel.text.replace("\r\n", "\n")
        codes[kernel] = "\n\n".join([*(piece.code for piece in added), codes.get(kernel, unchanged)])
    headers: dict[Path, tuple[str, ...]] = {}
    for piece in pieces:
        path = region.parsed.source.path if piece.part is None else piece.part.path
        headers[path] = (*headers.get(path, ()), *piece.headers)
    return WrittenParts(tuple(_new_text(region, part, code) for part, code in codes.items()), headers)


def _new_text(region: Region, part: Part, code: str) -> NewText:
    text = _file_of(region, part).source.text
    whole = f"{{\n{code}\n}}" if part.needs_braces else code
    return NewText(part, written_into(text, whole.replace("\n", line_end(text))))


def _file_of(region: Region, part: Part) -> ParsedSource:
    return next(file for file in region.files if file.source.path == part.path)


def _items(text: str) -> tuple[Item, ...]:
    return items(uncommented(text)) or ()


def _outside(text: str, parts: Iterable[Part]) -> str:
    """The text without its parts."""
    result, position = list[str](), 0
    for part in sorted(parts, key=lambda part: part.span):
        result.append(text[position : part.span.start])
        position = max(position, part.span.end)
    return "\n".join([*result, text[position:]])
