"""The worker's own kernels (``helpers.cu``, and ``timing/kit.cu`` behind it), compiled like any program and kept in the cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assistant.device.protocol import CompileRequest, compile_request
from assistant.device.timing.kit import KIT_SOURCE

__all__ = ["HELPERS", "helpers_request"]

HELPERS = Path(__file__).with_name("helpers.cu")


def helpers_request(message: dict[str, Any]) -> CompileRequest:
    """The compile that a message asks for (``architecture``, ``cache_directory``, …); raises DecodeError."""
    source = [str(HELPERS), "\n".join(path.read_text("utf-8") for path in (HELPERS, KIT_SOURCE))]
    return compile_request({**message, "sources": [source], "want": ["cubin"]})
