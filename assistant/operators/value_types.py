"""Of which types values are: what PyTorch computes with in C, and where rules refuse. Pure.

Example::

    rounded(call, "_to_copy", "float16", "v0")      # "__half2float(__float2half(v0))": what the model converts has no more digits
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.operators.graph import FunctionCall, TensorUse
from assistant.operators.kernel_plan import HALVES
from assistant.operators.origins import C_TYPES, TYPES_IN_WORDS, VALUE_TYPES, RefusedError, place_of
from assistant.operators.pointwise import Word

__all__ = ["WHOLE", "check_types", "rounded", "typed"]

WHOLE = frozenset({"bool", "long long", "int"})
_COMPARISONS = frozenset(
    {"gt", "lt", "ge", "le", "eq", "ne", "logical_and", "logical_or", "logical_not", "bitwise_not", "bitwise_and", "bitwise_or"}
)
_OF_WHOLE = _COMPARISONS | {"add", "sub", "rsub", "mul", "where", "masked_fill", "_to_copy", "copy", "clone", "neg", "tril", "triu"}
"""Functions of whole numbers that rules write."""
_CONDITIONS = {"where": 0, "masked_fill": 1}
_CONVERSIONS = frozenset({"_to_copy", "copy"})


def check_types(call: FunctionCall, name: str, types: Sequence[str], c_type: str) -> None:
    if "" in types:
        odd = next(each.dtype for each in call.arguments if isinstance(each, TensorUse) and each.dtype not in VALUE_TYPES)
        raise RefusedError(f"{place_of(call)} reads {odd}, rules write {TYPES_IN_WORDS}")
    if c_type in WHOLE and name not in _OF_WHOLE:
        raise RefusedError(f"{place_of(call)} computes whole numbers in a way that rules do not write")
    if name.startswith("bitwise") and set(types) != {"bool"}:
        raise RefusedError(f"{place_of(call)} works on bits of whole numbers, which rules do not write")


def typed(call: FunctionCall, name: str, number: int, word: Word, types: Sequence[str], c_type: str) -> Word:
    """Whole numbers as what PyTorch computes with: in a function of whole numbers alone they stay such."""
    argument = call.arguments[number]
    if isinstance(argument, TensorUse):
        is_whole = VALUE_TYPES[argument.dtype] in WHOLE
        is_computed = c_type not in WHOLE and name not in _COMPARISONS and _CONDITIONS.get(name) != number
        return f"({c_type}){word}" if is_whole and is_computed and isinstance(word, str) else word
    is_among_whole = name in _OF_WHOLE and c_type in WHOLE and all(each in WHOLE for each in types)
    return str(word) if is_among_whole and type(word) is int else word


def rounded(call: FunctionCall, name: str, dtype: str, text: str) -> str:
    """What a model converts to 16 bits has no more; between its functions values of 16 bits stay floats."""
    source = call.arguments[1 if name == "copy" else 0]
    rounding = HALVES.get(C_TYPES[dtype])
    if name not in _CONVERSIONS or rounding is None or not isinstance(source, TensorUse) or source.dtype == dtype:
        return text
    return rounding.format(text)
