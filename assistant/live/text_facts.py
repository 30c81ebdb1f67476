"""What a text says of a kernel's parameters besides their types: layouts of its structs, pointers that may be null.

Example::

    text_facts(parsed, kernel).layout_of("Body").size_bytes     # 16
"""

from __future__ import annotations

from functools import partial

from assistant.cuda.struct_layouts import layout_named
from assistant.live.binding import TextFacts
from assistant.model.source import Kernel, ParsedSource
from assistant.workload.null_tests import null_tested

__all__ = ["text_facts"]


def text_facts(parsed: ParsedSource, kernel: Kernel | None) -> TextFacts:
    """``kernel``: the one whose parameters are meant; None where only structs are asked for."""
    text = parsed.source.text
    return TextFacts(partial(layout_named, text), frozenset() if kernel is None else null_tested(text, kernel))
