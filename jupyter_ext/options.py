"""The magic's line: which arrays, which launch, which shapes. Values are Python expressions of the user's own namespace.

Example::

    shapes_of("n=1000,m=5; n=4096,m=7")              # ({'n': 1000, 'm': 5}, {'n': 4096, 'm': 7})
    pairs_of("x=x, out=numpy.zeros(n)")              # {'x': 'x', 'out': 'numpy.zeros(n)'}
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from assistant.errors import UsageError
from assistant.live.configs import launch_config
from assistant.live.names import kernel_names, python_name
from assistant.model.launch import LaunchConfig
from assistant.model.source import Kernel, Parameter

__all__ = [
    "LaunchOptions",
    "chosen_kernel",
    "evaluated",
    "only_kernel_for",
    "pairs_of",
    "shapes_of",
    "unquoted",
    "values_of",
    "without_accept",
]

_QUOTES = ("'", '"')
_WRITTEN = "--{name} {value}"
_ACCEPT = re.compile(r"[ \t]+--accept(?:=|[ \t]+)\S+")


def unquoted(text: str | None) -> str | None:
    """Without the quotes that kept a value with spaces together."""
    if text is not None and len(text) >= 2 and text[0] in _QUOTES and text[-1] == text[0]:
        return text[1:-1]
    return text


def without_accept(code: str) -> str:
    """A cell whose magic's line says ``--accept ID``, without that: it is done."""
    return _ACCEPT.sub("", code, count=1)


def pairs_of(text: str, option: str) -> dict[str, str]:
    """``name=expression`` by name, split at commas that stand in no bracket or string. Raises UsageError."""
    pairs: dict[str, str] = {}
    for part in _split(text, ","):
        name, is_there, value = part.partition("=")
        if not is_there or not name.strip().isidentifier() or not value.strip():
            raise UsageError(f"{option} {text}: expected name=value, got {part.strip()!r}", f"write {option} x=x,n=1024")
        pairs[name.strip()] = value.strip()
    return pairs


def shapes_of(text: str) -> tuple[dict[str, object], ...]:
    """Sets of variables, apart by semicolons; a value is a number. Raises UsageError."""
    shapes: list[dict[str, object]] = []
    for part in _split(text, ";"):
        pairs = pairs_of(part, "--shapes")
        try:
            shapes.append({name: ast.literal_eval(value) for name, value in pairs.items()})
        except (ValueError, SyntaxError) as error:
            raise UsageError(f"--shapes {part.strip()}: values are numbers", "write --shapes 'n=1000;n=4096'") from error
    return tuple(shapes)


def values_of(
    parameters: Sequence[Parameter], given: Mapping[str, str], namespace: Mapping[str, object], shape: Mapping[str, object]
) -> dict[str, object]:
    """Each parameter's value: as ``--args`` says it, else the shape's or the namespace's variable of that name.

    Raises UsageError for an expression that fails; a parameter that nothing is known of is left out.
    """
    names = tuple(parameter.name for parameter in parameters)
    own = kernel_names(given, names)
    values: dict[str, object] = {name: evaluated(text, f"--args {name}", namespace, shape) for name, text in own.items()}
    for name in names:
        called = python_name(name, names)
        for known in (shape, namespace):
            if name not in values and called in known:
                values[name] = known[called]
    return values


def evaluated(text: str, what: str, namespace: Mapping[str, object], local: Mapping[str, object]) -> object:
    """The expression's value, in the user's own process as the user wrote it. Raises UsageError with what it raised."""
    try:
        return eval(compile(text.strip(), f"<{what}>", "eval"), {**namespace, **local})  # noqa: S307 - the user's own code, in their own kernel
    except Exception as error:
        raise UsageError(
            f"{what}={text}: {type(error).__name__}: {error}", "give an expression of names that the notebook knows"
        ) from error


class LaunchOptions:
    """Grid, block and dynamic shared memory as the magic's line gives them, worked out for each launch."""

    def __init__(self, grid: str | None, block: str | None, shared: str | None, namespace: Mapping[str, object]) -> None:
        self._texts = {"grid": grid, "block": block, "shared": shared}
        self._namespace = namespace

    @property
    def is_given(self) -> bool:
        return self._texts["grid"] is not None and self._texts["block"] is not None

    def config(self, values: Mapping[str, object], given: Mapping[str, object]) -> LaunchConfig:
        """For a launch with these arguments; ``given`` stands above the line. Raises UsageError."""
        said = given["block"] if "block" in given else self._value("block", values)
        values = {python_name(name, values): value for name, value in values.items()}
        names = {"block": said, **values}
        grid = given["grid"] if "grid" in given else self._value("grid", names)
        shared = given["shared"] if "shared" in given else self._value("shared", names)
        return launch_config(grid, said, shared, _WRITTEN)

    def _value(self, name: str, local: Mapping[str, object]) -> object:
        text = self._texts[name]
        if text is not None:
            return evaluated(text, f"--{name}", self._namespace, local)
        if name == "shared":
            return 0
        raise UsageError(f"{name}: the launch has no {name}", f"write --{name} 256 on the magic's line, or give {name}=… to the call")


def chosen_kernel(kernels: Sequence[Kernel], selected: Sequence[Kernel], selector: str | None) -> Kernel | None:
    """The one kernel that arrays are bound to; None where several could be meant. Raises UsageError for a name that means none."""
    if selector is not None and not selected:
        raise UsageError(f"the cell has no kernel {selector!r}", f"it has: {', '.join(kernel.key for kernel in kernels)}")
    candidates = selected if selector is not None else kernels
    return candidates[0] if len(candidates) == 1 else None


def only_kernel_for(kernels: Sequence[Kernel], given: Iterable[str]) -> Kernel | None:
    """The one of several kernels that has parameters of all these names; None where none or several have, and for a template."""
    wanted = set(given)
    fitting = [kernel for kernel in kernels if wanted <= _callers_names(kernel)] if wanted else []
    return fitting[0] if len(fitting) == 1 and not fitting[0].template_parameters else None


def _callers_names(kernel: Kernel) -> set[str]:
    names = tuple(parameter.name for parameter in kernel.parameters)
    return {*names, *(python_name(name, names) for name in names)}


def _split(text: str, separator: str) -> Iterator[str]:
    depth, start, quote = 0, 0, ""
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES:
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == separator and depth == 0:
            yield text[start:index]
            start = index + 1
    if text[start:].strip():
        yield text[start:]
