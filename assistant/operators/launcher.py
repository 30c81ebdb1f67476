"""The table in a ``.cu`` file that says how its launcher computes an operator.

It stands in a ``/* kernelopt … */`` comment::

    [operator]
    launcher = "softmax"                        # void softmax(float* y, const float* x, int n, int m)
    inputs   = { x = ["n", "m"] }               # forward's arguments in order, with names for their sizes
    outputs  = { y = ["n", "m"] }
    weights  = { gamma = "norm.weight" }        # of the reference's state; may be left out
    args     = ["y", "x", "n", "m"]             # what the launcher is given
    [operator.backward]                         # may be left out
    launcher = "softmax_backward"               # void softmax_backward(float* grad_x, const float* grad_y, const float* y, int n, int m)
    args     = ["grad_x", "grad_y", "y", "n", "m"]      # gradients that it writes begin at zero
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, cast

from assistant.operators.task import NoTask
from assistant.record import Record

__all__ = ["BackwardLauncher", "Launcher", "find_launcher"]

_COMMENT = re.compile(r"/\*\s*kernelopt\b(.*?)\*/", re.DOTALL)
_TABLE = "operator"
_GRADIENT = "grad_"
_KEYS = frozenset({"launcher", "inputs", "outputs", "weights", "args", "backward"})
_EXAMPLE = "docs/how-to/operators.md shows one"
_DTYPES = {
    "float": "float32", "double": "float64", "__half": "float16", "half": "float16", "__nv_bfloat16": "bfloat16", "int": "int32",
    "int32_t": "int32", "long long": "int64", "int64_t": "int64", "long": "int64", "unsigned char": "uint8", "uint8_t": "uint8",
    "bool": "bool", "short": "int16", "char": "int8", "int8_t": "int8",
}  # fmt: skip


class BackwardLauncher(Record):
    """What computes gradients."""

    launcher: str
    args: tuple[str, ...]
    """As of the launcher itself; ``grad_NAME`` is the gradient of an input, a weight or an output."""


class Launcher(Record):
    """One launcher and what it is given; shapes hold numbers, names of sizes, and arithmetic over both."""

    launcher: str
    inputs: tuple[tuple[str, tuple[str, ...]], ...]
    outputs: tuple[tuple[str, tuple[str, ...]], ...]
    types: tuple[tuple[str, str], ...]
    """PyTorch's name for the type of each output: what the launcher's parameter points to."""
    weights: tuple[tuple[str, str], ...]
    args: tuple[str, ...]
    backward: BackwardLauncher | None = None


def find_launcher(path: Path, text: str) -> Launcher | NoTask:
    """The table, checked against the launcher's own parameters."""
    table = _table(path, text)
    if isinstance(table, NoTask):
        return table
    unknown = sorted(set(table) - _KEYS)
    if unknown:
        return NoTask(f"{path.name}: [operator] has a key {unknown[0]!r}", f"its keys are {', '.join(sorted(_KEYS))}")
    for key, kind in (("launcher", str), ("inputs", dict), ("outputs", dict), ("args", list)):
        if not isinstance(table.get(key), kind) or not table[key]:
            return NoTask(f"{path.name}: [operator] needs {key}", _EXAMPLE)
    name, args = str(table["launcher"]), _words(table["args"])
    types = _types_of_call(path, text, name, args)
    if isinstance(types, NoTask):
        return types
    inputs, outputs = _shapes(table["inputs"]), _shapes(table["outputs"])
    given = dict(zip(args, types, strict=True))
    missing = next((output for output, _ in outputs if output not in given), None)
    if missing is not None:
        return NoTask(f"{path.name}: the output {missing} is not in args", "the launcher must be given it")
    dtypes = {output: _DTYPES.get(given[output]) for output, _ in outputs}
    odd = next((output for output, dtype in dtypes.items() if dtype is None), None)
    if odd is not None:
        return NoTask(f"{path.name}: {name} takes the output {odd} as {given[odd]!r}", f"a pointer to one of {', '.join(_DTYPES)}")
    weights = cast("dict[str, str]", table.get("weights", {}))
    found = tuple((output, dtype) for output, dtype in dtypes.items() if dtype is not None)
    backward = _backward(path, text, table.get("backward"), {*dict(inputs), *dict(outputs), *weights})
    if isinstance(backward, NoTask):
        return backward
    return Launcher(name, inputs, outputs, found, tuple(weights.items()), args, backward)


def _types_of_call(path: Path, text: str, name: str, args: tuple[str, ...]) -> tuple[str, ...] | NoTask:
    types = _parameter_types(text, name)
    if types is None:
        return NoTask(f"{path.name} defines no function {name}", "launcher names the host function that launches the kernels")
    if len(types) != len(args):
        return NoTask(f"{path.name}: {name} takes {len(types)} arguments and args has {len(args)}", "name one for each parameter, in order")
    return types


def _backward(path: Path, text: str, table: object, tensors: set[str]) -> BackwardLauncher | NoTask | None:
    """``tensors``: names that may have gradients."""
    if table is None:
        return None
    given = cast("dict[str, Any]", table) if isinstance(table, dict) else {}
    if set(given) != {"launcher", "args"} or not isinstance(given["args"], list):
        return NoTask(f"{path.name}: [operator.backward] needs launcher and args, and nothing else", _EXAMPLE)
    name, args = str(given["launcher"]), _words(cast("object", given["args"]))
    types = _types_of_call(path, text, name, args)
    if isinstance(types, NoTask):
        return types
    odd = next((word for word in args if word.startswith(_GRADIENT) and word.removeprefix(_GRADIENT) not in tensors), None)
    if odd is not None:
        return NoTask(f"{path.name}: {odd} is the gradient of no input, weight or output", f"there are {', '.join(sorted(tensors))}")
    return BackwardLauncher(name, args)


def _words(given: object) -> tuple[str, ...]:
    return tuple(str(word) for word in cast("list[Any]", given))


def _table(path: Path, text: str) -> dict[str, Any] | NoTask:
    for match in _COMMENT.finditer(text):
        try:
            blocks = tomllib.loads(match[1])
        except tomllib.TOMLDecodeError as error:
            if f"[{_TABLE}]" in match[1]:
                return NoTask(f"{path.name}: the [operator] table is no TOML: {error}", _EXAMPLE)
            continue
        table = blocks.get(_TABLE)
        if isinstance(table, dict):
            return cast("dict[str, Any]", table)
    return NoTask(
        f"{path.name} has no [operator] table in a /* kernelopt */ comment", f"say which launcher computes the operator: {_EXAMPLE}"
    )


def _shapes(table: dict[str, Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((name, tuple(str(size) for size in shape)) for name, shape in table.items())


def _parameter_types(text: str, name: str) -> tuple[str, ...] | None:
    """What each parameter is, or points to (``float``); None where the text defines no such function."""
    match = re.search(rf"\b{re.escape(name)}\s*\(([^(){{}}]*)\)\s*\{{", text)
    if match is None:
        return None
    inside = re.sub(r"/\*.*?\*/|//[^\n]*", " ", match[1], flags=re.DOTALL)
    return tuple(_pointed(parameter) for parameter in inside.split(",") if parameter.strip())


def _pointed(parameter: str) -> str:
    words = re.sub(r"\b(?:const|__restrict__|restrict|unsigned(?=\s+int\b))\b|[*&]", " ", parameter).split()
    return " ".join(words[:-1]) if len(words) > 1 else " ".join(words)
