"""Functions of PyTorch along rows, taken apart: sums and maxima of a row, values of a row made of them, and values of each element.

Example::

    row_function(call)      # of _softmax: a maximum, exponentials, their sum, and the share of each element
"""

from __future__ import annotations

from dataclasses import replace

from assistant.operators import class_losses
from assistant.operators.graph import Argument, FunctionCall, TensorUse
from assistant.record import Record

__all__ = ["RowFunction", "Stage", "row_function"]


class Stage(Record):
    """One value; its text names earlier ones, ``x`` (the element), ``at`` (its place), ``columns`` and operands in braces."""

    name: str
    kind: str
    """``sum``, ``max``, ``min``: of the text over a row; ``row``: one for each row; ``full``: one for each element."""
    text: str
    output: int | None = None
    """Which of the function's results it is."""
    c_type: str = "float"


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
        case "std":
            correction = named.get("correction")
            taken = 1 if correction is None else correction
            return _reducing(given[1:2], _deviation(taken) if isinstance(taken, int) else None)
        case "max" | "min" | "argmax" | "argmin":
            return _extreme(call.name, given[1:2])
        case "native_batch_norm" | "_native_batch_norm_legit":
            return _instance_norm(given)
        case "_softmax" | "_log_softmax":
            return RowFunction((given[1],), _SIMPLE[call.name]) if len(given) > 1 and type(given[1]) is int else None
        case "native_layer_norm":
            return _layer_norm(given)
        case "native_group_norm":
            return _group_norm(given)
        case "mse_loss" | "smooth_l1_loss" | "huber_loss":
            return _loss(call.name, given)
        case "gather":
            return _picked(given)
        case class_losses.LOSS_OF_ROW:
            return _loss_of_row(given)
        case class_losses.LOSS_MEAN:
            return _loss_mean(given)
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
    "_softmax": (
        Stage("most", "max", "{x}"),
        Stage("power", "full", "expf({x} - {most})"),
        Stage("s", "sum", "{power}"),
        Stage("share", "row", "1.0f / {s}"),
        Stage("y", "full", "{power} * {share}", 0),
    ),
    "_log_softmax": (
        Stage("most", "max", "{x}"),
        Stage("s", "sum", "expf({x} - {most})"),
        Stage("log", "row", "logf({s})"),
        Stage("y", "full", "{x} - {most} - {log}", 0),
    ),
}
_KEY = "unsigned long long"
"""An element's order and its place in one number."""
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
    count = f"fmaxf({{columns}} - {correction}, 0.0f)" if correction else "{columns}"
    divided = Stage("var", "row", f"{{squares}} / {count}", 0)
    return (s, Stage(mean.name, mean.kind, mean.text), squares, divided)


def _deviation(correction: int) -> tuple[Stage, ...]:
    *stages, var = _variance(correction)
    return (*stages, Stage("var", var.kind, var.text), Stage("std", "row", "sqrtf({var})", 0))


def _extreme(name: str, given: tuple[Argument, ...]) -> RowFunction | None:
    """The largest or smallest with its place: NaN before all numbers, and the first of equals."""
    place = given[0] if given else None
    if place is not None and type(place) is not int:
        return None
    is_most = name.endswith("max")
    value = Stage("value", "max" if is_most else "min", "{x}", 0)
    key = Stage("key", "max", f"key_of_{'most' if is_most else 'least'}({{x}}, {{at}})", None, _KEY)
    index = Stage("index", "row", "(long long)(0xffffffffu - (unsigned)({key} & 0xffffffffull))", 1, "long long")
    if name.startswith("arg"):
        return RowFunction(() if place is None else (place,), (key, replace(index, output=0)))
    return RowFunction((), (value,)) if place is None else RowFunction((place,), (value, key, index))


def _instance_norm(given: tuple[Argument, ...]) -> RowFunction | None:
    """Batch norm without running statistics: instance norm hands it all images as channels of one."""
    x, weight, bias, mean, var = (*given, None, None, None, None, None)[:5]
    epsilon = given[-1] if given else None
    if not isinstance(x, TensorUse) or mean is not None or var is not None or True not in given or not isinstance(epsilon, float):
        return None
    behind = (1,) * (len(x.shape) - 2)
    weight, bias = (_shaped(each, behind) for each in (weight, bias))
    return RowFunction((0, *range(2, len(x.shape))), *_normalized(weight, bias, epsilon))


def _shaped(weight: Argument, behind: tuple[int, ...]) -> Argument:
    """With ones for the dimensions behind the channels."""
    return replace(weight, shape=(*weight.shape, *behind), strides=()) if isinstance(weight, TensorUse) else None


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
    weight, bias = (_shaped(each, behind) for each in (weight, bias))
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


def _picked(given: tuple[Argument, ...]) -> RowFunction | None:
    """One element of each row, by its number: the sum of a row of which only that one counts."""
    x, dim, number = (*given, None, None, None)[:3]
    if not isinstance(x, TensorUse) or not isinstance(number, TensorUse) or type(dim) is not int or not x.shape:
        return None
    place = dim % len(x.shape)
    if number.shape != (*x.shape[:place], 1, *x.shape[place + 1 :]):
        return None
    return RowFunction((place,), (Stage("picked", "sum", "{at} == {number} ? {x} : 0.0f", 0),), (("number", number),))


def _loss_of_row(given: tuple[Argument, ...]) -> RowFunction | None:
    _, target, ignored = given
    if not isinstance(target, TensorUse):
        return None
    number = replace(target, shape=(*target.shape, 1), strides=(*target.steps, 1))
    stages = (
        Stage("picked", "sum", "{at} == {target} ? {x} : 0.0f"),
        Stage("loss", "row", f"{{target}} == {ignored} ? 0.0f : -{{picked}}", 0),
    )
    return RowFunction((1,), stages, (("target", number),))


def _loss_mean(given: tuple[Argument, ...]) -> RowFunction:
    """Rows whose class is ignored count for nothing."""
    _, target, ignored = given
    stages = (
        Stage("s", "sum", "{x}"),
        Stage("counted", "sum", f"{{target}} == {ignored} ? 0.0f : 1.0f"),
        Stage("mean", "row", "{s} / {counted}", 0),
    )
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
