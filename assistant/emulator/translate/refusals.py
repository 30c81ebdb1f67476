"""What of a unit the emulator cannot run, contained where that can be done: a function that needs it says so when it is called, and all
else is built and run.

A kernel's body becomes ``{ emu_refuse("inline PTX", __FILE__, __LINE__); }``, and so does that of any other function but ``main``.
Example::

    contained(files, context, constructs)       # Containment(edits={path: [Edit(…)]}, uncontained=())
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from assistant.emulator.translate.context import LexedFile, UnitContext
from assistant.emulator.translate.edits import Edit
from assistant.emulator.translate.foreign import HEADER, family_of, foreign_names, header_text, is_foreign
from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.structure import Function
from assistant.emulator.translate.unsupported import UnsupportedConstruct
from assistant.record import Record

__all__ = ["Containment", "contained"]

_NAMESPACES = {"thrust": "Thrust", "cub": "CUB", "cute": "CuTe", "cutlass": "CUTLASS"}


class Containment(Record):
    edits: Mapping[Path, tuple[Edit, ...]]
    uncontained: tuple[tuple[LexedFile, UnsupportedConstruct], ...]
    """What stands in ``main``, outside functions, or in a function's head."""
    header: str | None
    """Text of the file ``foreign.HEADER``; None where no file includes it."""


def contained(files: list[LexedFile], context: UnitContext, found: Mapping[Path, list[UnsupportedConstruct]]) -> Containment:
    """``found``: each place, not only the first of a construct."""
    edits: dict[Path, tuple[Edit, ...]] = {}
    uncontained: list[tuple[LexedFile, UnsupportedConstruct]] = []
    has_header = False
    for file in files:
        of_file: list[Edit] = []
        for construct in [*found.get(file.path, []), *_foreign_uses(file, context)]:
            edit = _include_edit(construct) or _body_edit(file, construct)
            has_header = has_header or (edit is not None and HEADER in edit.text)
            if edit is None:
                uncontained.append((file, construct))
            elif not any(known.start == edit.start for known in of_file):
                of_file.append(edit)
        edits[file.path] = tuple(of_file)
    return Containment(edits, tuple(uncontained), header_text(foreign_names(files)) if has_header else None)


def _include_edit(construct: UnsupportedConstruct) -> Edit | None:
    """Instead of an ``#include``: declarations of what the unit uses of a C library; nothing for one of templates."""
    if construct.header is None:
        return None
    if family_of(construct.header) is not None:
        return Edit(construct.offset, construct.stop, f'#include "{HEADER}"')
    if construct.header.startswith(tuple(f"{name}/" for name in _NAMESPACES)):
        return Edit(construct.offset, construct.stop, "")
    return None


def _body_edit(file: LexedFile, construct: UnsupportedConstruct) -> Edit | None:
    for function in _functions(file):
        body = function.body
        if body is None:
            continue
        opener, closer = file.code.tokens[body.start], file.code.tokens[body.stop - 1]
        if opener.start < construct.offset < closer.end:
            if "main" in function.words and not function.scope:
                return None
            lines = "\n" * file.text.count("\n", opener.start, construct.offset)  # so that it stands on the line of what it names
            return Edit(opener.start, closer.end, f'{{ {lines}emu_refuse("{_quoted(construct.construct)}", __FILE__, __LINE__); }}')
    return None


def _foreign_uses(file: LexedFile, context: UnitContext) -> Iterator[UnsupportedConstruct]:
    """Names of libraries: in device code those of C libraries too, which only host code may call in vain."""
    device = [range(d.body.start, d.body.stop) for d in _functions(file) if d.body and d.words & context.device_words]
    for i, token in enumerate(file.code.tokens):
        if token.kind is not Kind.NAME:
            continue
        if token.text in _NAMESPACES and file.code.text(i + 1) == "::":
            yield UnsupportedConstruct(_NAMESPACES[token.text], token.start)
        elif is_foreign(token.text) and file.code.text(i + 1) == "(" and any(i in body for body in device):
            yield UnsupportedConstruct(family_of(token.text) or token.text, token.start)


def _functions(file: LexedFile) -> Iterator[Function]:
    return (declaration for declaration in file.code_declarations if isinstance(declaration, Function))


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
