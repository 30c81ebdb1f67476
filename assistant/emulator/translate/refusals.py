"""What of a unit the emulator cannot run, contained: a kernel that needs it is not run, the program ends where its host code needs it, and
all else is built and run.

A kernel's body becomes ``{ emu_refuse("inline PTX", __FILE__, __LINE__); }``, a statement of the host ``emu_refuse("Thrust", …);``, and a
declaration outside functions goes. Example::

    contained(files, context, constructs)       # Containment(edits={path: [Edit(…)]}, uncontained=())
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from pathlib import Path

from assistant.emulator.translate.context import LexedFile, UnitContext
from assistant.emulator.translate.edits import Edit
from assistant.emulator.translate.foreign import HEADER, family_of, foreign_names, header_text, is_foreign
from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.removed import declaration_around
from assistant.emulator.translate.stops import stopped
from assistant.emulator.translate.structure import Function
from assistant.emulator.translate.unsupported import UnsupportedConstruct
from assistant.record import Record

__all__ = ["Containment", "contained"]

_NAMESPACES = {"thrust": "Thrust", "cub": "CUB", "cute": "CuTe", "cutlass": "CUTLASS"}
_LIBCUXX = "libcu++"


class Containment(Record):
    edits: Mapping[Path, tuple[Edit, ...]]
    uncontained: tuple[tuple[LexedFile, UnsupportedConstruct], ...]
    """What no compiler takes."""
    header: str | None
    """Text of the file ``foreign.HEADER``; None where no file includes it."""


def contained(files: list[LexedFile], context: UnitContext, found: Mapping[Path, list[UnsupportedConstruct]]) -> Containment:
    """``found``: each place, not only the first of a construct."""
    namespaces = dict(_NAMESPACES)
    if any(construct.construct == _LIBCUXX for constructs in found.values() for construct in constructs):
        namespaces["cuda"] = _LIBCUXX
    edits: dict[Path, list[Edit]] = {file.path: [] for file in files}
    names = dict[str, str]()
    waiting = [(f, c) for f in files for c in (*found.get(f.path, []), *_foreign_uses(f, context, namespaces))]
    while waiting:
        removed = dict[str, str]()
        for file, construct in waiting:
            if not construct.is_no_cuda:
                edit, name = _edit(file, construct, context)
                edits[file.path].append(edit)
                if name is not None and name not in names:
                    removed[name] = construct.construct
        names |= removed
        waiting = [(file, use) for file in files for use in _uses(file, removed, edits[file.path])]
    has_header = any(HEADER in edit.text for of_file in edits.values() for edit in of_file)
    uncontained = tuple((file, c) for file in files for c in found.get(file.path, []) if c.is_no_cuda)
    return Containment(
        {path: _outermost(of_file) for path, of_file in edits.items()},
        uncontained,
        header_text(foreign_names(files)) if has_header else None,
    )


def _edit(file: LexedFile, construct: UnsupportedConstruct, context: UnitContext) -> tuple[Edit, str | None]:
    """Instead of what holds the construct, and the name that is then not declared."""
    if construct.header is not None:
        is_declared = family_of(construct.header) is not None
        return Edit(construct.offset, construct.stop, f'#include "{HEADER}"' if is_declared else ""), None
    code = file.code
    index = bisect_left(code.tokens, construct.offset, key=lambda token: token.start)
    for function in _functions(file):
        if function.body is not None and function.body.start < index < function.body.stop:
            body = function.body
            if function.words & context.device_words:
                return _refusal(file, body, construct, "{ {}}"), None
            return _refusal(file, stopped(code, index, body), construct, "{}"), None
    removed = declaration_around(code, index)
    tokens = removed.tokens
    return Edit(code.tokens[tokens.start].start, code.tokens[tokens.stop - 1].end, ""), removed.name


def _refusal(file: LexedFile, tokens: range, construct: UnsupportedConstruct, around: str) -> Edit:
    """Instead of the tokens, on the line of what is named."""
    start, end = file.code.tokens[tokens.start].start, file.code.tokens[tokens.stop - 1].end
    lines = "\n" * file.text.count("\n", start, construct.offset)
    call = f'{lines}emu_refuse("{_quoted(construct.construct)}", __FILE__, __LINE__); '
    return Edit(start, end, around.replace("{}", call))


def _foreign_uses(file: LexedFile, context: UnitContext, namespaces: Mapping[str, str]) -> Iterator[UnsupportedConstruct]:
    """Names of libraries: in device code those of C libraries too, which only host code may call in vain."""
    device = [range(d.body.start, d.body.stop) for d in _functions(file) if d.body and d.words & context.device_words]
    for i, token in enumerate(file.code.tokens):
        if token.kind is not Kind.NAME:
            continue
        if token.text in namespaces and (file.code.text(i + 1) == "::" or file.code.text(i - 1) == "namespace"):
            yield UnsupportedConstruct(namespaces[token.text], token.start)
        elif is_foreign(token.text) and file.code.text(i + 1) == "(" and any(i in body for body in device):
            yield UnsupportedConstruct(family_of(token.text) or token.text, token.start)


def _uses(file: LexedFile, names: Mapping[str, str], edits: list[Edit]) -> Iterator[UnsupportedConstruct]:
    """Where names are used that are not declared any more, by the construct that each needs."""
    if not names:
        return
    gone = [(edit.start, edit.end) for edit in edits]
    for token in file.code.tokens:
        if token.kind is Kind.NAME and token.text in names and not any(start <= token.start < end for start, end in gone):
            yield UnsupportedConstruct(names[token.text], token.start)


def _outermost(edits: list[Edit]) -> tuple[Edit, ...]:
    """Without those inside of others."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda each: (each.start, -each.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return tuple(kept)


def _functions(file: LexedFile) -> Iterator[Function]:
    return (declaration for declaration in file.code_declarations if isinstance(declaration, Function))


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
