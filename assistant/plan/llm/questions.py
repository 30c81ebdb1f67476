"""What a question of a search is about, whatever its words: the same when a search that was stopped comes to it again.

The words may differ then: what was tried meanwhile is listed in them. Example::

    question(request, "code", step.technique, "1")     # "9f2c…", of this kernel in this text
"""

from __future__ import annotations

import hashlib
import json

from assistant.ports.planner import PlanRequest

__all__ = ["question"]


def question(request: PlanRequest, *what: str) -> str:
    """A hash of the kernel, its program's texts, what a person asked for, whose island asks, and ``what``."""
    known = {source.path for source in request.others}
    headers = (file.source for file in request.program if file.source.path not in known)
    texts = [request.parsed.source.text, *(source.text for source in (*request.others, *headers))]
    place = [request.kernel.key, texts, request.wishes, request.hint, request.island, what]
    return hashlib.sha256(json.dumps(place).encode()).hexdigest()
