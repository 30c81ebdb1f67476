"""Code as a model meant it: without the fence, the line numbers and the remarks that it copied along.

Example::

    cleaned("```cuda\\n 9 | int x = 0;   // {E…} E1 global_sectors: 4 sectors\\n```")    # "int x = 0;"
"""

from __future__ import annotations

import re

from assistant.plan.llm.annotate import MARGIN

__all__ = ["cleaned"]

_FENCE = re.compile(r"\A\s*```[^\n]*\n(?P<code>.*?)\n```\s*\Z", re.DOTALL)
_NUMBERED = re.compile(r"^[ \t]*\d+ \| ?", re.MULTILINE)
_REMARK = re.compile(re.escape(MARGIN.rstrip()) + r"[^\n]*")


def cleaned(code: str) -> str:
    """``code`` with unix line ends, without blank lines around it and without what the prompt added to the source."""
    unix = code.replace("\r\n", "\n")
    fenced = _FENCE.match(unix)
    unix = unix if fenced is None else fenced["code"]
    lines = [line for line in unix.split("\n") if line.strip()]
    if lines and all(_NUMBERED.match(line) for line in lines):
        unix = _NUMBERED.sub("", unix)
    return _REMARK.sub("", unix).strip("\n").rstrip()
