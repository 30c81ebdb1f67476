"""The table of one ``[workload.NAME]`` block → ``DeclaredWorkload``.

The schema is this module: every key, what it may hold, what it defaults to. Unknown keys name the nearest valid one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

from assistant.model.workload import (
    AutoTolerance,
    DeclaredArgument,
    DeclaredStep,
    DeclaredWorkload,
    FixedTolerance,
    Shape,
    SizeRule,
    Tolerance,
    WorkloadProblemCode,
)
from assistant.workload.expressions import ExpressionProblem, names_in
from assistant.workload.toml_lines import KeyPath
from assistant.workload.values import ValueProblem, parse_value

__all__ = ["BlockReader", "RefusedKeyError"]

BLOCK_KEYS = (
    "args", "grid", "block", "shapes", "kernel", "shared", "globals", "steps", "sizes", "boundary", "outputs",
    "scratch", "reference", "tolerance", "flags",
)  # fmt: skip
STEP_KEYS = ("kernel", "grid", "block", "shared", "args")
SIZE_RULE_KEYS = ("min", "max", "multiple_of")


class RefusedKeyError(Exception):
    """A key that cannot be used; becomes a ``WorkloadProblem`` in ``blocks``."""

    def __init__(self, code: WorkloadProblemCode, at: KeyPath, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.at = at
        self.message = message


class BlockReader:
    """Reads one block; raises ``RefusedKeyError`` at the first key that does not fit."""

    def __init__(self, name: str, table: object) -> None:
        self._name = name
        self._root: KeyPath = ("workload", name)
        self._table = _table(table, self._root, f"[workload.{name}]")

    def read(self, path: Path, line: int) -> DeclaredWorkload:
        _only(self._table, BLOCK_KEYS, self._root)
        shapes = self._shapes()
        sizes = tuple(name for name, _ in shapes[0].sizes)
        steps = self._steps(sizes)
        global_arguments = self._globals(sizes)
        names = _buffers_by_name((*global_arguments, *(a for step in steps for a in step.arguments)))
        return DeclaredWorkload(
            name=self._name,
            steps=steps,
            shapes=shapes,
            size_rules=self._size_rules(sizes),
            has_boundary=self._has_boundary(),
            outputs=self._names("outputs", names),
            scratch=self._names("scratch", names),
            globals=global_arguments,
            reference=self._reference(),
            tolerance=self._tolerance(),
            flags=self._strings("flags"),
            path=path,
            line=line,
        )

    def _at(self, *keys: str | int) -> KeyPath:
        return (*self._root, *keys)

    def _has_boundary(self) -> bool:
        value = self._table.get("boundary", True)
        if not isinstance(value, bool):
            raise RefusedKeyError(
                WorkloadProblemCode.WRONG_VALUE, self._at("boundary"), f"boundary must be true or false, not {_shown(value)}"
            )
        return value

    def _strings(self, key: str) -> tuple[str, ...]:
        values = _items(self._table.get(key, []))
        if values is None or not all(isinstance(value, str) for value in values):
            raise RefusedKeyError(
                WorkloadProblemCode.WRONG_VALUE, self._at(key), f"{key} must be a list of strings, not {self._table[key]!r}"
            )
        return tuple(str(value) for value in values)

    def _names(self, key: str, known: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """Names of the block's buffers; a step's argument stands for every buffer that it is bound to."""
        names = self._strings(key)
        for index, name in enumerate(names):
            if name not in known:
                raise RefusedKeyError(
                    WorkloadProblemCode.UNKNOWN_ARGUMENT,
                    self._at(key, index),
                    f"{key}: no argument '{name}'{_nearest(name, sorted(known))}",
                )
        return tuple(dict.fromkeys(buffer for name in names for buffer in known[name]))

    def _shapes(self) -> tuple[Shape, ...]:
        at = self._at("shapes")
        items = _items(self._table.get("shapes", [{}]))
        if not items:
            raise RefusedKeyError(WorkloadProblemCode.WRONG_VALUE, at, "shapes must be a list of tables such as { n = 1024 }")
        shapes = tuple(_shape(item, (*at, index)) for index, item in enumerate(items))
        first = {name for name, _ in shapes[0].sizes}
        for index, shape in enumerate(shapes):
            if {name for name, _ in shape.sizes} != first:
                expected = ", ".join(sorted(first)) or "no sizes"
                raise RefusedKeyError(
                    WorkloadProblemCode.DIFFERENT_SIZES,
                    (*at, index),
                    f"shape {index + 1} must give the same sizes as the first: {expected}",
                )
        if not any(shape.weight > 0 for shape in shapes):
            raise RefusedKeyError(WorkloadProblemCode.WRONG_VALUE, at, "at least one shape must have a weight above 0")
        return shapes

    def _size_rules(self, sizes: tuple[str, ...]) -> tuple[SizeRule, ...]:
        table = _table(self._table.get("sizes", {}), self._at("sizes"), "sizes")
        rules = list[SizeRule]()
        for name, value in table.items():
            at = self._at("sizes", name)
            if name not in sizes:
                raise RefusedKeyError(WorkloadProblemCode.UNKNOWN_SIZE, at, f"sizes: no shape has a size '{name}'{_nearest(name, sizes)}")
            rule = _table(value, at, f"sizes.{name}")
            _only(rule, SIZE_RULE_KEYS, at)
            minimum, multiple = _integer(rule, "min", 0, at), _integer(rule, "multiple_of", 1, at)
            maximum = _integer(rule, "max", 0, at) if "max" in rule else None
            if multiple < 1 or (maximum is not None and maximum < minimum):
                raise RefusedKeyError(
                    WorkloadProblemCode.WRONG_VALUE, at, f"sizes.{name} allows no value: expected multiple_of ≥ 1 and min ≤ max"
                )
            rules.append(SizeRule(name, minimum, maximum, multiple))
        return tuple(rules)

    def _steps(self, sizes: tuple[str, ...]) -> tuple[DeclaredStep, ...]:
        shared_table = _table(self._table.get("args", {}), self._at("args"), "args")
        if "steps" not in self._table:
            arguments = _arguments(shared_table, self._at("args"), sizes, {})
            return (self._step(self._table, self._root, arguments, sizes, self._name),)
        for key in ("kernel", "grid", "block", "shared"):
            if key in self._table:
                raise RefusedKeyError(WorkloadProblemCode.MISPLACED_KEY, self._at(key), f"{key} belongs in each of steps, not next to it")
        buffers = {a.name: a for a in _arguments(shared_table, self._at("args"), sizes, {})}
        items = _items(self._table["steps"])
        if not items:
            raise RefusedKeyError(
                WorkloadProblemCode.WRONG_VALUE, self._at("steps"), "steps must be a list of tables, each with kernel, grid, block and args"
            )
        steps = list[DeclaredStep]()
        for index, item in enumerate(items):
            at = self._at("steps", index)
            table = _table(item, at, f"step {index + 1}")
            _only(table, STEP_KEYS, at)
            if "kernel" not in table:
                raise RefusedKeyError(WorkloadProblemCode.MISSING_KEY, at, f'step {index + 1} has no kernel, expected kernel = "NAME"')
            own = _table(table.get("args", {}), (*at, "args"), "args")
            steps.append(self._step(table, at, _arguments(own, (*at, "args"), sizes, buffers), sizes, ""))
        return tuple(steps)

    def _step(
        self,
        table: Mapping[str, Any],
        at: KeyPath,
        arguments: tuple[DeclaredArgument, ...],
        sizes: tuple[str, ...],
        default_kernel: str,
    ) -> DeclaredStep:
        kernel = table.get("kernel", default_kernel)
        if not isinstance(kernel, str) or not kernel.strip():
            raise RefusedKeyError(
                WorkloadProblemCode.WRONG_VALUE, (*at, "kernel"), f'kernel must be a name such as "ns::k<1>", not {_shown(kernel)}'
            )
        return DeclaredStep(
            kernel=kernel.strip(),
            grid=_dimensions(table, "grid", at, sizes),
            block=_dimensions(table, "block", at, sizes),
            shared=_expression(table.get("shared", 0), (*at, "shared"), "shared", sizes),
            arguments=arguments,
        )

    def _globals(self, sizes: tuple[str, ...]) -> tuple[DeclaredArgument, ...]:
        at = self._at("globals")
        return _arguments(_table(self._table.get("globals", {}), at, "globals"), at, sizes, {})

    def _reference(self) -> str | None:
        value = self._table.get("reference")
        if value is None:
            return None
        if not isinstance(value, str) or not all(part.strip() for part in (*value.rpartition(":")[::2],)):
            raise RefusedKeyError(
                WorkloadProblemCode.WRONG_VALUE, self._at("reference"), f'reference must be "FILE.py:FUNCTION", not {_shown(value)}'
            )
        return value

    def _tolerance(self) -> Tolerance:
        at = self._at("tolerance")
        value = self._table.get("tolerance", "auto")
        if value == "auto":
            return AutoTolerance()
        if not isinstance(value, dict):
            raise RefusedKeyError(
                WorkloadProblemCode.WRONG_VALUE, at, f'tolerance must be "auto" or {{ rtol = …, atol = … }}, not {_shown(value)}'
            )
        table = cast("dict[str, object]", value)
        _only(table, ("rtol", "atol"), at)
        bounds = list[float]()
        for key in ("rtol", "atol"):
            bound = table.get(key, 0.0)
            if isinstance(bound, bool) or not isinstance(bound, int | float) or not 0 <= bound < float("inf"):
                raise RefusedKeyError(
                    WorkloadProblemCode.WRONG_VALUE, (*at, key), f"{key} must be a finite number from 0 up, not {_shown(bound)}"
                )
            bounds.append(float(bound))
        return FixedTolerance(rtol=bounds[0], atol=bounds[1])


def _buffers_by_name(arguments: tuple[DeclaredArgument, ...]) -> dict[str, tuple[str, ...]]:
    """Every name that a buffer may be meant by; where a buffer and another's argument share one, the buffer is meant."""
    buffers = {argument.buffer or argument.name for argument in arguments}
    bound: dict[str, list[str]] = {}
    for argument in arguments:
        bound.setdefault(argument.name, []).append(argument.buffer or argument.name)
    own = {argument.buffer for argument in arguments if argument.buffer is not None}
    return {name: tuple(dict.fromkeys(targets)) for name, targets in bound.items() if name not in own} | {
        name: (name,) for name in own | (buffers - set(bound))
    }


def _shape(item: object, at: KeyPath) -> Shape:
    table = _table(item, at, "a shape")
    weight = table.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < float("inf"):
        raise RefusedKeyError(WorkloadProblemCode.WRONG_VALUE, (*at, "weight"), f"weight must be a number from 0 up, not {_shown(weight)}")
    names = [key for key in table if key != "weight"]
    return Shape(tuple((name, _integer(table, name, 0, at)) for name in names), float(weight))


def _arguments(
    table: Mapping[str, Any], at: KeyPath, sizes: tuple[str, ...], buffers: Mapping[str, DeclaredArgument]
) -> tuple[DeclaredArgument, ...]:
    arguments = list[DeclaredArgument]()
    for name, value in table.items():
        argument = parse_value(name, value, buffers)
        if isinstance(argument, ValueProblem):
            raise RefusedKeyError(WorkloadProblemCode.ARGUMENT_VALUE, (*at, name), argument.message)
        expressions = (argument.count, *argument.parameters, *(text for _, text in argument.fields))
        for text in () if argument.buffer is not None else expressions:
            _expression(text, (*at, name), name, sizes)
        arguments.append(argument)
    return tuple(arguments)


def _dimensions(table: Mapping[str, Any], key: str, at: KeyPath, sizes: tuple[str, ...]) -> tuple[str, ...]:
    value = table.get(key)
    if value is None:
        raise RefusedKeyError(
            WorkloadProblemCode.MISSING_KEY, at, f'no {key} here, expected {key} = "ceil(n/256)" or a list of 1 to 3 values'
        )
    items = _items(value) or [value]
    if not 1 <= len(items) <= 3:
        raise RefusedKeyError(WorkloadProblemCode.WRONG_VALUE, (*at, key), f"{key} must have 1 to 3 values, not {len(items)}")
    return tuple(_expression(item, (*at, key), key, sizes) for item in items)


def _expression(value: object, at: KeyPath, what: str, sizes: tuple[str, ...]) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise RefusedKeyError(WorkloadProblemCode.WRONG_VALUE, at, f"{what} must be a whole number or an expression, not {_shown(value)}")
    text = str(value)
    names = names_in(text)
    if isinstance(names, ExpressionProblem):
        raise RefusedKeyError(WorkloadProblemCode.EXPRESSION, at, f"{what} = {names.message}")
    for name in sorted(names - set(sizes)):
        raise RefusedKeyError(
            WorkloadProblemCode.UNKNOWN_SIZE, at, f"{what} = '{text}': no shape has a size '{name}'{_nearest(name, sizes)}"
        )
    return text


def _items(value: object) -> list[object] | None:
    """The elements of a TOML array; None for anything else."""
    return cast("list[object]", value) if isinstance(value, list) else None


def _table(value: object, at: KeyPath, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RefusedKeyError(WorkloadProblemCode.WRONG_VALUE, at, f"{what} must be a table, not {_shown(value)}")
    return cast("dict[str, Any]", value)


def _only(table: Mapping[str, Any], known: Iterable[str], at: KeyPath) -> None:
    for key in table:
        if key not in known:
            raise RefusedKeyError(WorkloadProblemCode.UNKNOWN_KEY, (*at, key), f"unknown key '{key}'{_nearest(key, known)}")


def _integer(table: Mapping[str, Any], key: str, default: int, at: KeyPath) -> int:
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RefusedKeyError(WorkloadProblemCode.WRONG_VALUE, (*at, key), f"{key} must be a whole number from 0 up, not {_shown(value)}")
    return value


def _nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = get_close_matches(name, names, 1)
    return f", did you mean '{near[0]}'?" if near else f", expected one of: {', '.join(names) or 'none'}"


def _shown(value: object) -> str:
    return f"a table ({', '.join(cast('dict[str, object]', value))})" if isinstance(value, dict) else repr(value)
