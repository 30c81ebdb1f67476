"""Compiler output, read into `Diagnostic` values: nvcc's and NVRTC's front end, ptxas, and g++.

Columns: nvcc prints a caret under its own copy of the line (keywords already expanded), so the column is found again in
the user's text. Example::

    parse_nvcc('k.cu(2): error: identifier "q" is undefined\\n …', {"k.cu": text})[0].column
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import zip_longest

from assistant.model.build import ASSEMBLER, Diagnostic, DiagnosticSeverity

__all__ = ["clipped", "parse_compiler", "parse_edg", "parse_gcc", "parse_ptxas"]

_EDG = re.compile(
    r"^(?P<file>[^\s(].*?)\((?P<line>\d+)\): (?:catastrophic )?(?P<severity>error|warning|remark)"
    r"(?: #(?P<code>\d+)(?:-[A-Z])?)?: (?P<message>.*)$"
)
_EDG_PLACELESS = re.compile(r"^(?:nvcc|nvrtc)?\s*(?P<severity>error|warning)\s*: (?P<message>.*)$")
_NVCC_FATAL = re.compile(r"^nvcc (?P<severity>fatal|warning)\s*: (?P<message>.*)$")
_GCC = re.compile(
    r"^(?P<file>[^\s:][^:]*):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<severity>fatal error|error|warning|note): (?P<message>.*)$"
)
_OF_A_HEADER = "#pragma once in main file"
"""Said of a header that is looked at by itself, which is nothing to be warned of."""
_GCC_PLACELESS = re.compile(r"^(?:cc1plus|cc1|g\+\+|gcc): (?P<severity>fatal error|error): (?P<message>.*)$")
_PTXAS = re.compile(r"^ptxas (?:(?P<file>[^,]+), line (?P<line>\d+); )?(?P<severity>fatal|error|warning)\s*: (?P<message>.*)$")
_MOST_CHARACTERS = 4000
"""Upper bound for one message (chosen): the notes on a template of the standard library stay below it."""
_CARET = re.compile(r"^\s*\^\s*$")
_NOISE = re.compile(
    r"^(?:Remark: The warnings can be suppressed.*|\d+ errors? detected in the compilation of .*|\d+ errors?, .*|"
    r"\d+ errors? detected.*|compilation terminated\.|.*errors? limit reached.*|In file included from .*|\s+from .*[,:])$"
)
_SEVERITIES = {
    "error": DiagnosticSeverity.ERROR,
    "fatal error": DiagnosticSeverity.ERROR,
    "fatal": DiagnosticSeverity.ERROR,
    "warning": DiagnosticSeverity.WARNING,
    "remark": DiagnosticSeverity.NOTE,
    "note": DiagnosticSeverity.NOTE,
}


def parse_compiler(output: str, texts: Mapping[str, str], compiler: str) -> tuple[Diagnostic, ...]:
    """Everything one nvcc run printed: front end, host preprocessor and ptxas, in that order, without repeats."""
    found = (*parse_edg(output, texts, compiler), *parse_gcc(output), *parse_ptxas(output), *_parse_driver(output, compiler))
    return tuple(dict.fromkeys(replace(diagnostic, message=clipped(diagnostic.message)) for diagnostic in found))


def clipped(message: str) -> str:
    """What a person reads of a message; a source can make it as long as it likes (``#error``)."""
    return message if len(message) <= _MOST_CHARACTERS else f"{message[:_MOST_CHARACTERS]}…"


def parse_edg(output: str, texts: Mapping[str, str], compiler: str) -> tuple[Diagnostic, ...]:
    """The front end's messages (nvcc and NVRTC print alike). ``texts``: file name as printed → its text, for columns."""
    found: list[Diagnostic] = []
    shown_line = ""
    lines = output.splitlines()
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        if match := _EDG.match(line):
            found.append(_edg_diagnostic(match, compiler))
            shown_line = ""
        elif found and _CARET.match(line):
            found[-1] = _with_column(found[-1], shown_line, line.index("^"), texts)
        elif _CARET.match(following):
            shown_line = line
        elif found and line.startswith(("          ", "        ")) and not _NOISE.match(line):
            found[-1] = replace(found[-1], message=f"{found[-1].message}\n{line.strip()}")
        elif line.strip():
            shown_line = line
        else:
            shown_line = ""
    return tuple(found)


def parse_gcc(output: str) -> tuple[Diagnostic, ...]:
    """g++'s messages; notes are joined to what they explain."""
    found: list[Diagnostic] = []
    for line in output.splitlines():
        if placeless := _GCC_PLACELESS.match(line):
            found.append(Diagnostic("", 0, 0, DiagnosticSeverity.ERROR, placeless["message"], None, "g++"))
            continue
        match = _GCC.match(line)
        if match is None or match["message"] == _OF_A_HEADER:
            continue
        severity = _SEVERITIES[match["severity"]]
        if severity is DiagnosticSeverity.NOTE and found:
            note = f"{match['file']}:{match['line']}: note: {match['message']}"
            found[-1] = replace(found[-1], message=f"{found[-1].message}\n{note}")
            continue
        column = int(match["column"] or 0)
        found.append(Diagnostic(match["file"], int(match["line"]), column, severity, match["message"], None, "g++"))
    return tuple(found)


def parse_ptxas(output: str) -> tuple[Diagnostic, ...]:
    """ptxas's errors and warnings (too much shared memory, unknown instruction); their places are in PTX, so they carry none."""
    return tuple(
        Diagnostic("", 0, 0, _SEVERITIES[match["severity"]], match["message"], None, ASSEMBLER)
        for match in (_PTXAS.match(line) for line in output.splitlines())
        if match
    )


def _parse_driver(output: str, compiler: str) -> tuple[Diagnostic, ...]:
    return tuple(
        Diagnostic("", 0, 0, _SEVERITIES[match["severity"]], match["message"], None, compiler)
        for match in (_NVCC_FATAL.match(line) or _EDG_PLACELESS.match(line) for line in output.splitlines())
        if match
    )


def _edg_diagnostic(match: re.Match[str], compiler: str) -> Diagnostic:
    severity = _SEVERITIES[match["severity"]]
    return Diagnostic(match["file"], int(match["line"]), 0, severity, match["message"], match["code"], compiler)


def _with_column(diagnostic: Diagnostic, shown: str, caret: int, texts: Mapping[str, str]) -> Diagnostic:
    text = texts.get(diagnostic.file)
    if text is None or not shown:
        return diagnostic
    lines = text.split("\n")
    if not 1 <= diagnostic.line <= len(lines):
        return diagnostic
    before_caret = shown.encode("utf-8", "surrogateescape")[:caret].decode("utf-8", "replace")  # the compiler counts bytes
    return replace(diagnostic, column=_column(lines[diagnostic.line - 1], shown, len(before_caret)))


def _column(original: str, shown: str, caret: int) -> int:
    """1-based column in ``original`` of what stands at ``caret`` in ``shown``; 0 where the two differ too much to say."""
    tail = shown[caret:].rstrip()
    if caret == len(shown.rstrip()):
        return len(original.rstrip()) + 1
    position = original.rfind(tail) if tail else -1
    if position >= 0:
        return position + 1
    word = re.match(r"\w+|\S", tail)
    if word is None or original.count(word[0]) != 1:
        return 0
    return original.index(word[0]) + 1
