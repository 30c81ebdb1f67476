"""Parameters of what was compiled of a kernel: its demangled symbol says what templates, typedefs and other names of types stand for.

Example::

    instance_parameters(kernel, "tr<float, 1>(float*, float const*)")[0].element_type   # 'float', where the source says T
    instance_parameters(kernel, "sum(int, float*)")[0].type                             # 'int', where the source says `index_t`
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from assistant.cuda.match import template_arguments_of
from assistant.cuda.reading import matching_open, split_arguments
from assistant.cuda.spelling import substitute
from assistant.cuda.type_aliases import spelled_out
from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel, Parameter

__all__ = ["instance_parameters", "parameter_types", "readable_instance"]

_HANDLE = re.compile(r"\b(?:cuda\w*(?:Object_t|Handle)|CU(?:tex|surf)Object)\b")
"""Integers to the compiler that are no numbers: textures and the like."""
_NO_ALIASES: Mapping[str, str] = MappingProxyType({})


def instance_parameters(kernel: Kernel, instance: str, aliases: Mapping[str, str] = _NO_ALIASES) -> tuple[Parameter, ...]:
    """The kernel's parameters with template type names replaced by the instance's arguments, and other names of types by what they are.

    ``aliases``, of the program's text, serve where the instance's name has no types: it is ``extern "C"``, or was not demangled.
    """
    names = (parameter.name for parameter in kernel.template_parameters)
    values = dict(zip(names, template_arguments_of(kernel, instance), strict=False))
    plain = spelled_out(kernel, aliases).parameters
    known = () if instance.startswith("_Z") else parameter_types(instance)
    compiled = known if len(known) == len(plain) else [""] * len(plain)
    settled = map(_settled, kernel.parameters, plain, compiled)
    return tuple(parameter.with_types(partial(substitute, arguments=values)) for parameter in settled)


def parameter_types(instance: str) -> tuple[str, ...]:
    """Parameter types of a demangled function, split at top-level commas."""
    close = instance.rfind(")")
    opening = matching_open(instance, close)
    return () if opening is None else split_arguments(instance[opening + 1 : close])


def readable_instance(kernel: Kernel, name: str) -> str:
    """The instance's name; where no tool demangled it the kernel's own, with the symbol next to it if a template has several."""
    if not name.startswith("_Z"):
        return name
    return f"{kernel.key} [{name}]" if kernel.template_parameters else kernel.key


def _settled(parameter: Parameter, plain: Parameter, compiled: str) -> Parameter:
    """With the number type, or the pointer, that the compiler knows by the text's name; else ``plain``, with aliases followed."""
    if parse_element_type(_value_type(parameter)) is not None or _HANDLE.search(_value_type(plain)):
        return plain
    words = compiled.removesuffix("*").split()
    element = " ".join(word for word in words if word not in ("const", "volatile"))
    is_number = parse_element_type(element) is not None
    if not compiled.endswith("*"):
        return replace(parameter, type=element) if is_number and not parameter.is_pointer else plain
    if parameter.is_pointer and not is_number:
        return plain
    is_const = "const" in words
    pointer = f"{'const ' if is_const else ''}{element} *"
    return replace(parameter, type=pointer, is_pointer=True, is_const=is_const, element_type=element)


def _value_type(parameter: Parameter) -> str:
    """Of the number that is passed, or pointed to."""
    return (parameter.element_type or "") if parameter.is_pointer else parameter.type
