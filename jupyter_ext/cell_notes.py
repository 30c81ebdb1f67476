"""What is said below a cell of the kernels that are not, or not wholly, worked on. Pure.

Example::

    advice_on(False, halve, parsed, signatures)   # ("compiled only: to verify, profile and improve halve, bind arrays with --args …",)
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.live.names import python_name
from assistant.live.variables import variables_of
from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel, ParsedSource
from assistant.workload.signature import Signature

__all__ = ["advice_on", "left_alone", "uncompared"]


def advice_on(is_enough: bool, kernel: Kernel | None, parsed: ParsedSource, signatures: Mapping[str, Signature]) -> tuple[str, ...]:
    """What a cell that is compiled only needs to be more; nothing where that is ``is_enough``."""
    if is_enough:
        return ()
    name = kernel.name if kernel is not None else parsed.kernels[0].name
    parameters = signatures[name].parameters if name in signatures else ()
    given = ",".join(f"{python_name(parameter.name)}=…" for parameter in parameters)
    what = "bind arrays with" if any(parameter.is_pointer for parameter in parameters) else "say how it is launched:"
    return (f"compiled only: to verify, profile and improve {name}, {what} {f'--args {given} ' if given else ''}--grid … --block …",)


def uncompared(kernel: Kernel | None, signatures: Mapping[str, Signature], text: str) -> str:
    """Why no edit of a bound kernel can be judged; empty where one can."""
    parameters = () if kernel is None else signatures[kernel.name].parameters
    is_writable = any((p.is_pointer and not p.is_const) or parse_element_type(p.element_type or p.type) is None for p in parameters)
    variables = variables_of(text)
    if kernel is None or is_writable or variables.known:
        return ""
    names = ", ".join(variables.unknown)
    what = f"what it leaves in {names} is not compared" if names else "it leaves nothing that could be compared"
    return f"{kernel.name} has no array to write, and {what}: it is checked and profiled, but not edited; give it an array to write to"


def left_alone(bound: Kernel | None, signatures: Mapping[str, Signature]) -> tuple[str, ...]:
    """What is left alone where one of several kernels is bound and the line does not name it."""
    others = () if bound is None else tuple(name for name in signatures if name != bound.name)
    if bound is None or not others:
        return ()
    left = f"{', '.join(others)} {'is' if len(others) == 1 else 'are'} only compiled; %%kernelopt {others[0]} … is about it"
    return (f"{bound.name} is verified, profiled and improved; {left}",)
