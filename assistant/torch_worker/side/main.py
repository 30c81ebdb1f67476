# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""Reads an order, runs the reference or the candidate as it says, and leaves the answer as JSON next to the order.

Example::

    run(Path("/scratch/reference/order.json"))      # writes /scratch/reference/answer.json
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import traceback
from pathlib import Path
from typing import Any

__all__ = ["run"]

_TRACE_LINES = 3


def run(order_path: Path) -> int:
    """0; what went wrong in the user's code is part of the answer."""
    folder = order_path.parent
    order = json.loads(order_path.read_text("utf-8"))
    os.dup2(2, 1)
    faulthandler.dump_traceback_later(order["stuck_s"])  # what it waits for is said before it is ended
    answer = _answer(order, folder)
    (folder / "answer.json").write_text(json.dumps(answer), "utf-8")
    return 0


def _answer(order: dict[str, Any], folder: Path) -> dict[str, Any]:
    try:
        import torch
    except ImportError as error:
        return {"failure": {"kind": "no_torch", "message": str(error)}}
    torch.set_num_threads(1)
    torch.set_deterministic_debug_mode("warn")  # as use_deterministic_algorithms, which imports torch.compile: another two seconds
    from assistant.torch_worker.side.failures import SideError

    try:
        role = importlib.import_module(f"assistant.torch_worker.side.{order['role']}")
        return role.run(order, folder)
    except SideError as error:
        return {"failure": {"kind": error.kind, "message": str(error)}}
    except Exception as error:  # noqa: BLE001 - the user's code may raise anything
        trace = " ".join(line.strip() for line in traceback.format_exc().splitlines()[-_TRACE_LINES:-1])
        return {"failure": {"kind": "raised", "message": f"{type(error).__name__}: {error} ({trace})"}}
