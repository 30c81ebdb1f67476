"""A first declared block for a kernel, guessed from its parameters and launch site; what `kernelopt init FILE` writes.

The text is a complete comment that parses back; every guess that the user should look at carries a remark.

Example::

    write_block(source.text, kernel, site)    # '/* kernelopt\\n[workload.saxpy]\\nargs = { … }\\n…*/\\n'
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel, LaunchSite, Parameter
from assistant.workload.expressions import ExpressionProblem, names_in, split_arguments

__all__ = ["write_block"]

_DEFAULT_BLOCKS = {1: (256,), 2: (16, 16), 3: (8, 8, 4)}
"""256 threads, a multiple of the warp on every architecture."""
_SIZES = {1: (1 << 20, 1000), 2: (1024, 1000), 3: (128, 100)}
"""Values of every size per dimensionality: a round one and one that no block divides."""
_FACTOR_NAMES = re.compile(r"(?i)alpha|beta|gamma|eps|lr|scale|factor|dt|dx|mean|std|prob")
_INTEGERS_BELOW = 256
_WARP = 32


@dataclass(frozen=True)
class _Layout:
    """What sizes the kernel has and how threads cover them."""

    dimension_count: int
    sizes: tuple[str, ...]
    block: tuple[int, ...]
    is_block_guessed: bool
    is_guarded: bool
    """The kernel compares its sizes with something, so sizes that no block divides are worth a try."""


def write_block(text: str, kernel: Kernel, site: LaunchSite | None) -> str:
    """The comment for ``kernel``, whose source is ``text``; ends with a line break."""
    body = text[kernel.body.start : kernel.body.end]
    layout = _layout(kernel, text, site)
    lines = [f"[workload.{kernel.name}]"]
    if kernel.namespaces or kernel.template_parameters:
        lines.append(_kernel_line(kernel))
    grid, is_grid_guessed = _grid(kernel, layout, text, site)
    lines.append(f"grid = [{', '.join(_quoted(item) for item in grid)}]" + _remark(is_grid_guessed))
    lines.append(f"block = [{', '.join(map(str, layout.block))}]" + _remark(layout.is_block_guessed))
    lines.extend(_shared_line(site, layout))
    lines.extend(_shape_lines(layout))
    lines.append(f"[workload.{kernel.name}.args]")
    for parameter in kernel.parameters:
        value, remark = _value(parameter, kernel, layout, body)
        lines.append(f"{parameter.name} = {value}{f'   # {remark}' if remark else ''}")
    return "/* kernelopt\n" + "\n".join(lines) + "\n*/\n"


def _kernel_line(kernel: Kernel) -> str:
    if not kernel.template_parameters:
        return f'kernel = "{kernel.qualified_name}"'
    values = [p.default or ("float" if p.kind in ("typename", "class") else "1") for p in kernel.template_parameters]
    return f'kernel = "{kernel.qualified_name}<{", ".join(values)}>"   # check the template arguments'


def _layout(kernel: Kernel, text: str, site: LaunchSite | None) -> _Layout:
    body = text[kernel.body.start : kernel.body.end]
    dimension_count = 3 if re.search(r"blockIdx\s*\.\s*z", body) else 2 if re.search(r"blockIdx\s*\.\s*y", body) else 1
    sizes = tuple(p.name for p in kernel.parameters if _is_size(p)) or ("n",)
    block = None if site is None else _dimensions(site.block.text, text)
    numbers = tuple(int(item) for item in block) if block and all(item.isdigit() for item in block) else None
    is_guarded = any(re.search(rf"(?:<=?|>=?|==)\s*{name}\b|\b{name}\s*(?:<=?|>=?|==)", body) for name in sizes)
    return _Layout(dimension_count, sizes, numbers or _DEFAULT_BLOCKS[dimension_count], numbers is None, is_guarded)


def _is_size(parameter: Parameter) -> bool:
    element = None if parameter.is_pointer else parse_element_type(parameter.type)
    return element is not None and not element.is_floating and element.components == 1 and element.kind != "bool"


def _grid(kernel: Kernel, layout: _Layout, text: str, site: LaunchSite | None) -> tuple[tuple[str, ...], bool]:
    """The launch site's grid where its text can be carried over, else one thread per element; True when guessed."""
    carried = None if site is None else _carried_grid(kernel, layout, text, site)
    if carried is not None:
        return carried, False
    sizes = layout.sizes[: layout.dimension_count]
    sizes = sizes + (sizes[-1],) * (layout.dimension_count - len(sizes))
    ordered = tuple(reversed(sizes)) if layout.dimension_count == 2 and len(layout.sizes) > 1 else sizes
    blocks = layout.block + (1,) * (layout.dimension_count - len(layout.block))
    return tuple(f"ceil({size}/{block})" for size, block in zip(ordered, blocks, strict=False)), True


def _carried_grid(kernel: Kernel, layout: _Layout, text: str, site: LaunchSite) -> tuple[str, ...] | None:
    names = {
        argument.text: parameter.name
        for argument, parameter in zip(site.arguments, kernel.parameters, strict=False)
        if argument.text.isidentifier() and parameter.name in layout.sizes
    }
    items = _dimensions(site.grid.text, text)
    carried = [_as_exact(item, names) for item in items or ()]
    return tuple(item for item in carried if item is not None) if carried and None not in carried else None


def _as_exact(text: str, names: dict[str, str]) -> str | None:
    """``(n + 255) / 256`` or ``n / 32`` of C's integers in the block's exact grammar; None for anything else."""
    compact = re.sub(r"\s+", "", text)
    if compact.isdigit():
        return compact
    rounded = re.fullmatch(r"\((\w+)\+(\d+)(?:-1)?\)/(\d+)", compact)
    plain = re.fullmatch(r"(\w+)/(\d+)", compact)
    match = rounded or plain
    if match is None or match[1] not in names:
        return compact if compact in names.values() and compact in names else None
    return f"ceil({names[match[1]]}/{match[match.lastindex or 0]})"


def _dimensions(written: str, text: str) -> tuple[str, ...]:
    """The values of ``dim3(a, b)``, of a ``dim3`` variable that ``text`` defines once, or of a plain expression."""
    variables = re.findall(rf"\bdim3\s+{re.escape(written.strip())}\s*[({{]([^;]*)[)}}]\s*;", text)
    match = re.fullmatch(r"\s*dim3\s*[({](.*)[)}]\s*", written, re.S)
    return split_arguments(variables[0] if len(variables) == 1 else match[1] if match else written)


def _shared_line(site: LaunchSite | None, layout: _Layout) -> list[str]:
    if site is None or site.shared is None or site.shared.text.strip() == "0":
        return []
    text = re.sub(r"sizeof\s*\(([^()]*)\)", _size_of, site.shared.text.strip())
    names = names_in(text)
    if isinstance(names, ExpressionProblem) or not names <= set(layout.sizes):
        return [f"shared = 0   # bytes; the program passes {_one_line(site.shared.text)}"]
    return [f"shared = {_quoted(_one_line(text))}"]


def _size_of(match: re.Match[str]) -> str:
    element = parse_element_type(match[1])
    return match[0] if element is None else str(element.size_bytes)


def _shape_lines(layout: _Layout) -> list[str]:
    """Two shapes: a round one, and one that no block divides where the kernel seems to expect that."""
    round_size, odd_size = _SIZES[min(3, max(layout.dimension_count, len(layout.sizes)))]
    values = (round_size, odd_size if layout.is_guarded else round_size // 2)
    shapes = ("{ " + ", ".join(f"{name} = {value}" for name in layout.sizes) + " }" for value in values)
    lines = [f"shapes = [{', '.join(shapes)}]"]
    if not layout.is_guarded:
        step = max(*layout.block, _WARP)
        rules = ", ".join(f"{name} = {{ min = {step}, multiple_of = {step} }}" for name in layout.sizes)
        lines.append(f"sizes = {{ {rules} }}   # the kernel checks no bounds")
    return lines


def _value(parameter: Parameter, kernel: Kernel, layout: _Layout, body: str) -> tuple[str, str]:
    """(TOML value, remark) of one argument."""
    if not parameter.is_pointer:
        return _scalar(parameter, layout)
    count = _count(parameter, kernel, layout)
    element = parse_element_type(parameter.element_type or "")
    names = {p.name for p in kernel.template_parameters}
    if element is None and parameter.element_type not in names:
        return _quoted(f"zeros({count})"), f"{parameter.element_type} is not supported here"
    if not parameter.is_const and _is_only_written(parameter.name, body):
        return _quoted(f"empty({count})"), ""
    if element is not None and not element.is_floating:
        return _quoted(f"randint(0, {_INTEGERS_BELOW}, {count})"), "values below the sizes if they are indices"
    remark = "" if parameter.is_const else "read and written"
    return _quoted(f"randn({count})"), remark


def _scalar(parameter: Parameter, layout: _Layout) -> tuple[str, str]:
    if parameter.name in layout.sizes:
        return _quoted(parameter.name), ""
    element = parse_element_type(parameter.type)
    if element is None:
        return "0", f"a {_one_line(parameter.type)}: give a table of its fields"
    if element.kind == "bool":
        return "1", ""
    return ("0.5", "") if _FACTOR_NAMES.search(parameter.name) else ("2.0", "")


def _count(parameter: Parameter, kernel: Kernel, layout: _Layout) -> str:
    """How many elements a buffer has: all of them, or two of three sizes where it looks like a matrix product."""
    sizes = layout.sizes
    lower = {name.lower(): name for name in sizes}
    pointers = [p for p in kernel.parameters if p.is_pointer]
    if {"m", "n", "k"} <= set(lower) and len(pointers) == 3 and layout.dimension_count == 2:
        inputs = [p for p in pointers if p.is_const]
        m, n, k = lower["m"], lower["n"], lower["k"]
        if parameter in inputs[:2]:
            return f"{m}*{k}" if parameter == inputs[0] else f"{k}*{n}"
        return f"{m}*{n}"
    if len(sizes) == 1:
        return "*".join([sizes[0]] * layout.dimension_count)
    return "*".join(sizes[: max(2, layout.dimension_count)])


def _is_only_written(name: str, body: str) -> bool:
    """Every use in the body is a plain store to an element."""
    uses = [match.end() for match in re.finditer(rf"\b{re.escape(name)}\b", body)]
    return bool(uses) and all(_is_store(body, end) for end in uses)


def _is_store(body: str, position: int) -> bool:
    if not body[position:].lstrip().startswith("["):
        return False
    depth = 0
    for index in range(position, len(body)):
        depth += (body[index] == "[") - (body[index] == "]")
        if depth == 0 and body[index] == "]":
            return re.match(r"\s*=(?!=)", body[index + 1 :]) is not None
    return False


def _quoted(text: str) -> str:
    return text if text.isdigit() else f'"{text}"'


def _one_line(text: str) -> str:
    return " ".join(text.replace("*/", "* /").split())


def _remark(is_guessed: bool) -> str:
    return "   # guessed: one thread per element" if is_guessed else ""
