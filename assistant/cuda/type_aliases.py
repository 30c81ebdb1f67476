"""Other names of types that a text gives by ``typedef``, ``using`` or ``#define``, and kernels with what these stand for.

Example::

    spelled_out(kernel, type_aliases("typedef float real;")).parameters[0].type     # 'float *', where the source says `real *`
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from assistant.cuda.code_text import uncommented
from assistant.model.source import Kernel, Parameter

__all__ = ["plain_type", "spelled_out", "type_aliases"]

_TYPE = r"((?:const\s+)?[A-Za-z_][\w:]*(?:\s+(?:int|long|char|short))*)"
_ALIAS = re.compile(
    rf"^[ \t]*(?:typedef\s+{_TYPE}\s+(?P<typedef>[A-Za-z_]\w*)\s*;"
    rf"|using\s+(?P<using>[A-Za-z_]\w*)\s*=\s*{_TYPE}\s*;"
    rf"|\#[ \t]*define[ \t]+(?P<macro>[A-Za-z_]\w*)[ \t]+{_TYPE.replace(chr(92) + 's', '[ ' + chr(92) + 't]')}[ \t]*$)",
    re.MULTILINE,
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_MOST_STEPS = 8
"""From one alias to the next."""


def type_aliases(text: str) -> Mapping[str, str]:
    """What each name stands for, as it is written; names that stand for two things are left out."""
    found: dict[str, str | None] = {}
    for match in _ALIAS.finditer(uncommented(text)):
        name = match["typedef"] or match["using"] or match["macro"]
        target = " ".join(next(group for group in (match[1], match[4], match[6]) if group is not None).split())
        found[name] = target if found.get(name, target) == target else None
    return {name: target for name, target in found.items() if target is not None and target != name}


def spelled_out(kernel: Kernel, aliases: Mapping[str, str]) -> Kernel:
    """The kernel with parameters of the types that aliases stand for; template parameters hide them."""
    known = {name: target for name, target in aliases.items() if name not in {p.name for p in kernel.template_parameters}}
    return kernel if not known else replace(kernel, parameters=tuple(_spelled_out(p, known) for p in kernel.parameters))


def _spelled_out(parameter: Parameter, aliases: Mapping[str, str]) -> Parameter:
    element = parameter.element_type
    return replace(
        parameter, type=plain_type(parameter.type, aliases), element_type=None if element is None else plain_type(element, aliases)
    )


def plain_type(spelled: str, aliases: Mapping[str, str]) -> str:
    """The type with what its words stand for; as it is where they stand for nothing."""
    for _ in range(_MOST_STEPS):
        plain = _WORD.sub(lambda word: aliases.get(word[0], word[0]), spelled)
        if plain == spelled:
            break
        spelled = plain
    return spelled
