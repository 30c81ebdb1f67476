"""The launch that the line of a ``%%kernelopt`` cell gives, as the first line of the cell's CUDA text, where edits can change it.

The line says grid, block and dynamic shared memory in Python, the text in the grammar of workload blocks. Only arithmetic over numbers and
the kernel's parameters goes from one to the other; a line that says more has no such first line, and its launch stays as it is. Example::

    first_line("--grid (n+255)//256 --block 256", code)    # '// kernelopt launch: grid = ["ceil(n/256)"], block = [256], shared = [0]\\n'
    relaunched("%%kernelopt --grid (n+255)//256 --block 256", code, CellLaunch(("ceil(n/128)",), ("128",), "0"))
                                                           # '%%kernelopt --grid (n+127)//128 --block 128'
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from assistant.model.source import Expression, Span
from assistant.python_text import parse_expression
from assistant.record import Record

__all__ = [
    "CellLaunch",
    "CellLaunchItems",
    "first_line",
    "launch_in",
    "launch_items",
    "named_kernel",
    "plain",
    "relaunched",
    "shown_line",
    "without_first_line",
]

_HEAD = "// kernelopt launch: "
_FIRST = re.compile(
    r"// kernelopt launch: (?:kernel = \"(?P<kernel>[^\"\r\n]*)\", )?"
    r"grid = \[(?P<grid>[^\]\r\n]*)\], block = \[(?P<block>[^\]\r\n]*)\], shared = \[(?P<shared>[^\]\r\n]*)\](?:\r?\n|$)"
)
_SIGNATURE = re.compile(r"__global__([^{;]*)[{;]")
"""Of each kernel, what stands before its body: its parameters are among the words."""
_ITEM = re.compile(r"\"[^\"]*\"|[^\s,\"]+")
_WORD = re.compile(r"(?:[^\s\"']|\"[^\"]*\"|'[^']*')+")
_FLAGS = frozenset({"--allow-host-code", "--wait", "--raise", "--capture", "--backward", "--only-custom"})
"""Options of the line that take no value."""
_LAUNCH = ("grid", "block", "shared")
_MOST_AXES = 3
_DIVISIONS = frozenset({"cdiv", "ceil_div", "div_up", "ceildiv"})
"""Functions that people write for a quotient rounded up; where one does something else, the launch is found to be another and stays."""
_OPERATORS: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "%"}


class CellLaunch(Record):
    """A launch in the grammar of workload blocks: ``ceil(n/256)``."""

    grid: tuple[str, ...]
    block: tuple[str, ...]
    shared: str
    kernel: str | None = None
    """As the line names it; None where the cell has one kernel."""


class CellLaunchItems(Record):
    """The same as places in the CUDA text, quotes included."""

    kernel: str | None
    grid: tuple[Expression, ...]
    block: tuple[Expression, ...]
    shared: tuple[Expression, ...]


class _NotPlainError(Exception):
    """More than arithmetic; never escapes this module."""


def first_line(arguments: str, code: str) -> str | None:
    """The first line of the text of a cell; None where its magic's arguments give no launch that an edit can follow.

    ``code``: what stands below the magic's line.
    """
    options = _options(arguments)
    grid, block = options.get("grid"), options.get("block")
    if grid is None or block is None:
        return None
    try:
        named = _named_values(options.get("args"), code)
        threads = _parsed(block)
        launch = CellLaunch(
            tuple(_exact(item, {**named, **_block_values(threads)}) for item in _items(_parsed(grid))),
            tuple(_exact(item, named) for item in _items(threads)),
            _exact(_parsed(options.get("shared") or "0"), named),
            options.get("kernel"),
        )
    except (_NotPlainError, SyntaxError, ValueError, RecursionError):
        return None
    return _written(launch)


def launch_in(text: str) -> CellLaunch | None:
    """The launch that the first line of a CUDA text says; None where there is none that a magic's line can say."""
    found = launch_items(text)
    if found is None or len(found.shared) != 1 or not found.grid or not found.block:
        return None
    grid, block, shared = (tuple(item.text.strip('"') for item in items) for items in (found.grid, found.block, found.shared))
    is_sayable = all(plain(item) == item for item in (*grid, *block, *shared))
    return CellLaunch(grid, block, shared[0], found.kernel) if is_sayable else None


def named_kernel(arguments: str) -> str | None:
    """The kernel that the arguments of a cell's magic name: ``scan<256>``; None where they name none."""
    return _options(arguments).get("kernel")


def plain(item: str) -> str | None:
    """An item as a magic's line gives it back: ``ceil(ceil(n/16) / 4)`` is ``ceil(n/64)``; None where the line cannot say it."""
    try:
        return _exact(_parsed(_python((item,))), {})
    except (_NotPlainError, SyntaxError, ValueError, RecursionError):
        return None


def launch_items(text: str) -> CellLaunchItems | None:
    """Where the first line says it."""
    found = _FIRST.match(text)
    if found is None:
        return None

    def items(name: str) -> tuple[Expression, ...]:
        start = found.start(name)
        return tuple(Expression(m[0], Span(start + m.start(), start + m.end())) for m in _ITEM.finditer(found[name]))

    return CellLaunchItems(found["kernel"], items("grid"), items("block"), items("shared"))


def without_first_line(text: str) -> str:
    """The lines of the cell below its magic."""
    found = _FIRST.match(text)
    return text if found is None else text[found.end() :]


def relaunched(line: str, code: str, launch: CellLaunch) -> str | None:
    """The magic's line above ``code`` with this launch, and everything else as it was; None where it cannot be said in Python."""
    before = launch_in(first_line(_arguments(line), code) or "")
    if before is None:
        return None
    try:
        wanted = {name: _python(_of(launch, name)) for name in _LAUNCH if _of(launch, name) != _of(before, name)}
    except (_NotPlainError, SyntaxError, RecursionError):
        return None
    places = _places(line)
    for name, (start, end) in sorted(places.items(), key=lambda item: -item[1][0]):
        if name in wanted:
            line = f"{line[:start]}{wanted.pop(name)}{line[end:]}"
    return line + "".join(f" --{name} {value}" for name, value in wanted.items())


def shown_line(text: str) -> str:
    """The CUDA text with its launch as people know it: ``%%kernelopt … --grid (n+255)//256 --block 256``."""
    launch = launch_in(text)
    if launch is None:
        return text
    try:
        said = " ".join(f"--{name} {_python(_of(launch, name))}" for name in _LAUNCH if _of(launch, name) != ("0",))
    except (_NotPlainError, SyntaxError, RecursionError):
        return text
    return f"%%kernelopt … {said}\n{without_first_line(text)}"


def _of(launch: CellLaunch, name: str) -> tuple[str, ...]:
    return {"grid": launch.grid, "block": launch.block, "shared": (launch.shared,)}[name]


def _written(launch: CellLaunch) -> str:
    kernel = "" if launch.kernel is None else f'kernel = "{launch.kernel}", '
    lists = (", ".join(item if item.isdigit() else f'"{item}"' for item in _of(launch, name)) for name in _LAUNCH)
    grid, block, shared = lists
    return f"{_HEAD}{kernel}grid = [{grid}], block = [{block}], shared = [{shared}]\n"


def _arguments(line: str) -> str:
    return line.partition(" ")[2]


def _options(arguments: str) -> dict[str, str]:
    """Values by option; the first word that belongs to none is the ``kernel``."""
    found: dict[str, str] = {}
    for name, (start, end) in _places(f" {arguments}").items():
        found[name] = _unquoted(f" {arguments}"[start:end])
    return found


def _places(line: str) -> dict[str, tuple[int, int]]:
    """Where the values of a line's options stand, quotes included."""
    found: dict[str, tuple[int, int]] = {}
    waiting: str | None = None
    for word in _WORD.finditer(line, line.find(" ") if " " in line else len(line)):
        name, is_joined, _ = word[0].partition("=")
        if waiting is not None:
            found[waiting], waiting = word.span(), None
        elif word[0].startswith("--") and is_joined:
            found[name[2:]] = (word.start() + len(name) + 1, word.end())
        elif word[0].startswith("--"):
            waiting = None if word[0] in _FLAGS else word[0][2:]
        else:
            found.setdefault("kernel", word.span())
    return found


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) >= 2 and text[0] in "'\"" and text[-1] == text[0] else text


def _parsed(text: str) -> ast.expr:
    return parse_expression(text.strip())


def _named_values(args: str | None, code: str) -> dict[str, str]:
    """What ``--args`` gives for a parameter → the parameter: ``x.size`` → ``n``; nothing that is given for two, or is called as one."""
    call = _parsed(f"f({args or ''})")
    if not isinstance(call, ast.Call):
        raise _NotPlainError
    given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    signatures = _SIGNATURE.findall(code)
    counts = Counter(ast.dump(value) for value in given.values())
    return {
        ast.dump(value): name
        for name, value in given.items()
        if not isinstance(value, ast.Constant) and counts[ast.dump(value)] == 1 and not _is_parameter(value, given, signatures)
    }


def _is_parameter(value: ast.expr, given: Mapping[str, ast.expr], signatures: Sequence[str]) -> bool:
    """A name that means the kernel's own parameter in the expressions of its launch."""
    if not isinstance(value, ast.Name):
        return False
    return value.id in given or any(re.search(rf"\b{re.escape(value.id)}\b", signature) for signature in signatures)


def _block_values(threads: ast.expr) -> dict[str, str]:
    """``block``, and ``block[0]`` of several, in an expression of the grid."""
    items = [item.value for item in _items(threads) if isinstance(item, ast.Constant)]
    if not isinstance(threads, ast.Tuple | ast.List):
        return {ast.dump(ast.Name("block", ast.Load())): str(value) for value in items}
    return {ast.dump(_parsed(f"block[{index}]")): str(value) for index, value in enumerate(items)}


def _items(node: ast.expr) -> Sequence[ast.expr]:
    items = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    if not 1 <= len(items) <= _MOST_AXES:
        raise _NotPlainError
    return items


def _exact(node: ast.expr, named: Mapping[str, str]) -> str:
    """Python's integers in the exact grammar of workload blocks: ``(n + 255) // 256`` is ``ceil(n/256)``."""
    known = named.get(ast.dump(node))
    if known is not None:
        return known
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool) and value >= 0:
            return str(value)
        case ast.Name(id=name):
            return name
        case ast.UnaryOp(op=ast.USub(), operand=ast.BinOp(left=ast.UnaryOp(op=ast.USub(), operand=total), op=ast.FloorDiv(), right=size)):
            return _quotient("ceil", _exact(total, named), _exact(size, named))
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            return _divided(left, _exact(right, named), named)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            return f"{_bracketed(_exact(left, named))} {_OPERATORS[type(operator)]} {_bracketed(_exact(right, named))}"
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=arguments, keywords=[]):
            return _called(name, arguments, named)
        case _:
            raise _NotPlainError


def _called(name: str, arguments: Sequence[ast.expr], named: Mapping[str, str]) -> str:
    match name, arguments:
        case (("ceil" | "floor"), [ast.BinOp(left=left, op=ast.Div(), right=right)]):
            return _quotient(name, _exact(left, named), _exact(right, named))
        case "int", [value]:
            return _exact(value, named)
        case (("min" | "max"), [_, _, *_]):
            return f"{name}({', '.join(_exact(item, named) for item in arguments)})"
        case _, [total, size] if name in _DIVISIONS:
            return _quotient("ceil", _exact(total, named), _exact(size, named))
        case _:
            raise _NotPlainError


def _divided(total: ast.expr, size: str, named: Mapping[str, str]) -> str:
    """Rounded up where what is added to the one term before the division makes it so."""
    terms, constant = _terms(total, named)
    if size.isdigit() and len(terms) == 1 and constant == int(size) - 1:
        return _quotient("ceil", terms[0], size)
    return _quotient("floor", _exact(total, named), size)


def _terms(node: ast.expr, named: Mapping[str, str]) -> tuple[list[str], int]:
    """What is added up, and the sum of its numbers."""
    match node:
        case ast.BinOp(left=left, op=(ast.Add() | ast.Sub()) as operator, right=right):
            terms, constant = _terms(left, named)
            further, number = _terms(right, named)
            if isinstance(operator, ast.Sub):
                if further:
                    raise _NotPlainError
                return terms, constant - number
            return terms + further, constant + number
        case _:
            text = _exact(node, named)
            return ([], int(text)) if text.isdigit() else ([text], 0)


def _quotient(rounding: str, total: str, size: str) -> str:
    return f"{rounding}({_bracketed(total)}/{_bracketed(size)})"


def _bracketed(text: str) -> str:
    return text if re.fullmatch(r"\w+|\w+\([^()]*\)", text) else f"({text})"


def _python(items: Sequence[str]) -> str:
    """As the line says it: ``(n+255)//256``, without blanks, so that it needs no quotes."""
    made = [_python_of(_parsed(item)) for item in items]
    return made[0] if len(made) == 1 else f"({','.join(made)})"


def _python_of(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return str(value)
        case ast.Name(id=name):
            return name
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            return f"{_factor(left)}{_OPERATORS[type(operator)]}{_factor(right)}"
        case ast.Call(func=ast.Name(id=("ceil" | "floor") as name), args=[ast.BinOp(left=left, op=ast.Div(), right=right)]):
            return _rounded_up(left, right) if name == "ceil" else f"{_factor(left)}//{_factor(right)}"
        case ast.Call(func=ast.Name(id=("min" | "max") as name), args=arguments):
            return f"{name}({','.join(map(_python_of, arguments))})"
        case _:
            raise _NotPlainError


def _rounded_up(total: ast.expr, size: ast.expr) -> str:
    """``(n+255)//256``; ``ceil(ceil(n/16)/4)`` is ``(n+63)//64``."""
    match total, size:
        case (
            ast.Call(func=ast.Name(id="ceil"), args=[ast.BinOp(left=inner, op=ast.Div(), right=ast.Constant(value=int() as first))]),
            ast.Constant(value=int() as second),
        ):
            return _rounded_up(inner, ast.Constant(first * second))
        case _, ast.Constant(value=int() as count):
            return f"({_python_of(total)}+{count - 1})//{count}" if count > 1 else _factor(total)
        case _:
            return f"-(-{_factor(total)}//{_factor(size)})"


def _factor(node: ast.expr) -> str:
    """In brackets where it is a sum or a quotient."""
    text = _python_of(node)
    return text if re.fullmatch(r"\w+|\w+\([^()]*\)", text) else f"({text})"
