"""What a kernel's text says of its variables: how they are set, what they stay below, where arrays are indexed.

A reading by words, not a parse: `kernelopt init` starts a block for people to edit, so what is not understood is left out.

Example::

    read_kernel("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i];", 0)
    # set_to: i → ('global_x',); below: i → ('n',); indexed: y → ('i',), x → ('i',)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.record import Record

__all__ = ["KernelText", "closing", "expression_at", "in_words", "read_kernel"]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_INTEGER = r"(?:unsigned|signed|long|short|int|char|size_t|ptrdiff_t|u?int\d+_t|u?intptr_t)"
_CAST = re.compile(rf"\(\s*(?:const\s+)?{_INTEGER}(?:\s+{_INTEGER})*\s*\)|\b(?:static_cast|const_cast)\s*<[^<>]*>|\bstd::(?=min|max)")
_SCALE = r"(?:blockDim\s*\.\s*\1|\w+)"
_GLOBAL = (
    re.compile(rf"blockIdx\s*\.\s*([xyz])\s*\*\s*{_SCALE}\s*\+\s*threadIdx\s*\.\s*\1\b"),
    re.compile(r"(?:blockDim\s*\.\s*[xyz]|\b\w+)\s*\*\s*blockIdx\s*\.\s*([xyz])\s*\+\s*threadIdx\s*\.\s*\1\b"),
    re.compile(rf"threadIdx\s*\.\s*([xyz])\s*\+\s*blockIdx\s*\.\s*\1\s*\*\s*{_SCALE}"),
    re.compile(r"threadIdx\s*\.\s*([xyz])\s*\+\s*(?:blockDim\s*\.\s*[xyz]|\b\w+)\s*\*\s*blockIdx\s*\.\s*([xyz])\b"),
)
_HELD = re.compile(r"\b([A-Za-z_]\w*)\s*=\s*((?:threadIdx|blockIdx|blockDim)\s*\.\s*[xyz])\s*[,;]")
_PRODUCT = re.compile(r"(?<![\w)\]])\(\s*((?:blockIdx\s*\.\s*[xyz]\s*\*\s*[\w.]+)|(?:[\w.]+\s*\*\s*blockIdx\s*\.\s*[xyz]))\s*\)")
_SET = re.compile(r"\b([A-Za-z_]\w*)\s*(=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)")
_PREFIXED = re.compile(r"(\+\+|--)\s*([A-Za-z_]\w*)")
_STEPPED = re.compile(r"\bfor\s*\(\s*(?:\w+\s+)*?([A-Za-z_]\w*)\s*=\s*\d+\s*;[^;]*;\s*\1\s*\+=\s*(\w+)\s*\)")
_SHRINKING = ("-=", "/=", ">>=", "--", "&=", "%=")
_CONDITION = re.compile(r"\bif\s*\(")
_LEAVING = re.compile(r"\s*\{?\s*(?:return|continue|break)\b")
_COMPARED = re.compile(r"(?<![<>=!-])(<=?|>=?)(?![<>=])")
_MULTIPLE = re.compile(r"([A-Za-z_]\w*)\s*\*\s*(\d+)|(\d+)\s*\*\s*([A-Za-z_]\w*)")
_OFFSET = re.compile(r"([A-Za-z_]\w*)\s*\+\s*(\d+)")
_OPEN, _CLOSE = "([{", ")]}"


class KernelText(Record):
    """One kernel's body, by words."""

    code: str
    """Without comments and casts; a global thread index is the word ``global_x``, ``global_y`` or ``global_z``."""
    set_to: dict[str, tuple[str, ...]]
    """What a variable is set to, by name."""
    growing: frozenset[str]
    """Variables that also change in ways that may make them larger."""
    below: dict[str, tuple[str, ...]]
    """What a variable is found to stay below where it is used."""
    loops: tuple[tuple[str, str], ...]
    """(variable, what it stays below) of each ``for`` loop."""
    steps: dict[str, str]
    """What a ``for`` loop that starts at a number adds to its variable each time."""


def read_kernel(body: str) -> KernelText:
    """The body of a kernel, braces included or not."""
    code = in_words(body)
    below: dict[str, list[str]] = {}
    for name, limit in _limits(code):
        below.setdefault(name, []).append(limit)
    settings, growing = _settings(code)
    return KernelText(code, settings, growing, {name: tuple(limits) for name, limits in below.items()}, tuple(_loops(code)), _steps(code))


def in_words(text: str) -> str:
    """``text`` without comments and casts between integers, global thread indices as one word."""
    code = _with_thread_words(_CAST.sub("", _COMMENT.sub(" ", text)))
    for pattern in _GLOBAL:
        code = pattern.sub(lambda match: f"global_{match[1]}", code)
    code = re.sub(r"\b(blockIdx|threadIdx|blockDim|gridDim)\s*\.\s*([xyz])", r"\1_\2", code)
    return re.sub(r"\(\s*(global_[xyz])\s*\)", r"\1", code)


def _with_thread_words(code: str) -> str:
    """Variables that hold one of CUDA's own replaced by it: ``t = threadIdx.x`` and then ``t``. Products lose their brackets."""
    for name, word in _HELD.findall(code):
        if len(re.findall(rf"\b{name}\s*(?:=(?!=)|[-+*/]=|\+\+|--)", code)) == 1:
            code = re.sub(rf"(?<![.>\w]){name}\b(?!\s*=(?!=))", word, code)
    return _PRODUCT.sub(r"\1", code)


def closing(code: str, opening: int) -> int:
    """Position of the bracket that closes the one at ``opening``; the end of the text when it is missing."""
    depth = 0
    for index in range(opening, len(code)):
        depth += (code[index] in _OPEN) - (code[index] in _CLOSE)
        if depth == 0:
            return index
    return len(code)


def _settings(code: str) -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
    found: dict[str, list[str]] = {}
    growing = {match[2] for match in _PREFIXED.finditer(code) if match[1] == "++"}
    for match in _SET.finditer(code):
        if match[2] == "=":
            found.setdefault(match[1], []).append(expression_at(code, match.end()))
        elif match[2] not in _SHRINKING:
            growing.add(match[1])
    return {name: tuple(values) for name, values in found.items()}, frozenset(growing)


def expression_at(code: str, start: int) -> str:
    """From ``start`` to the next comma, semicolon or closing bracket outside of brackets."""
    depth = 0
    for index in range(start, len(code)):
        depth += (code[index] in _OPEN) - (code[index] in _CLOSE)
        if depth < 0 or (depth == 0 and code[index] in ",;"):
            return code[start:index].strip()
    return code[start:].strip()


def _limits(code: str) -> Iterator[tuple[str, str]]:
    """(variable, what it stays below): ``i < n`` where that must hold, ``i >= n`` where it makes the thread leave."""
    leaving: list[tuple[int, int]] = []
    for match in _CONDITION.finditer(code):
        end = closing(code, match.end() - 1)
        if _LEAVING.match(code, end + 1):
            leaving.append((match.end(), end))
    for match in _COMPARED.finditer(code):
        is_leaving = any(start <= match.start() < end for start, end in leaving)
        left, right = _operand_before(code, match.start()), _operand_after(code, match.end())
        if left is None or right is None:
            continue
        is_left_smaller = match[1].startswith("<") != is_leaving
        is_inclusive = match[1].endswith("=") != is_leaving
        smaller, larger = (left, right) if is_left_smaller else (right, left)
        offset = _OFFSET.fullmatch(smaller)
        if offset is not None:
            smaller, larger = offset[1], f"({larger}) - {offset[2]}"
        multiple = _MULTIPLE.fullmatch(smaller)
        if multiple is not None:
            smaller, larger = multiple[1] or multiple[4], f"({larger}) / {multiple[2] or multiple[3]}"
        if smaller.isidentifier():
            yield smaller, f"({larger}) + 1" if is_inclusive else larger


def _operand_before(code: str, end: int) -> str | None:
    depth, start = 0, 0
    for index in range(end - 1, -1, -1):
        depth += (code[index] in _CLOSE) - (code[index] in _OPEN)
        if depth < 0 or (depth == 0 and (code[index] in ";,?:=!" or code[index : index + 2] in ("&&", "||"))):
            start = index + (2 if code[index] in "&|" else 1)
            break
    text = code[start:end].strip(" &|\n\t")
    return text or None


def _operand_after(code: str, start: int) -> str | None:
    depth = 0
    for index in range(start, len(code)):
        depth += (code[index] in _OPEN) - (code[index] in _CLOSE)
        if depth < 0 or (depth == 0 and (code[index] in ";,?:" or code[index : index + 2] in ("&&", "||"))):
            return code[start:index].strip() or None
    return None


def _loops(code: str) -> Iterator[tuple[str, str]]:
    for match in re.finditer(r"\bfor\s*\(", code):
        head = code[match.end() : closing(code, match.end() - 1)].split(";")
        if len(head) == 3:
            yield from _limits(f"({head[1]})")


def _steps(code: str) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for match in _STEPPED.finditer(code):
        found.setdefault(match[1], []).append(match[2])
    counts = {name: len(re.findall(rf"\b{name}\s*(?:=(?!=)|\+\+)", code)) for name in found}
    return {name: steps[0] for name, steps in found.items() if len(set(steps)) == 1 and counts[name] == len(steps)}
