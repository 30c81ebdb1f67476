"""Other names of types that a text gives by ``typedef``, ``using`` or ``#define``, and kernels with what these stand for.

Example::

    spelled_out(kernel, type_aliases("typedef float real;")).parameters[0].type     # 'float *', where the source says `real *`
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial

from assistant.cuda.code_text import uncommented
from assistant.cuda.tokens import KEPT_TEXTS
from assistant.model.source import Kernel

__all__ = ["spelled_out", "spelled_type", "type_aliases"]

_TYPE = r"((?:const\s+)?[A-Za-z_][\w:]*(?:\s+(?:int|long|char|short))*)"
_ALIAS = re.compile(
    rf"(?:^|(?<=[;{{}}]))[ \t]*(?:typedef\s+{_TYPE}\s+(?P<typedef>[A-Za-z_]\w*)\s*;"
    rf"|using\s+(?P<using>[A-Za-z_]\w*)\s*=\s*{_TYPE}\s*;)"
    rf"|^[ \t]*\#[ \t]*define[ \t]+(?P<macro>[A-Za-z_]\w*)[ \t]+{_TYPE.replace(chr(92) + 's', '[ ' + chr(92) + 't]')}[ \t]*$",
    re.MULTILINE,
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_MOST_STEPS = 8
"""From one alias to the next."""


@lru_cache(maxsize=KEPT_TEXTS)
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
    spelled = partial(spelled_type, aliases=known)
    return replace(kernel, parameters=tuple(p.with_types(spelled) for p in kernel.parameters)) if known else kernel


def spelled_type(spelled: str, aliases: Mapping[str, str]) -> str:
    """The type with every alias in it followed."""
    for _ in range(_MOST_STEPS):
        plain = _WORD.sub(lambda word: aliases.get(word[0], word[0]), spelled)
        if plain == spelled:
            break
        spelled = plain
    return spelled
