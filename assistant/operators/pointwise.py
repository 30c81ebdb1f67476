"""Functions of PyTorch that work element by element, as C expressions: NaN goes where PyTorch lets it go.

Example::

    expression("leaky_relu", ("x[at]", 0.1), {})    # "x[at] > 0.0f ? x[at] : x[at] * 0.1f"
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

__all__ = ["constant", "expression", "in_double"]

Word = str | float | bool | None
"""An operand's C text, or a number."""

_PLAIN = {
    "neg": "-{0}", "abs": "fabsf({0})", "exp": "expf({0})", "exp2": "exp2f({0})", "expm1": "expm1f({0})", "log": "logf({0})",
    "log2": "log2f({0})", "log1p": "log1pf({0})", "sqrt": "sqrtf({0})", "rsqrt": "rsqrtf({0})", "reciprocal": "1.0f / {0}",
    "sin": "sinf({0})", "cos": "cosf({0})", "tanh": "tanhf({0})", "erf": "erff({0})", "floor": "floorf({0})", "ceil": "ceilf({0})",
    "round": "rintf({0})", "trunc": "truncf({0})", "sigmoid": "1.0f / (1.0f + expf(-{0}))", "silu": "{0} / (1.0f + expf(-{0}))",
    "relu": "{0} < 0.0f ? 0.0f : {0}", "square": "{0} * {0}", "sgn": "{0} > 0.0f ? 1.0f : {0} < 0.0f ? -1.0f : 0.0f",
    "sign": "{0} > 0.0f ? 1.0f : {0} < 0.0f ? -1.0f : 0.0f", "hardsigmoid": "({0} < -3.0f ? 0.0f : {0} > 3.0f ? 6.0f : {0} + 3.0f) / 6.0f",
    "hardswish": "{0} * ({0} < -3.0f ? 0.0f : {0} > 3.0f ? 6.0f : {0} + 3.0f) / 6.0f",
    "mish": "{0} * tanhf({0} > 20.0f ? {0} : log1pf(expf({0})))", "logical_not": "!{0}", "bitwise_not": "!{0}",
    "mul": "{0} * {1}", "maximum": "{0} != {0} || {0} > {1} ? {0} : {1}", "minimum": "{0} != {0} || {0} < {1} ? {0} : {1}",
    "gt": "{0} > {1}", "lt": "{0} < {1}", "ge": "{0} >= {1}", "le": "{0} <= {1}", "eq": "{0} == {1}", "ne": "{0} != {1}",
    "logical_and": "{0} && {1}", "logical_or": "{0} || {1}", "where": "{0} ? {1} : {2}", "masked_fill": "{1} ? {2} : {0}",
    "lerp": "{0} + {2} * ({1} - {0})", "copy": "{1}", "clone": "{0}", "_to_copy": "{0}",
    "tril": "{2} - {1} <= {3} ? {0} : 0", "triu": "{2} - {1} >= {3} ? {0} : 0",
}  # fmt: skip
_MOST_OPERANDS = 4
"""Of ``tril`` and ``triu``: the element, its row and column, and the diagonal."""
_DEFAULTS: dict[str, tuple[tuple[str, Word], ...]] = {
    "add": (("other", None), ("alpha", 1)), "sub": (("other", None), ("alpha", 1)), "rsub": (("other", None), ("alpha", 1)),
    "div": (("other", None), ("rounding_mode", None)), "pow": (("exponent", None),), "gelu": (("approximate", "none"),),
    "leaky_relu": (("negative_slope", 0.01),), "elu": (("alpha", 1.0), ("scale", 1.0), ("input_scale", 1.0)),
    "hardtanh": (("min_val", -1.0), ("max_val", 1.0)), "clamp": (("min", None), ("max", None)), "clamp_min": (("min", None),),
    "clamp_max": (("max", None),), "softplus": (("beta", 1.0), ("threshold", 20.0)), "threshold": (("threshold", None), ("value", None)),
    "addcmul": (("tensor1", None), ("tensor2", None), ("value", 1)), "addcdiv": (("tensor1", None), ("tensor2", None), ("value", 1)),
}  # fmt: skip
"""Parameters behind the first one, with what PyTorch takes where a call leaves them out."""
_IGNORED = frozenset({"memory_format", "dtype", "layout", "device", "pin_memory", "non_blocking"})
"""Of copies: the type of the result is known from it."""


def expression(name: str, arguments: tuple[Word, ...], named: Mapping[str, Word]) -> str | None:
    """None for a function, or arguments of one, that there is no expression for."""
    plain = name.rstrip("_") if not name.startswith("_") else name
    if plain in _PLAIN:
        template = _PLAIN[plain]
        needed = 1 + max(number for number in range(_MOST_OPERANDS) if f"{{{number}}}" in template)
        if len(arguments) < needed or any(key not in _IGNORED for key in named):
            return None
        return template.format(*map(constant, arguments))
    write = _WRITTEN.get(plain)
    parameters = _DEFAULTS.get(plain, ())
    if write is None or any(key not in dict(parameters) for key in named) or len(arguments) > len(parameters) + 1:
        return None
    further = [*arguments[1:], *(named.get(key, default) for key, default in parameters[len(arguments) - 1 :])]
    return write(constant(arguments[0]), *further)


def constant(word: Word) -> str:
    """A number as C's float; an operand as it is."""
    if isinstance(word, str):
        return word
    if isinstance(word, bool):
        return "true" if word else "false"
    value = float(word or 0.0)
    if math.isnan(value):
        return "NAN"
    text = f"{abs(value)!r}f" if math.isfinite(value) else "INFINITY"
    return f"(-{text})" if math.copysign(1.0, value) < 0 else text


def in_double(text: str) -> str:
    """An expression of floats as one of doubles: ``expf(x * 0.5f)`` as ``exp(x * 0.5)``."""
    return re.sub(r"(?<=[\d.])f\b", "", re.sub(r"\b([a-z][a-z0-9]*)f\(", r"\1(", text))


def _sum(x: str, other: Word, alpha: Word) -> str:
    return f"{x} + {_scaled(other, alpha)}"


def _difference(x: str, other: Word, alpha: Word) -> str:
    return f"{x} - {_scaled(other, alpha)}"


def _reverse_difference(x: str, other: Word, alpha: Word) -> str:
    return f"{constant(other)} - {_scaled(x, alpha)}"


def _scaled(word: Word, by: Word) -> str:
    return constant(word) if by == 1 else f"{constant(by)} * {constant(word)}"


def _quotient(x: str, other: Word, rounding: Word) -> str | None:
    return f"{x} / {constant(other)}" if rounding is None else None


def _power(x: str, exponent: Word) -> str:
    simple = {2: f"{x} * {x}", 3: f"{x} * {x} * {x}", 0.5: f"sqrtf({x})", -0.5: f"rsqrtf({x})", 1: x, -1: f"1.0f / {x}"}
    known = simple.get(exponent) if isinstance(exponent, int | float) else None
    return known or f"powf({x}, {constant(exponent)})"


def _gelu(x: str, approximate: Word) -> str:
    if approximate == "tanh":
        return f"0.5f * {x} * (1.0f + tanhf(0.79788456080286536f * ({x} + 0.044715f * {x} * {x} * {x})))"
    return f"0.5f * {x} * (1.0f + erff({x} * 0.70710678118654752f))"


def _elu(x: str, alpha: Word, scale: Word, input_scale: Word) -> str:
    return f"{constant(scale)} * ({x} > 0.0f ? {x} : {constant(alpha)} * expm1f({x} * {constant(input_scale)}))"


def _clamped(x: str, least: Word, most: Word) -> str:
    below = "" if least is None else f"{x} < {constant(least)} ? {constant(least)} : "
    above = "" if most is None else f"{x} > {constant(most)} ? {constant(most)} : "
    return f"{below}{above}{x}"


def _softplus(x: str, beta: Word, threshold: Word) -> str:
    scaled = x if beta == 1 else f"{x} * {constant(beta)}"
    return f"{scaled} > {constant(threshold)} ? {x} : log1pf(expf({scaled})) / {constant(beta)}"


def _leaky(x: str, slope: Word) -> str:
    return f"{x} > 0.0f ? {x} : {x} * {constant(slope)}"


def _at_least(x: str, least: Word) -> str:
    return _clamped(x, least, None)


def _at_most(x: str, most: Word) -> str:
    return _clamped(x, None, most)


def _threshold(x: str, limit: Word, value: Word) -> str:
    return f"{x} <= {constant(limit)} ? {constant(value)} : {x}"


def _product_added(x: str, a: Word, b: Word, value: Word) -> str:
    return f"{x} + {_scaled(a, value)} * {constant(b)}"


def _quotient_added(x: str, a: Word, b: Word, value: Word) -> str:
    return f"{x} + {_scaled(a, value)} / {constant(b)}"


_WRITTEN: dict[str, Callable[..., str | None]] = {
    "add": _sum, "sub": _difference, "rsub": _reverse_difference, "div": _quotient, "pow": _power, "gelu": _gelu, "leaky_relu": _leaky,
    "elu": _elu, "hardtanh": _clamped, "clamp": _clamped, "clamp_min": _at_least, "clamp_max": _at_most, "softplus": _softplus,
    "threshold": _threshold, "addcmul": _product_added, "addcdiv": _quotient_added,
}  # fmt: skip
