"""Rewrites a source's ``float`` and half precision as ``double``, in types, literals and functions; for a reference result.

The whole source is promoted, host code too, so sizes and copies stay consistent. Buffers that come from outside (a replay's) are the
caller's to widen.
"""

from __future__ import annotations

import re

from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.stream import Stream

_TYPES = {
    "float": "double", "half": "double", "__half": "double", "nv_half": "double", "__nv_bfloat16": "double", "nv_bfloat16": "double",
    "half2": "double2", "__half2": "double2", "__nv_bfloat162": "double2", "nv_bfloat162": "double2",
    **{f"{prefix}float{n}": f"{prefix}double{n}" for n in "1234" for prefix in ("", "make_")},
    "make_half2": "make_double2", "FLT_MAX": "DBL_MAX", "FLT_MIN": "DBL_MIN", "FLT_EPSILON": "DBL_EPSILON",
}  # fmt: skip
_LIBM = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "cospi", "erf", "erfc",
    "erfcinv", "erfcx", "erfinv", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "frexp",
    "hypot", "ilogb", "j0", "j1", "jn", "ldexp", "lgamma", "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "lrint",
    "lround", "modf", "nearbyint", "nextafter", "norm3d", "norm4d", "norm", "normcdf", "normcdfinv", "pow", "rcbrt", "remainder",
    "remquo", "rhypot", "rint", "rnorm3d", "rnorm4d", "rnorm", "round", "rsqrt", "scalbln", "scalbn", "sin", "sincos", "sincospi",
    "sinh", "sinpi", "sqrt", "tan", "tanh", "tgamma", "trunc", "y0", "y1", "yn", "cyl_bessel_i0", "cyl_bessel_i1",
]  # fmt: skip
_FUNCTIONS = {
    **{f"{name}f": name for name in _LIBM},
    **{f"__{name}f": name for name in ("exp", "exp10", "log", "log2", "log10", "pow", "sin", "cos", "tan", "tanh", "sincos")},
    **{f"__f{op}_{r}": f"__d{op}_{r}" for op in ("add", "sub", "mul", "div", "rcp", "sqrt") for r in ("rn", "rz", "ru", "rd")},
    **{f"__fmaf_{r}": f"__fma_{r}" for r in ("rn", "rz", "ru", "rd")},
    "__fdividef": "emu_promoted_divide", "fdividef": "emu_promoted_divide", "__saturatef": "emu_promoted_saturate",
    "__frsqrt_rn": "rsqrt", "__int2float_rn": "__int2double_rn", "__uint2float_rn": "__uint2double_rn",
    "__double2float_rn": "emu_promoted_same", "__half2float": "emu_promoted_same", "__float2half": "emu_promoted_same",
    "__float2half_rn": "emu_promoted_same", "__bfloat162float": "emu_promoted_same", "__float2bfloat16": "emu_promoted_same",
    "__float2int_rn": "__double2int_rn", "__float2int_rz": "__double2int_rz", "__float2int_rd": "__double2int_rd",
    "__float2int_ru": "__double2int_ru",
}  # fmt: skip
_BIT_CASTS = {
    "__float_as_int", "__int_as_float", "__float_as_uint", "__uint_as_float", "__half_as_ushort", "__ushort_as_half", "__half_as_short",
    "__short_as_half", "__bfloat16_as_ushort", "__ushort_as_bfloat16",
}  # fmt: skip
_LITERAL = re.compile(r"(?:\d[\d']*\.?[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?[fF]")


def promotion_renames(stream: Stream) -> dict[int, str]:
    """New spellings by token start."""
    renames: dict[int, str] = {}
    for i, token in enumerate(stream.tokens):
        if token.kind is Kind.NAME and stream.text(i - 1) not in (".", "->"):
            new = _TYPES.get(token.text) or _FUNCTIONS.get(token.text)
            if new is not None:
                renames[token.start] = new
        elif token.kind is Kind.NUMBER and _LITERAL.fullmatch(token.text) and not token.text.startswith(("0x", "0X")):
            digits = token.text[:-1]
            renames[token.start] = digits if any(c in digits for c in ".eE") else digits + ".0"
    return renames


def promotion_obstacle(stream: Stream) -> str | None:
    """The first construct that depends on the 32 or 16 bits of a value; None when the source can be promoted."""
    return next((t.text for t in stream.tokens if t.text in _BIT_CASTS), None)
