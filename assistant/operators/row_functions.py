"""Functions of PyTorch along rows, taken apart: sums and maxima of a row, values of a row made of them, and values of each element.

Example::

    row_function(call)      # of _softmax: a maximum, a sum of exponentials, and a quotient for each element
"""

from __future__ import annotations

from assistant.operators.graph import Argument, FunctionCall
from assistant.record import Record

__all__ = ["RowFunction", "Stage", "row_function"]


class Stage(Record):
    """One value; its text names earlier ones, ``x`` (the element), ``columns`` and operands in braces."""

    name: str
    kind: str
    """``sum``, ``max``, ``min``: of the text over a row; ``row``: one for each row; ``full``: one for each element."""
    text: str
    output: int | None = None
    """Which of the function's results it is."""


class RowFunction(Record):
    dims: int
    """How many of the last dimensions are a row."""
    stages: tuple[Stage, ...]
    operands: tuple[tuple[str, Argument], ...] = ()
    """Further tensors, by the names that texts have for them."""


def row_function(call: FunctionCall) -> RowFunction | None:
    """None for one that is not known, or that is asked for something else than float32."""
    named = dict(call.named)
    given = call.arguments
    if named.get("dtype") not in (None, "torch.float32") or not given:
        return None
    match call.name:
        case "sum" | "mean" | "amax" | "amin" | "logsumexp":
            dims = given[1] if len(given) > 1 else None
            return RowFunction(len(dims), _SIMPLE[call.name]) if isinstance(dims, tuple) and dims else None
        case "linalg_vector_norm":
            dims = given[2] if len(given) > 2 else None
            order = given[1] if len(given) > 1 else 2
            stages = _NORMS.get(order) if isinstance(order, int | float) else None
            return RowFunction(len(dims), stages) if isinstance(dims, tuple) and dims and stages is not None else None
        case "var":
            dims, correction = given[1] if len(given) > 1 else None, named.get("correction")
            taken = 1 if correction is None else correction
            return RowFunction(len(dims), _variance(taken)) if isinstance(dims, tuple) and dims and isinstance(taken, int) else None
        case "_softmax" | "_log_softmax":
            return RowFunction(1, _SIMPLE[call.name])
        case "native_layer_norm":
            return _layer_norm(given)
        case _:
            return None


_SIMPLE = {
    "sum": (Stage("s", "sum", "{x}", 0),),
    "mean": (Stage("s", "sum", "{x}"), Stage("mean", "row", "{s} / {columns}", 0)),
    "amax": (Stage("most", "max", "{x}", 0),),
    "amin": (Stage("least", "min", "{x}", 0),),
    "logsumexp": (
        Stage("most", "max", "{x}"),
        Stage("finite", "row", "isinf({most}) ? 0.0f : {most}"),
        Stage("s", "sum", "expf({x} - {finite})"),
        Stage("log", "row", "{finite} + logf({s})", 0),
    ),
    "_softmax": (Stage("most", "max", "{x}"), Stage("s", "sum", "expf({x} - {most})"), Stage("y", "full", "expf({x} - {most}) / {s}", 0)),
    "_log_softmax": (
        Stage("most", "max", "{x}"),
        Stage("s", "sum", "expf({x} - {most})"),
        Stage("y", "full", "{x} - {most} - logf({s})", 0),
    ),
}
_NORMS: dict[float, tuple[Stage, ...]] = {
    1: (Stage("s", "sum", "fabsf({x})", 0),),
    2: (Stage("s", "sum", "{x} * {x}"), Stage("norm", "row", "sqrtf({s})", 0)),
}
_CENTRED = (
    Stage("s", "sum", "{x}"),
    Stage("mean", "row", "{s} / {columns}", 1),
    Stage("squares", "sum", "({x} - {mean}) * ({x} - {mean})"),
)


def _variance(correction: int) -> tuple[Stage, ...]:
    s, mean, squares = _CENTRED
    return (s, Stage(mean.name, mean.kind, mean.text), squares, Stage("var", "row", f"{{squares}} / ({{columns}} - {correction})", 0))


def _layer_norm(given: tuple[Argument, ...]) -> RowFunction | None:
    _, shape, weight, bias, epsilon = (*given, None, None, None, None)[:5]
    if not isinstance(shape, tuple) or not isinstance(epsilon, float):
        return None
    scaled = "" if weight is None else " * {weight}"
    moved = "" if bias is None else " + {bias}"
    stages = (
        *_CENTRED,
        Stage("rstd", "row", f"rsqrtf({{squares}} / {{columns}} + {epsilon!r}f)", 2),
        Stage("y", "full", f"({{x}} - {{mean}}) * {{rstd}}{scaled}{moved}", 0),
    )
    operands = tuple((key, value) for key, value in (("weight", weight), ("bias", bias)) if value is not None)
    return RowFunction(len(shape), stages, operands)
