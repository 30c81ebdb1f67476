"""Pieces that several kinds of first kernels are written from: how two values become one, and neighbours that are moved at once. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from assistant.operators.kernel_plan import HALVES, Plan, Read, Step, in_words, needed, note

__all__ = [
    "FOLDS",
    "Fold",
    "alignment",
    "all_folds_of",
    "begin",
    "each_neighbour",
    "element_load",
    "folded",
    "helpers",
    "joined",
    "loads",
    "moves",
    "near_stores",
    "plain_words",
    "read_in",
    "row_value",
    "same_steps",
    "vector_words",
    "with_words",
]

FOLDS = {"sum": "{a} + {b}", "max": "{a} != {a} || {a} > {b} ? {a} : {b}", "min": "{a} != {a} || {a} < {b} ? {a} : {b}"}
"""How two become one; NaN stays."""
_OF_WHOLE = {"sum": "{a} + {b}", "max": "{a} > {b} ? {a} : {b}"}
_BEGIN = {"sum": "0.0f", "max": "-INFINITY", "min": "INFINITY"}
Fold = tuple[str, str]
"""A kind, and the type of its values."""
_HEAD = "// Neighbours that are moved at once."
_ALIGNED = """// Whether a float4 may begin there.
static bool is_aligned(const void* memory) { return reinterpret_cast<uintptr_t>(memory) % 16 == 0; }
"""
_APART = """// Neighbours that lie `step` elements apart, or where no four of them can be read at once.
template <int WIDTH, class V, class T>
__device__ void load_each(V* to, const T* from, long long step) {
    #pragma unroll
    for (int e = 0; e < WIDTH; ++e) to[e] = from[e * step];
}
"""
_FLOATS = """template <int WIDTH>
__device__ void load(float* to, const float* from) {
    if (WIDTH == 4) {
        const float4 four = *reinterpret_cast<const float4*>(from);
        to[0] = four.x, to[1 % WIDTH] = four.y, to[2 % WIDTH] = four.z, to[3 % WIDTH] = four.w;
    } else {
        to[0] = from[0];
    }
}

template <int WIDTH>
__device__ void store(float* to, const float* from) {
    if (WIDTH == 4)
        *reinterpret_cast<float4*>(to) = make_float4(from[0], from[1 % WIDTH], from[2 % WIDTH], from[3 % WIDTH]);
    else
        to[0] = from[0];
}
"""
_BOOLS = """template <int WIDTH>
__device__ void load(bool* to, const bool* from) {
    if (WIDTH == 4) {
        const uchar4 four = *reinterpret_cast<const uchar4*>(from);
        to[0] = four.x, to[1 % WIDTH] = four.y, to[2 % WIDTH] = four.z, to[3 % WIDTH] = four.w;
    } else {
        to[0] = from[0];
    }
}

template <int WIDTH>
__device__ void store(bool* to, const bool* from) {
    if (WIDTH == 4)
        *reinterpret_cast<uchar4*>(to) = make_uchar4(from[0], from[1 % WIDTH], from[2 % WIDTH], from[3 % WIDTH]);
    else
        to[0] = from[0];
}
"""
_INTS = _FLOATS.replace("float4", "int4").replace("float", "int")
_LONGS = """template <int WIDTH>
__device__ void load(long long* to, const long long* from) {
    if (WIDTH == 4) {
        const longlong2 first = reinterpret_cast<const longlong2*>(from)[0], second = reinterpret_cast<const longlong2*>(from)[1];
        to[0] = first.x, to[1 % WIDTH] = first.y, to[2 % WIDTH] = second.x, to[3 % WIDTH] = second.y;
    } else {
        to[0] = from[0];
    }
}

template <int WIDTH>
__device__ void store(long long* to, const long long* from) {
    if (WIDTH == 4) {
        reinterpret_cast<longlong2*>(to)[0] = make_longlong2(from[0], from[1 % WIDTH]);
        reinterpret_cast<longlong2*>(to)[1] = make_longlong2(from[2 % WIDTH], from[3 % WIDTH]);
    } else {
        to[0] = from[0];
    }
}
"""
_DOUBLES = _LONGS.replace("longlong2", "double2").replace("long long", "double")
_HALVES = """// Of 16 bits: widened when they are read, and rounded when they are written.
template <int WIDTH>
__device__ void load(float* to, const __half* from) {
    if (WIDTH == 4) {
        const uint2 four = *reinterpret_cast<const uint2*>(from);
        const __half* each = reinterpret_cast<const __half*>(&four);
        for (int e = 0; e < WIDTH; ++e) to[e] = __half2float(each[e]);
    } else {
        to[0] = __half2float(from[0]);
    }
}

template <int WIDTH>
__device__ void store(__half* to, const float* from) {
    if (WIDTH == 4) {
        uint2 four;
        __half* each = reinterpret_cast<__half*>(&four);
        for (int e = 0; e < WIDTH; ++e) each[e] = __float2half(from[e]);
        *reinterpret_cast<uint2*>(to) = four;
    } else {
        to[0] = __float2half(from[0]);
    }
}
"""
_BFLOATS = (
    _HALVES.replace("__half2float", "__bfloat162float").replace("__float2half", "__float2bfloat16").replace("__half", "__nv_bfloat16")
)
_MOVES = {
    "float": _FLOATS,
    "bool": _BOOLS,
    "int": _INTS,
    "long long": _LONGS,
    "double": _DOUBLES,
    "__half": _HALVES,
    "__nv_bfloat16": _BFLOATS,
}
"""For kernels of a parameter ``WIDTH``: 4, or 1 where sizes do not divide."""
_KEYS = """// An element's order and its place in one number: the largest is that of the {which} element, of equals the first. NaN comes
// before all numbers.
__device__ unsigned long long key_of_{which}(float value, long long at) {{
    const unsigned bits = __float_as_uint(value + 0.0f);
    const unsigned order = value != value ? 0xffffffffu : bits >> 31 ? {negative} : {positive};
    return (unsigned long long)order << 32 | (0xffffffffu - (unsigned)at);
}}
"""
_CLAMPED = """// The nearest place in one of the arrays that are joined; what is read there where another one is meant is not used.
__device__ long long clamped(long long place, long long most) { return place < 0 ? 0 : place > most ? most : place; }

"""
_KEY_ORDERS = {"most": ("~bits", "bits | 0x80000000u"), "least": ("bits", "~(bits | 0x80000000u)")}


def moves(types: Iterable[str], reads: Iterable[Read]) -> str:
    """What loads and stores neighbours of these types."""
    used = set(types)
    apart = [_APART] if any(read.array is not None and read.place == "near" and not read.is_vector for read in reads) else []
    return "\n".join([_HEAD, *(text for c_type, text in _MOVES.items() if c_type in used or c_type == "float"), *apart, _ALIGNED])


def helpers(plans: Sequence[Plan]) -> str:
    """Functions that steps call."""
    texts = [step.text for plan in plans for step in plan.steps]
    used = [which for which in _KEY_ORDERS if any(f"key_of_{which}(" in text for text in texts)]
    clamped = _CLAMPED if any("clamped(" in read.index for plan in plans for read in plan.reads) else ""
    return clamped + "".join(
        _KEYS.format(which=which, negative=_KEY_ORDERS[which][0], positive=_KEY_ORDERS[which][1]) + "\n" for which in used
    )


def all_folds_of(plan: Plan) -> list[Fold]:
    """What elements are folded by, each once."""
    return list(dict.fromkeys((step.kind, step.c_type) for kind in FOLDS for step in plan.steps if step.kind == kind))


def begin(fold: Fold) -> str:
    """Where it begins."""
    kind, c_type = fold
    return _BEGIN[kind] if c_type == "float" else "0"


def joined(fold: Fold, a: str, b: str) -> str:
    """Two values as one."""
    kind, c_type = fold
    return (FOLDS if c_type == "float" else _OF_WHOLE)[kind].format(a=a, b=b)


def alignment(plan: Plan, outputs: Iterable[str]) -> str:
    """The condition, in C, under which all that is moved four at a time may be."""
    if any("WIDTH" in read.index and not read.is_aligned for read in plan.reads):
        return "false /* four neighbours may be of two of the arrays that are joined */"
    near = sorted({read.array.name for read in plan.reads if read.array is not None and read.is_vector})
    return " && ".join(f"is_aligned({name})" for name in dict.fromkeys((*outputs, *near))) or "true"


def read_in(plan: Plan, wanted: Sequence[Step]) -> list[int]:
    """The numbers of the reads that these values are made of."""
    texts = [step.text for step in (*needed(plan.steps, wanted), *wanted)]
    return [number for number in range(len(plan.reads)) if any(f"@a{number}@" in text for text in texts)]


def loads(plan: Plan, numbers: Iterable[int], indent: str) -> Iterator[str]:
    """Neighbours of each array, or the one element that all of them share."""
    for read in (plan.reads[number] for number in numbers):
        if read.array is None:
            continue
        if read.place == "near":
            yield f"{indent}{read.array.value_type} {read.word}_near[WIDTH];"
            yield element_load(read, f"{read.word}_near", indent)
        else:
            found = f"{read.array.name}[{read.index}]"
            value = f"{read.condition} ? {read.array.value_type}({found}) : 0" if read.condition else found
            yield f"{indent}const {read.array.value_type} {read.word}_one = {value};"


def element_load(read: Read, to: str, indent: str) -> str:
    """Neighbours, or the one element that all of them share, into a variable that is there."""
    assert read.array is not None
    if read.condition:
        indent = f"{indent}if ({read.condition}) "
    if read.is_vector:
        return f"{indent}load<WIDTH>({to}, {read.array.name} + {_summand(read.index)});"
    if read.place == "near":
        return f"{indent}load_each<WIDTH>({to}, {read.array.name} + {_summand(read.index)}, {read.step});"
    return f"{indent}{to} = {read.array.name}[{read.index}];"


def plain_words(plan: Plan) -> dict[int, str]:
    """For kernels in which each thread reads an element at a time."""
    return {number: _plain(read) for number, read in enumerate(plan.reads)}


def vector_words(plan: Plan, kept: Iterable[int] = ()) -> dict[int, str]:
    """The locals of `loads`, for the neighbour ``e``; ``kept``: what stays in registers from the first time."""
    own = set(kept)
    return {number: f"{read.word}_kept[k][e]" if number in own else _near(read) for number, read in enumerate(plan.reads)}


def _plain(read: Read) -> str:
    if read.array is None:
        return _coordinate(read)
    element = f"{read.array.name}[{read.index}]"
    return f"(float){element}" if read.array.c_type in HALVES else element


def _coordinate(read: Read) -> str:
    return read.index if read.index.isidentifier() else f"({read.index})"


def _near(read: Read) -> str:
    if read.array is None:
        return f"({read.index} + e)" if read.place == "near" else _coordinate(read)
    return f"{read.word}_near[e]" if read.place == "near" else f"{read.word}_one"


def with_words(steps: Sequence[Step], words: Mapping[int, str], rows: Iterable[str] = ()) -> list[Step]:
    """Their texts with what stands for reads; ``rows``: values of which each neighbour has its own."""
    found = [replace(step, text=in_words(step.text, words)) for step in steps]
    names = list(rows)
    if not names:
        return found
    pattern = re.compile("|".join(rf"\b{name}\b" for name in names))
    return [replace(step, text=pattern.sub(lambda match: f"{match[0]}[e]", step.text)) for step in found]


def near_stores(plan: Plan, indent: str) -> tuple[list[str], list[str]]:
    """The locals of full outputs, and what each neighbour receives."""
    names = [(store.array, store.step) for store in plan.full_stores]
    return (
        [f"{indent}{array.value_type} {array.name}_near[WIDTH];" for array, _ in names],
        [f"{indent}    {array.name}_near[e] = {step.name};" for array, step in names],
    )


def folded(step: Step, indent: str, part: str = "") -> Iterator[str]:
    """One more element of a thread's own."""
    part = part or f"part_{step.name}"
    if step.kind == "sum":
        yield f"{indent}{part} += {step.text};"
    else:
        term = f"term_{step.name}"
        yield f"{indent}const {step.c_type} {term} = {step.text};"
        yield f"{indent}{part} = {joined((step.kind, step.c_type), part, term)};"


def row_value(step: Step) -> str:
    """A value that each row has once."""
    return f"    const {step.c_type} {step.name} = {step.text};{note(step)}"


def each_neighbour(lines: Iterable[str], indent: str) -> Iterator[str]:
    """A loop over the WIDTH neighbours of a thread, by ``e``."""
    yield f"{indent}#pragma unroll"
    yield f"{indent}for (int e = 0; e < WIDTH; ++e) {{"
    yield from lines
    yield f"{indent}}}"


def same_steps(steps: Iterable[Step], wanted: Iterable[Step]) -> list[Step]:
    """The wanted values, as they stand among ``steps``."""
    names = {step.name for step in wanted}
    return [step for step in steps if step.name in names]


def _summand(index: str) -> str:
    return f"({index})" if " % " in index and " + " in index else index
