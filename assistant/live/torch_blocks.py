"""The extents of PyTorch's tensors while a cell ran, as its caching allocator reports them; PyTorch is never imported.

The allocator reports the parts that are in use now. A part that was given back meanwhile may have been given out anew in another size, so
parts that touch one are left out: the allocator's own history of the cell says which (it is kept for the cell only, and not where the
user keeps one). Example::

    blocks = TensorBlocks()
    …                                # the user's Python
    extents = blocks.end()
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

from assistant.workload.narrow import Extent

__all__ = ["TensorBlocks"]

_IN_USE = "active_allocated"
_GIVEN_BACK = "free_requested"
_MOST_EVENTS = 100_000
"""Events kept of a cell; about 100 bytes each without tracebacks."""
_UNKNOWN = (AttributeError, KeyError, TypeError, ValueError, RuntimeError)
"""What comes of a PyTorch whose debugging interface is another one."""


class TensorBlocks:
    """Begun where it is made. ``torch.cuda.memory._snapshot`` and its history are PyTorch's own debugging interface (2.1 and later).

    Of one that has it otherwise nothing is known: the user's cell runs all the same.
    """

    def __init__(self) -> None:
        self._freed_before = 0
        self._keeps_history = False
        with suppress(*_UNKNOWN):
            self._begin()

    def end(self) -> tuple[Extent, ...]:
        """Parts that were the same from when they were given out until now; none without PyTorch on a GPU."""
        memory = _memory()
        if memory is None:
            return ()
        try:
            return self._same_parts(memory)
        except _UNKNOWN:
            return ()
        finally:
            if self._keeps_history:
                with suppress(*_UNKNOWN):
                    memory._record_memory_history(None)

    def _begin(self) -> None:
        memory = _memory()
        if memory is None:
            return
        self._freed_before = _freed_count(memory)
        if not any(_traces(memory)):
            memory._record_memory_history("all", context=None, max_entries=_MOST_EVENTS)
            self._keeps_history = True

    def _same_parts(self, memory: Any) -> tuple[Extent, ...]:
        segments = memory.memory_snapshot()
        freed_count = _freed_count(memory) - self._freed_before
        freed = self._given_back(memory)
        if freed_count and (freed is None or len(freed) < freed_count):
            return ()
        used = (_extent(block) for segment in segments for block in segment["blocks"] if block["state"] == _IN_USE)
        return tuple(extent for extent in used if extent is not None and not any(extent.overlaps(gone) for gone in freed or ()))

    def _given_back(self, memory: Any) -> list[Extent] | None:
        """What was given back during the cell; None where it was not kept."""
        if not self._keeps_history:
            return None
        events = [event for trace in _traces(memory) for event in trace]
        return [Extent(int(event["addr"]), int(event["size"])) for event in events if event["action"] == _GIVEN_BACK]


def _memory() -> Any:
    """``torch.cuda.memory`` of a PyTorch that works on a GPU in this process; None without."""
    torch: Any = sys.modules.get("torch")
    return torch.cuda.memory if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized() else None


def _traces(memory: Any) -> list[list[dict[str, Any]]]:
    return memory._snapshot()["device_traces"]


def _freed_count(memory: Any) -> int:
    torch: Any = sys.modules["torch"]
    return sum(int(memory.memory_stats(index).get("allocation.all.freed", 0)) for index in range(torch.cuda.device_count()))


def _extent(block: dict[str, Any]) -> Extent | None:
    size_bytes = int(block.get("requested_size") or block["size"])
    return Extent(int(block["address"]), size_bytes) if "address" in block else None
