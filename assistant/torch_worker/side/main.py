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
import time
import traceback
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from assistant.torch_worker.side.forking import serve

__all__ = ["run", "run_orders"]

_TRACE_LINES = 3
_BLAS_THREADS = "OPENBLAS_NUM_THREADS"


def run_orders() -> int:
    """Each order that comes over standard input in a child, which finds PyTorch imported and nothing else done; 0."""
    return serve(_prepare, run)


def run(order_path: Path, begun_s: float | None = None) -> int:
    """0; what went wrong in the user's code is part of the answer. ``begun_s``: when its time began, by ``time.monotonic``; None: now."""
    folder = order_path.parent
    order = json.loads(order_path.read_text("utf-8"))
    os.dup2(2, 1)
    gone_s = 0.0 if begun_s is None else time.monotonic() - begun_s
    faulthandler.dump_traceback_later(max(0.1, order["stuck_s"] - gone_s))  # what it waits for is said before it is ended
    answer = _answer(order, folder)
    (folder / "answer.json").write_text(json.dumps(answer), "utf-8")
    return 0


def _prepare(order_path: Path) -> None:
    """Import what the order's role needs; that there is no PyTorch is said by `run`."""
    order = json.loads(order_path.read_text("utf-8"))
    with suppress(ImportError), _no_blas_threads():
        role = importlib.import_module(f"assistant.torch_worker.side.{order['role']}")
        role.prepare(order)


@contextmanager
def _no_blas_threads() -> Generator[None]:
    """NumPy's OpenBLAS starts a thread for each core when it is first imported."""
    before = os.environ.get(_BLAS_THREADS)
    os.environ[_BLAS_THREADS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_BLAS_THREADS]
        else:
            os.environ[_BLAS_THREADS] = before


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
