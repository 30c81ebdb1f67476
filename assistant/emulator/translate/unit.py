"""Translates one translation unit: the main file and every user header it includes, recursively.

Knows no compiler and touches no disk: files come through a ``load`` function. Example:
``translate(Path("/a.cu"), load, (), Options())``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from os.path import normpath
from pathlib import Path

from assistant.build.units import is_c
from assistant.emulator.translate.calls import call_edits
from assistant.emulator.translate.communication import communicates, unread_edits
from assistant.emulator.translate.context import LexedFile, UnitContext, gather, is_stubbed_kernel, lex_files
from assistant.emulator.translate.edits import Edit, EditedText, apply_edits
from assistant.emulator.translate.foreign import HEADER
from assistant.emulator.translate.host import host_edits
from assistant.emulator.translate.kernel_end import end_edits
from assistant.emulator.translate.launches import address_edits, invocation_edits, launch_edits
from assistant.emulator.translate.lexer import Kind, Macro
from assistant.emulator.translate.names import with_names_spelled_out
from assistant.emulator.translate.packs import pack_edits
from assistant.emulator.translate.promote import promotion_obstacle, promotion_renames
from assistant.emulator.translate.ptx import ASM_WORDS, ptx_edit
from assistant.emulator.translate.read_only import read_only_edits
from assistant.emulator.translate.refusals import contained
from assistant.emulator.translate.spelling import device_call_renames, keyword_renames, shadow_renames
from assistant.emulator.translate.stream import Stream
from assistant.emulator.translate.structure import Declaration, Function, declarations
from assistant.emulator.translate.stubs import stub_text
from assistant.emulator.translate.unsupported import UnsupportedConstruct, find_unsupported
from assistant.emulator.translate.uses import uses_cuda
from assistant.emulator.translate.variables import constant_table_edits, shared_edits, symbol_edits
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.record import Record

COMPILER = "emulator"
_VOLATILE = frozenset({"volatile", "__ldcv"})
_INCLUDE = re.compile(r"[ \t]*#[ \t]*include[ \t]*([\"<])([^\">\n]+)[\">]")

Load = Callable[[Path], str | None]
"""Text of a user file; None when there is no such file, or when it is not the user's (the emulator's own headers)."""


class TranslatedFile(Record):
    """One file of the unit in its new form."""

    path: Path
    """The user's path."""
    name: str
    """File name under which the other files of the unit include it."""
    edited: EditedText


class TranslatedUnit(Record):
    """The main file first, then its headers."""

    files: tuple[TranslatedFile, ...]
    has_main: bool
    uses_volatile: bool
    """Whether device code holds ``volatile``: lock-step code that is right only when such accesses keep lanes together."""
    communicates: bool
    """Whether device code holds what blocks could signal to each other with."""
    uses_cuda: bool = True
    """False for a unit that a host compiler compiles without CUDA's headers, so that CUDA's names are free in it."""
    contained: tuple[Diagnostic, ...] = ()
    """What the emulator does not run, in functions that say so when they are called."""
    is_c: bool = False
    """Whether it is C, which is compiled as it stands."""


class Untranslatable(Record):
    """The unit holds something the emulator cannot run."""

    diagnostics: tuple[Diagnostic, ...]


class Unpromotable(Record):
    """``float`` cannot be widened to ``double`` in this unit."""

    reason: str


def closure(main: Path, load: Load, include_dirs: tuple[Path, ...]) -> Mapping[Path, str]:
    """Every user file of the unit with its text, the main file first."""
    texts: dict[Path, str] = {}
    waiting = [main]
    while waiting:
        path = waiting.pop(0)
        text = None if path in texts else load(path)
        if text is None:
            continue
        texts[path] = text
        for line in text.splitlines():
            match = _INCLUDE.match(line) if "include" in line else None
            if match is not None:
                waiting.extend(p for p in _candidates(match, path, include_dirs) if p not in texts)
    return texts


def translate(
    texts: Mapping[Path, str], include_dirs: tuple[Path, ...], *, promote_float: bool = False, noted_function: str | None = None
) -> TranslatedUnit | Untranslatable | Unpromotable:
    """The unit in C++, or in C where it is written in that; ``texts`` comes from ``closure``. ``noted_function``: of the host, whose calls
    a recording notes."""
    files = lex_files(with_names_spelled_out(texts))
    if is_c(files[0].path):
        return _translated_c(files, include_dirs)
    context = gather(files)
    unsupported = {f.path: find_unsupported(f, context) for f in files}
    containment = contained(files, context, unsupported)
    if containment.uncontained:
        return Untranslatable(_first_of_each(containment.uncontained))
    if promote_float:
        for file in files:
            obstacle = promotion_obstacle(file.code)
            if obstacle is not None:
                return Unpromotable(f"{file.path.name} uses {obstacle}, which depends on the bits of a narrower type")
    names, is_cuda = _copied_names(files), uses_cuda(files)
    translated: list[TranslatedFile] = []
    unread: list[Diagnostic] = []
    for file in files:
        edits, unread_offsets = _file_edits(file, context, promote_float)
        unread += [_diagnostic(file, "a kernel launch that could not be read", o) for o in unread_offsets]
        edits = [*containment.edits[file.path], *edits, *_include_edits(file, names, include_dirs)]
        if noted_function is not None and is_cuda:  # what notes a call comes with CUDA's headers
            found = [f for f in file.code_declarations if isinstance(f, Function)]
            edits += [edit for f in found for edit in call_edits(file.code, f, context.device_words, noted_function)]
        translated.append(TranslatedFile(file.path, names[file.path], apply_edits(file.text, edits)))
    if unread:
        return Untranslatable(tuple(unread))
    if containment.header is not None:
        translated.append(TranslatedFile(Path(HEADER), HEADER, apply_edits(containment.header, [])))
    refused = tuple(_diagnostic(f, u.construct, u.offset) for f in files for u in unsupported[f.path])
    has_main, uses_volatile = any(map(_defines_main, files)), any(_has_word(f, _VOLATILE) for f in files)
    has_signals = any(_communicates(f, context) for f in files)
    return TranslatedUnit(tuple(translated), has_main, uses_volatile, has_signals, is_cuda, refused)


def _first_of_each(found: tuple[tuple[LexedFile, UnsupportedConstruct], ...]) -> tuple[Diagnostic, ...]:
    """One error for each construct of a file."""
    first = {(file.path, construct.construct): (file, construct) for file, construct in reversed(found)}
    return tuple(_diagnostic(file, construct.construct, construct.offset) for file, construct in reversed(first.values()))


def _translated_c(files: list[LexedFile], include_dirs: tuple[Path, ...]) -> TranslatedUnit:
    """Only includes lead elsewhere: C holds no device code."""
    names = _copied_names(files)
    translated = (TranslatedFile(f.path, names[f.path], apply_edits(f.text, _include_edits(f, names, include_dirs))) for f in files)
    return TranslatedUnit(tuple(translated), any(map(_defines_main, files)), False, False, uses_cuda=False, is_c=True)


def _copied_names(files: list[LexedFile]) -> dict[Path, str]:
    return {f.path: f"{i}_{f.path.name}" for i, f in enumerate(files)}


def _file_edits(file: LexedFile, context: UnitContext, promote: bool) -> tuple[list[Edit], list[int]]:
    edits: list[Edit] = []
    unread: list[int] = []
    streams: list[tuple[Stream, tuple[Declaration, ...], Macro | None]] = [(file.code, file.code_declarations, None)]
    streams += [(s, tuple(declarations(s)), m) for m, s in file.macros]
    for stream, found, macro in streams:
        renames = keyword_renames(stream) | shadow_renames(stream) | device_call_renames(stream, found, context.device_words)
        if promote:
            renames |= promotion_renames(stream)
        launches, unread_tokens = launch_edits(stream, context, macro)
        unread += [stream.tokens[i].start for i in unread_tokens]
        edits += shared_edits(stream, renames) + launches + address_edits(stream, context) + invocation_edits(stream, context, macro)
        edits += _declaration_edits(stream, found, context, renames, is_macro=macro is not None)
        edits += unread_edits(stream, range(len(stream.tokens)))
        edits += [e for i, t in enumerate(stream.tokens) if t.text in ASM_WORDS and (e := ptx_edit(stream, i)) is not None]
        edits += [Edit(t.start, t.end, renames[t.start]) for t in stream.tokens if t.start in renames]
    return edits, unread


def _declaration_edits(
    stream: Stream, found: tuple[Declaration, ...], context: UnitContext, renames: dict[int, str], *, is_macro: bool
) -> list[Edit]:
    edits: list[Edit] = []
    for declaration in found:
        if not isinstance(declaration, Function):
            edits += [] if is_macro else [*constant_table_edits(stream, declaration), *symbol_edits(stream, declaration)]
        elif declaration.words & context.global_words:
            is_stubbed = is_stubbed_kernel(stream, declaration, context.global_words)
            stub = stub_text(stream, declaration, context.global_words, renames) if is_stubbed else None
            last = declaration.body.stop - 1 if declaration.body else declaration.head.stop
            if stub is not None and last < len(stream.tokens):
                end = stream.tokens[last].end
                edits.append(Edit(end, end, stub))
            edits += pack_edits(stream, declaration, context.restrict_words)
            if not is_macro:
                edits += end_edits(stream, declaration) if context.has_barriers else []
                edits += read_only_edits(stream, declaration, context.restrict_words, renames)
        elif not is_macro:
            edits += host_edits(stream, declaration, context.device_words, context.inline_words)
    return edits


def _include_edits(file: LexedFile, names: Mapping[Path, str], include_dirs: tuple[Path, ...]) -> list[Edit]:
    edits: list[Edit] = []
    for token in file.tokens:
        match = _INCLUDE.match(token.text) if token.kind is Kind.DIRECTIVE else None
        if match is None:
            continue
        target = next((p for p in _candidates(match, file.path, include_dirs) if p in names), None)
        if target is not None:
            edits.append(Edit(token.start + match.start(1), token.start + match.end(), f'"{names[target]}"'))
    return edits


def _candidates(match: re.Match[str], including: Path, include_dirs: tuple[Path, ...]) -> list[Path]:
    folders = ([including.parent] if match.group(1) == '"' else []) + list(include_dirs)
    return [Path(normpath(folder / match.group(2))) for folder in folders]


def _defines_main(file: LexedFile) -> bool:
    for declaration in file.code_declarations:
        if isinstance(declaration, Function) and declaration.body is not None and "main" in declaration.words and not declaration.scope:
            return True
    return False


def _has_word(file: LexedFile, words: frozenset[str]) -> bool:
    """Whether a function or macro of the file holds one of the words."""
    functions = [d for d in file.code_declarations if isinstance(d, Function) and d.body is not None]
    in_macros = any(t.text in words for _, s in file.macros for t in s.tokens)
    return in_macros or any(file.code.text(i) in words for f in functions for i in range(f.head.start, (f.body or f.head).stop))


def _communicates(file: LexedFile, context: UnitContext) -> bool:
    functions = [
        d for d in file.code_declarations if isinstance(d, Function) and d.body and (d.is_member or d.words & context.device_words)
    ]
    variables = [d for d in file.code_declarations if not isinstance(d, Function) and d.words & context.device_words]
    in_code = any(communicates(file.code, range(d.head.start, (d.body or d.head).stop)) for d in functions)
    in_variables = any(communicates(file.code, d.head) for d in variables)
    return in_code or in_variables or any(communicates(s, range(len(s.tokens))) for _, s in file.macros)


def _diagnostic(file: LexedFile, construct: str, offset: int) -> Diagnostic:
    line_start = file.text.rfind("\n", 0, offset) + 1
    return Diagnostic(
        file=str(file.path),
        line=file.text.count("\n", 0, offset) + 1,
        column=offset - line_start + 1,
        severity=DiagnosticSeverity.ERROR,
        message=f"the emulator does not support {construct}" if "could not" not in construct else construct,
        compiler=COMPILER,
    )
