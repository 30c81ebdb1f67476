"""Variables in device memory that a CUDA text declares: ``__device__``, ``__constant__`` and ``__managed__`` ones.

Example::

    device_variable_types("__constant__ float lut[256]; __device__ int *next;")    # {'lut': 'float', 'next': 'int *'}
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.functions import function_declarator
from assistant.cuda.recovery import recover
from assistant.cuda.variables import declared_variables

__all__ = ["device_variable_types"]

_SPACES = frozenset({"__device__", "__constant__", "__managed__"})


def device_variable_types(text: str) -> Mapping[str, str]:
    """The element type of each, without ``const``, by name."""
    return {
        variable.name: f"{variable.type} {'*' * variable.indirection}".rstrip()
        for tree in recover(text).trees
        for declaration in tree.find("declaration")
        if any(tree.text(word) in _SPACES for word in declaration.children) and function_declarator(declaration) is None
        for variable in declared_variables(tree, declaration)
    }
