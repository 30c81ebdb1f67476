"""Arguments of a Python reference as files that the worker which calls it reads.

Example::

    reference_arguments(call.arguments, folder)      # [{"name": "x", "file": "…/x.in", "dtype": "<f8", "value": None}, …]
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assistant.ports.lab import ReferenceArgument

__all__ = ["reference_arguments"]


def reference_arguments(arguments: Sequence[ReferenceArgument], folder: Path) -> list[dict[str, Any]]:
    """As the worker's message has them; arrays are written into ``folder``."""
    return [_described(argument, folder) for argument in arguments]


def _described(argument: ReferenceArgument, folder: Path) -> dict[str, Any]:
    file = None
    if argument.data is not None:
        file = folder / f"{argument.name}.in"
        file.write_bytes(argument.data)
    return {
        "name": argument.name,
        "file": None if file is None else str(file),
        "dtype": argument.dtype,
        "value": argument.value,
    }
