"""Declared workloads: TOML in ``/* kernelopt … */`` comments and ``NAME.kernelopt.toml`` next to the source.

Reads text, never files. Every problem names the file, the line of the offending key and what was expected.

Example::

    find_workloads(Path("/k.cu"), "/* kernelopt\\n[workload.k]\\n…*/")    # (DeclaredWorkload(name="k", …),)
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from assistant.cuda.tokens import TokenKind, lexed
from assistant.model.workload import DeclaredWorkload, WorkloadProblem, WorkloadProblemCode
from assistant.record import Record
from assistant.workload.schema import BlockReader, RefusedKeyError
from assistant.workload.toml_lines import KeyPath, key_lines

__all__ = ["Block", "find_blocks", "find_workloads", "parse_sidecar", "sidecar_path", "workload_blocks"]

_WORD = "kernelopt"
_OPENING = re.compile(r"/\*+[ \t]*kernelopt\b")
_OPERATOR = re.compile(r"^[ \t]*\[operator\]", re.MULTILINE)
_TOML_ERROR_LINE = re.compile(r"\(at line (\d+), column \d+\)$")


class Block(Record):
    """The TOML text of a comment."""

    toml: str
    first_line: int
    """Line of the file on which ``toml`` starts, 1-based."""


def sidecar_path(source: Path) -> Path:
    """``/a/k.cu`` → ``/a/k.kernelopt.toml``."""
    return source.with_name(f"{source.stem}.kernelopt.toml")


def find_blocks(text: str) -> tuple[Block, ...]:
    """The ``/* kernelopt … */`` comments of CUDA text, in order; none inside strings or ``//`` comments."""
    if _WORD not in text:
        return ()
    blocks = list[Block]()
    for token in lexed(text).tokens:
        opening = _OPENING.match(text, token.start) if token.kind is TokenKind.COMMENT else None
        if opening is not None and text.endswith("*/", opening.end(), token.end):
            inside = _without_stars(text[opening.end() : token.end - 2])
            blocks.append(Block(inside, text.count("\n", 0, opening.end()) + 1))
    return tuple(blocks)


def workload_blocks(text: str) -> tuple[Block, ...]:
    """Those that declare workloads: a comment with an ``[operator]`` table alone says how PyTorch calls a launcher."""
    return tuple(block for block in find_blocks(text) if "[workload" in block.toml or not _OPERATOR.search(block.toml))


def find_workloads(path: Path, text: str) -> tuple[DeclaredWorkload | WorkloadProblem, ...]:
    """Every workload that the comments of ``text`` declare, or why it cannot be used; names are unique."""
    found = list[DeclaredWorkload | WorkloadProblem]()
    for block in workload_blocks(text):
        found.extend(_parse(path, block))
    return _unique(found)


def parse_sidecar(path: Path, text: str) -> tuple[DeclaredWorkload | WorkloadProblem, ...]:
    """Every workload of a ``NAME.kernelopt.toml``."""
    return _unique(_parse(path, Block(text, 1)))


def _unique(
    found: list[DeclaredWorkload | WorkloadProblem],
) -> tuple[DeclaredWorkload | WorkloadProblem, ...]:
    first_lines: dict[str, int] = {}
    result = list[DeclaredWorkload | WorkloadProblem]()
    for item in found:
        if isinstance(item, DeclaredWorkload) and item.name in first_lines:
            message = f"workload '{item.name}' is already declared on line {first_lines[item.name]}"
            item = WorkloadProblem(WorkloadProblemCode.REPEATED_NAME, item.path, item.line, message)
        elif isinstance(item, DeclaredWorkload):
            first_lines[item.name] = item.line
        result.append(item)
    return tuple(result)


def _parse(path: Path, block: Block) -> list[DeclaredWorkload | WorkloadProblem]:
    try:
        document = tomllib.loads(block.toml)
    except tomllib.TOMLDecodeError as error:
        return [_syntax_problem(path, block, error)]
    lines = key_lines(block.toml)

    def problem(code: WorkloadProblemCode, at: KeyPath, message: str) -> WorkloadProblem:
        """The problem at the line of the innermost key of ``at`` that stands in the text."""
        while at and at not in lines:
            at = at[:-1]
        line = lines.get(at, 1)
        return WorkloadProblem(code, path, block.first_line + line - 1, message)

    strangers = [key for key in document if key not in ("workload", "operator")]
    if strangers:
        return [problem(WorkloadProblemCode.UNKNOWN_KEY, (strangers[0],), f"unknown key '{strangers[0]}', expected [workload.NAME]")]
    tables: Any = document.get("workload")
    if not isinstance(tables, dict) or not tables:
        return [problem(WorkloadProblemCode.NO_WORKLOAD, ("workload",), "no workload here, expected a [workload.NAME] table")]
    return [_read(path, block, lines, str(name), table, problem) for name, table in tables.items()]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] # TOML is untyped


def _read(
    path: Path, block: Block, lines: dict[KeyPath, int], name: str, table: object, problem: Any
) -> DeclaredWorkload | WorkloadProblem:
    line = block.first_line + lines.get(("workload", name), 1) - 1
    try:
        return BlockReader(name, table).read(path, line)
    except RefusedKeyError as refusal:
        return problem(refusal.code, refusal.at, refusal.message)


def _syntax_problem(path: Path, block: Block, error: tomllib.TOMLDecodeError) -> WorkloadProblem:
    """``tomllib`` gives the line only in its message until Python 3.14."""
    message = str(error)
    match = _TOML_ERROR_LINE.search(message)
    last = block.toml.count("\n") + 1
    line = int(match[1]) if match else last
    reason = message[: match.start()].strip() if match else message.replace("(at end of document)", "").strip()
    return WorkloadProblem(WorkloadProblemCode.SYNTAX, path, block.first_line + min(line, last) - 1, f"not valid TOML: {reason}")


def _without_stars(text: str) -> str:
    """Drops the `` * `` that some formatters put before each line of a comment."""
    lines = text.split("\n")
    rest = [line for line in lines[1:] if line.strip()]
    if not rest or not all(re.match(r"\s*\*(?!\S*=)", line) for line in rest):
        return text
    return "\n".join([lines[0], *(re.sub(r"^\s*\* ?", "", line) for line in lines[1:])])
