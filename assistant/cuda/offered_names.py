"""Names that a word in CUDA C++ may become: those of its own text and CUDA's, by spelling alone. Pure.

For cells and strings, where no other tool completes CUDA. Example::

    offered_names("__global__ void k(float *values) { val", "")     # ('val', ('values',))
"""

from __future__ import annotations

import re

__all__ = ["offered_names"]

_WORD = re.compile(r"[A-Za-z_]\w*")
_TYPED = re.compile(r"((?:\.|->)\s*)?([A-Za-z_]\w*)?\Z")
_MEMBER = re.compile(r"(?:\.|->)\s*([A-Za-z_]\w*)")
_INDEX = re.compile(r"(?:threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*\w*\Z")
_LEAST_LETTERS = 2
"""A shorter name is typed as fast as it is chosen."""
_CUDA = """
    __global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __launch_bounds__ __forceinline__ __noinline__
    threadIdx blockIdx blockDim gridDim warpSize dim3
    __syncthreads __syncthreads_count __syncthreads_and __syncthreads_or __syncwarp __threadfence __threadfence_block
    __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __all_sync __any_sync __activemask
    __match_any_sync __match_all_sync __reduce_add_sync __reduce_min_sync __reduce_max_sync
    __popc __popcll __clz __clzll __ffs __brev __byte_perm __ldg __ldcg __ldca __stcg __stcs
    atomicAdd atomicSub atomicExch atomicMin atomicMax atomicInc atomicDec atomicCAS atomicAnd atomicOr atomicXor
    fmaf fma fminf fmaxf fabsf sqrtf rsqrtf expf exp2f logf log2f powf sinf cosf tanhf floorf ceilf rintf
    __expf __logf __powf __sinf __cosf __fdividef __fmaf_rn __fadd_rn __fmul_rn __frcp_rn __fsqrt_rn
    __float2half __half2float __float2half_rn __half22float2 __float22half2_rn __int_as_float __float_as_int
    float double int unsigned char short long bool void const auto static inline template typename struct using return sizeof
    size_t uint8_t int8_t uint16_t int16_t uint32_t int32_t uint64_t int64_t half half2 __half __half2 __nv_bfloat16
    float2 float3 float4 double2 double3 double4 int2 int3 int4 uint2 uint3 uint4 uchar4 char4
    make_float2 make_float3 make_float4 make_double2 make_int2 make_int3 make_int4 make_uint4
    extern unroll printf assert
    """
"""Words of CUDA C++ (CUDA C++ Programming Guide 13.0, "C++ Language Extensions"; CUDA Math API) and of C++ that kernels are made of."""


def offered_names(before: str, after: str) -> tuple[str, tuple[str, ...]]:
    """(what was typed of a name, the names that it may become) between the text before a place and the text after it."""
    code = f"{before}\n{after}"
    typed = _TYPED.search(before)
    assert typed is not None, "it may be empty"
    member_mark, prefix = typed[1], typed[2] or ""
    if member_mark is not None:
        members = ("x", "y", "z") if _INDEX.search(before) else tuple(sorted({*_MEMBER.findall(code)} - {prefix}))
        return prefix, tuple(name for name in members if name.startswith(prefix))
    own = {word for word in _WORD.findall(code) if len(word) >= _LEAST_LETTERS and word != prefix}
    names = (*sorted(own), *(word for word in _CUDA.split() if prefix and word not in own))
    return prefix, tuple(name for name in names if name.startswith(prefix) and name != prefix)
