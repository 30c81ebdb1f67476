"""CUDA's built-in functions: which only compute, which are double precision, which allocate.

Source of the names: CUDA C++ Programming Guide, sections "Mathematical Functions", "Intrinsic Functions" and
"Read-Only Data Cache Load Function".

Example::

    is_pure("__fmaf_rn")   # True
    FLOAT_NAMES["sqrt"]     # 'sqrtf'
"""

from __future__ import annotations

__all__ = ["ALLOCATION_CALLS", "FLOAT_NAMES", "is_pure"]

_DOUBLE_NAMES = """
    acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs
    floor lgamma log log10 log1p log2 logb nearbyint normcdf normcdfinv rcbrt rint round rsqrt sin sinh sinpi sqrt tan
    tanh tgamma trunc j0 j1 y0 y1 atan2 copysign fdim fma fmax fmin fmod hypot pow remainder rhypot nextafter ldexp
    scalbn norm3d norm4d rnorm3d rnorm4d
"""

FLOAT_NAMES = {name: f"{name}f" for name in _DOUBLE_NAMES.split()}
"""Double-precision math function → its single-precision name."""

ALLOCATION_CALLS = (
    "cudaMalloc",
    "cudaMallocManaged",
    "cudaMallocAsync",
    "cudaMallocPitch",
    "cudaMallocHost",
    "cudaHostAlloc",
)
"""Runtime calls that put a new buffer's address into what their first argument points to."""

_OTHER_PURE = """
    abs labs llabs min max umin umax isnan isinf isfinite signbit
    float int double unsigned bool long half __half size_t dim3 static_cast
    float2half half2float __float2half __half2float __hadd __hmul __hfma __hsub __hdiv __hneg __hmax __hmin __habs
    __fdividef __expf __exp10f __logf __log2f __log10f __sinf __cosf __tanf __powf __saturatef
    __popc __popcll __clz __clzll __ffs __ffsll __brev __brevll __mul24 __umul24 __mulhi __umulhi __sad __usad __dp4a
    __int_as_float __float_as_int __uint_as_float __float_as_uint __int2float_rn __float2int_rn __float2int_rz
    make_float2 make_float3 make_float4 make_int2 make_int3 make_int4 make_uint2 make_uint3 make_uint4 make_double2
    make_uchar4 __ldg
"""
_ROUNDED = """
    __fadd_ __fmul_ __fmaf_ __fsub_ __fdiv_ __frcp_ __fsqrt_ __frsqrt_ __dadd_ __dmul_ __fma_ __ddiv_
"""
"""Prefixes of the arithmetic intrinsics with an explicit rounding mode."""

_PURE = frozenset((*FLOAT_NAMES, *FLOAT_NAMES.values(), *_OTHER_PURE.split()))


def is_pure(name: str) -> bool:
    """True for a built-in that only computes a value from its arguments (``__ldg`` reads what its argument names)."""
    name = name.removeprefix("std::").removeprefix("::")
    return name in _PURE or name.startswith(tuple(_ROUNDED.split()))
