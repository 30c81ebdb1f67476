"""What a launch site's text says of grid and block, in the exact grammar of a workload block.

Example::

    carried_grid(text, kernel, site, ("n",))    # ('ceil(n/128)',) of k<<<(count + 127) / 128, 128>>>(count, …)
"""

from __future__ import annotations

import re

from assistant.model.source import Kernel, LaunchSite
from assistant.workload.expressions import split_arguments

__all__ = ["carried_block", "carried_grid", "constants", "one_line"]

_DEFINED = re.compile(r"#[ \t]*define[ \t]+(\w+)[ \t]+\(?[ \t]*(\d+)[uUlL]*[ \t]*\)?[ \t]*(?://[^\n]*|/\*[^\n]*)?$", re.M)
_CONSTANT = re.compile(
    r"\b(?:constexpr|const)\s+(?:static\s+)?(?:unsigned\s+)?(?:int|unsigned|size_t|long|auto)\s+(\w+)\s*(?:=|\{)\s*(\d+)[uUlL]*\s*\}?\s*[;,]"
)


def constants(text: str) -> dict[str, int]:
    """Names that the source gives one whole number: ``#define TILE 16``, ``constexpr int TILE = 16;``."""
    found: dict[str, set[int]] = {}
    for pattern in (_DEFINED, _CONSTANT):
        for match in pattern.finditer(text):
            found.setdefault(match[1], set()).add(int(match[2]))
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def carried_block(text: str, site: LaunchSite) -> tuple[int, ...] | None:
    """Threads per axis where the launch says them with numbers or constants; None otherwise."""
    known = constants(text)
    items = [known.get(item.strip(), item.strip()) for item in _dimensions(site.block.text, text)]
    numbers = [int(item) for item in items if isinstance(item, int) or item.isdigit()]
    return tuple(numbers) if numbers and len(numbers) == len(items) else None


def carried_grid(text: str, kernel: Kernel, site: LaunchSite, sizes: tuple[str, ...]) -> tuple[str, ...] | None:
    """The launch's grid in the kernel's own names; None where its text is more than a rounded-up quotient."""
    names = {
        argument.text: parameter.name
        for argument, parameter in zip(site.arguments, kernel.parameters, strict=False)
        if argument.text.isidentifier() and parameter.name in sizes
    }
    known = constants(text)
    items = [_as_exact(_with_numbers(item, known, names), names) for item in _dimensions(site.grid.text, text)]
    carried = tuple(item for item in items if item is not None)
    return carried if carried and len(carried) == len(items) else None


def one_line(text: str) -> str:
    """Safe inside a comment's line."""
    return " ".join(text.replace("*/", "* /").split())


def _with_numbers(item: str, known: dict[str, int], names: dict[str, str]) -> str:
    return re.sub(r"[A-Za-z_]\w*", lambda m: m[0] if m[0] in names else str(known.get(m[0], m[0])), item)


def _as_exact(text: str, names: dict[str, str]) -> str | None:
    """``(n + 255) / 256`` or ``n / 32`` of C's integers in the block's exact grammar; None for anything else."""
    compact = re.sub(r"\s+", "", text)
    if compact.isdigit():
        return compact
    rounded = re.fullmatch(r"\((\w+)\+(\d+)(-1)?\)/(\d+)", compact)
    if rounded is not None and int(rounded[2]) - bool(rounded[3]) != int(rounded[4]) - 1:
        return None
    plain = re.fullmatch(r"(\w+)/(\d+)", compact)
    match = rounded or plain
    if match is None or match[1] not in names:
        return names.get(compact)
    return f"ceil({names[match[1]]}/{match[match.lastindex or 0]})"


def _dimensions(written: str, text: str) -> tuple[str, ...]:
    """The values of ``dim3(a, b)``, of a ``dim3`` variable that ``text`` defines once, or of a plain expression."""
    name = re.escape(written.strip())
    variables = re.findall(rf"\bdim3\s+(?:[^;]*?,\s*)?{name}\s*([({{][^;]*[)}}])\s*[;,]", text)
    variables += re.findall(rf"\bdim3\s+{name}\s*=\s*(?:dim3\s*)?([({{][^;]*[)}}])\s*;", text)
    match = re.fullmatch(r"\s*dim3\s*[({](.*)[)}]\s*", written, re.S)
    return split_arguments(_first_group(variables[0]) if len(variables) == 1 else match[1] if match else written)


def _first_group(text: str) -> str:
    """What stands in the brackets that ``text`` begins with."""
    depth = 0
    for index, character in enumerate(text):
        depth += (character in "({") - (character in ")}")
        if depth == 0:
            return text[1:index]
    return text[1:]
