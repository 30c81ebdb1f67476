"""g++'s messages as Diagnostics of the user's own text: columns undone, the emulator's internals taken out."""

from __future__ import annotations

import re

from assistant.build.diagnostics import clipped
from assistant.emulator.toolchain import INCLUDE_DIR
from assistant.emulator.translate.unit import TranslatedFile
from assistant.model.build import Diagnostic, DiagnosticSeverity

_MESSAGE = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<kind>fatal error|error|warning|note): (?P<text>.*)$"
)
_ASSEMBLER = re.compile(r"^\S+\.s:\d+: (?:Fatal error|Error): (?P<text>.*)$")
"""What the user wrote within ``asm``; its place is in the compiler's own file."""
_SPELLINGS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r" \[-fpermissive\]$"), ""),  # a way out that the user does not have
    (re.compile(r"emu_stub_"), ""),
    (re.compile(r"const EmuConfig&(, )?"), ""),
    (re.compile(r"\(EmuConfig, "), "("),
    (re.compile(r"\(EmuConfig\)"), "()"),
    (re.compile(r"emu_user_"), ""),
    (re.compile(r"emu_device_(printf|memcpy|memset|malloc|free|sincosf?)"), r"\1"),
)


def read_messages(output: str, files: tuple[TranslatedFile, ...]) -> list[Diagnostic]:
    """One Diagnostic per error or warning, notes that name the user's code joined to it; in the compiler's order."""
    by_path = {str(f.path): f for f in files}
    found: list[Diagnostic] = []
    pending_place: tuple[str, int, int] | None = None
    for line in output.splitlines():
        assembler = _ASSEMBLER.match(line)
        if assembler is not None:
            found.append(Diagnostic(str(files[0].path), 0, 0, DiagnosticSeverity.ERROR, clipped(assembler["text"]), compiler="g++"))
            continue
        match = _MESSAGE.match(line)
        if match is None:
            pending_place = _required_from(line, by_path) or pending_place
            continue
        place = _place(match["file"], int(match["line"]), int(match["column"] or 0), by_path)
        text = clipped(_clean(match["text"]))
        if match["kind"] == "note":
            if found and place is not None and "emu_" not in text:
                last = found[-1]
                found[-1] = _with_message(last, f"{last.message}\n{place[0]}:{place[1]}: {text}")
            continue
        severity = DiagnosticSeverity.WARNING if match["kind"] == "warning" else DiagnosticSeverity.ERROR
        place = place or pending_place or (str(files[0].path), 0, 0)
        found.append(Diagnostic(*place, severity, text, compiler="g++"))
        pending_place = None
    return list(dict.fromkeys(found))


def _required_from(line: str, by_path: dict[str, TranslatedFile]) -> tuple[str, int, int] | None:
    """The user's place in ``file:line:column:   required from …``: where an error inside our headers came from."""
    match = re.match(r"^(?:In file included from |\s+from )?([^\s:][^:]*):(\d+):(?:(\d+):)?\s+required from", line)
    return _place(match[1], int(match[2]), int(match[3] or 0), by_path) if match else None


def _place(file: str, line: int, column: int, by_path: dict[str, TranslatedFile]) -> tuple[str, int, int] | None:
    translated = by_path.get(file)
    if translated is None:
        return None if file.startswith(str(INCLUDE_DIR)) else (file, line, column)
    last_line = translated.edited.text.count("\n") + 1
    if line > last_line:  # the appended kernel registrations
        return file, 0, 0
    return file, line, translated.edited.original_column(line, column) if column else 0


def _clean(text: str) -> str:
    text = text.replace("‘", "'").replace("’", "'")
    for pattern, replacement in _SPELLINGS:
        text = pattern.sub(replacement, text)
    return text


def _with_message(diagnostic: Diagnostic, message: str) -> Diagnostic:
    return Diagnostic(
        diagnostic.file, diagnostic.line, diagnostic.column, diagnostic.severity, message, diagnostic.code, diagnostic.compiler
    )
