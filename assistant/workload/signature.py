"""What a replay needs to know of a kernel that a block names: its instance and its parameters' concrete types.

Example::

    signature_of(kernel, "tr<1>").symbol    # 'tr<1>(float*, float const*, int)'
"""

from __future__ import annotations

from functools import partial

from assistant.cuda.match import template_arguments_of
from assistant.cuda.spelling import substitute
from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel, Parameter
from assistant.record import Record

__all__ = ["Signature", "signature_of"]


class Signature(Record):
    """One instance of a kernel."""

    symbol: str
    """Demangled (``tr<1>(float*, float const*, int)``)."""
    parameters: tuple[Parameter, ...]
    """Template parameters replaced by their arguments."""

    @property
    def instance(self) -> str:
        """Without the parameters: ``tr<1>``. Parentheses in template arguments (``k<(Op)1>``) are part of it."""
        depth = 0
        for position, character in enumerate(self.symbol):
            if character == "(" and depth == 0:
                return self.symbol[:position]
            depth += (character == "<") - (character == ">")
        return self.symbol


def signature_of(kernel: Kernel, written: str) -> Signature:
    """The instance of ``kernel`` that ``written`` names; template arguments not written take their defaults."""
    given = template_arguments_of(kernel, written)
    values = {
        parameter.name: given[index] if index < len(given) else parameter.default or parameter.name
        for index, parameter in enumerate(kernel.template_parameters)
    }
    parameters = tuple(p.with_types(partial(substitute, arguments=values)) for p in kernel.parameters)
    arguments = f"<{', '.join(values.values())}>" if values else ""
    types = ", ".join(_demangled(parameter) for parameter in parameters)
    return Signature(f"{kernel.qualified_name}{arguments}({types})", parameters)


def _demangled(parameter: Parameter) -> str:
    """The type as a demangler prints it: ``const float *`` → ``float const*``; top-level const is no part of it."""
    spelled = parameter.element_type if parameter.is_pointer and parameter.element_type else parameter.type
    element = parse_element_type(spelled)
    name = element.name if element is not None else " ".join(w for w in spelled.split() if w != "const")
    name = {"half": "__half"}.get(name, name)
    if not parameter.is_pointer:
        return name
    is_volatile = "volatile" in parameter.type.partition("*")[0].split()
    return f"{name}{' const' if parameter.is_const else ''}{' volatile' if is_volatile else ''}*"
