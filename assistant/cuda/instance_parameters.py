"""Template instances: a demangled symbol's arguments put into the kernel's parameters.

Example::

    instance_parameters(kernel, "tr<float, 1>(float*, float const*)")[0].element_type   # 'float', where the source says T
"""

from __future__ import annotations

from functools import partial

from assistant.cuda.match import template_arguments_of
from assistant.cuda.spelling import substitute
from assistant.model.source import Kernel, Parameter

__all__ = ["instance_parameters", "readable_instance"]


def instance_parameters(kernel: Kernel, instance: str) -> tuple[Parameter, ...]:
    """The kernel's parameters with template type names replaced by the instance's arguments."""
    names = (parameter.name for parameter in kernel.template_parameters)
    values = dict(zip(names, template_arguments_of(kernel, instance), strict=False))
    return tuple(p.with_types(partial(substitute, arguments=values)) for p in kernel.parameters)


def readable_instance(kernel: Kernel, name: str) -> str:
    """The instance's name; where no tool demangled it the kernel's own, with the symbol next to it if a template has several."""
    if not name.startswith("_Z"):
        return name
    return f"{kernel.key} [{name}]" if kernel.template_parameters else kernel.key
