"""Functions of PyTorch along rows, taken apart: sums and maxima of a row, values of a row made of them, and values of each element.

Example::

    row_function(call)      # of _softmax: a maximum, a sum of exponentials, and a quotient for each element
"""

from __future__ import annotations

from dataclasses import replace

from assistant.operators.graph import Argument, FunctionCall, TensorUse
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
    places: tuple[int, ...]
    """Which dimensions are reduced, from 0, or from -1 backwards; none named: all."""
    stages: tuple[Stage, ...]
    operands: tuple[tuple[str, Argument], ...] = ()
    """Further tensors, by the names that texts have for them."""
    groups: int = 1
    """Into how many rows the first of these dimensions is split."""


def row_function(call: FunctionCall) -> RowFunction | None:
    """None for one that is not known, or that is asked for something else than float32."""
    named = dict(call.named)
    given = call.arguments
    if named.get("dtype") not in (None, "torch.float32") or not given:
        return None
    match call.name:
        case "sum" | "mean" | "amax" | "amin" | "logsumexp":
            return _reducing(given[1:2], _SIMPLE[call.name])
        case "linalg_vector_norm":
            order = given[1] if len(given) > 1 else 2
            return _reducing(given[2:3], _NORMS.get(order) if isinstance(order, int | float) else None)
        case "var":
            correction = named.get("correction")
            taken = 1 if correction is None else correction
            return _reducing(given[1:2], _variance(taken) if isinstance(taken, int) else None)
        case "_softmax" | "_log_softmax":
            return RowFunction((given[1],), _SIMPLE[call.name]) if len(given) > 1 and type(given[1]) is int else None
        case "native_layer_norm":
            return _layer_norm(given)
        case "native_group_norm":
            return _group_norm(given)
        case "mse_loss" | "smooth_l1_loss" | "huber_loss":
            return _loss(call.name, given)
        case _:
            return None


def _reducing(dims: tuple[Argument, ...], stages: tuple[Stage, ...] | None) -> RowFunction | None:
    """``dims``: the argument that names the dimensions, if there is one."""
    places = dims[0] if dims and dims[0] is not None else ()
    if stages is None or not isinstance(places, tuple):
        return None
    numbers = tuple(place for place in places if type(place) is int)
    return RowFunction(numbers, stages) if len(numbers) == len(places) else None


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
    divided = Stage("var", "row", f"{{squares}} / fmaxf({{columns}} - {correction}, 0.0f)", 0)
    return (s, Stage(mean.name, mean.kind, mean.text), squares, divided)


def _layer_norm(given: tuple[Argument, ...]) -> RowFunction | None:
    _, shape, weight, bias, epsilon = (*given, None, None, None, None)[:5]
    if not isinstance(shape, tuple) or not isinstance(epsilon, float):
        return None
    return RowFunction(tuple(range(-len(shape), 0)), *_normalized(weight, bias, epsilon))


def _group_norm(given: tuple[Argument, ...]) -> RowFunction | None:
    """Channels are the second dimension: each group of them is a row, with all that lies behind it."""
    if len(given) != _GROUP_NORM_ARGUMENTS:
        return None
    x, weight, bias, _, _, _, groups, epsilon = given
    if not isinstance(x, TensorUse) or type(groups) is not int or not isinstance(epsilon, float):
        return None
    behind = (1,) * (len(x.shape) - 2)
    weight, bias = (replace(each, shape=(*each.shape, *behind)) if isinstance(each, TensorUse) else None for each in (weight, bias))
    return RowFunction(tuple(range(1, len(x.shape))), *_normalized(weight, bias, epsilon), groups)


_GROUP_NORM_ARGUMENTS = 8
_MEAN, _SUM = 1, 2
"""How PyTorch numbers what a loss makes of its elements."""


def _loss(name: str, given: tuple[Argument, ...]) -> RowFunction | None:
    _, target, reduction, bend = (*given, None, None, None)[:4]
    reduction, bend = _MEAN if reduction is None else reduction, 1.0 if bend is None else bend
    if not isinstance(target, TensorUse) or reduction not in (_MEAN, _SUM) or not isinstance(bend, float) or bend <= 0.0:
        return None
    element = {
        "mse_loss": "{d} * {d}",
        "smooth_l1_loss": f"{{d}} < {bend!r}f ? 0.5f * {{d}} * {{d}} / {bend!r}f : {{d}} - {0.5 * bend!r}f",
        "huber_loss": f"{{d}} <= {bend!r}f ? 0.5f * {{d}} * {{d}} : {bend!r}f * ({{d}} - {0.5 * bend!r}f)",
    }[name]
    mean = (Stage("mean", "row", "{s} / {columns}", 0),) if reduction == _MEAN else ()
    stages = (Stage("d", "full", "fabsf({x} - {target})"), Stage("s", "sum", element, None if mean else 0), *mean)
    return RowFunction((), stages, (("target", target),))


def _normalized(weight: Argument, bias: Argument, epsilon: float) -> tuple[tuple[Stage, ...], tuple[tuple[str, Argument], ...]]:
    scaled = "" if weight is None else " * {weight}"
    moved = "" if bias is None else " + {bias}"
    stages = (
        *_CENTRED,
        Stage("rstd", "row", f"rsqrtf({{squares}} / {{columns}} + {epsilon!r}f)", 2),
        Stage("y", "full", f"({{x}} - {{mean}}) * {{rstd}}{scaled}{moved}", 0),
    )
    return stages, tuple((key, value) for key, value in (("weight", weight), ("bias", bias)) if value is not None)
