# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""What a candidate does besides returning values: functions of PyTorch that compute for it, functions that it replaces, files it opens.

The candidate's process writes this down about itself, so it is a help to honest people; what a verdict of wrong rests on is found by
comparing values elsewhere.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from assistant.torch_worker.side.library_op import MADE

__all__ = ["Fingerprint", "OpenedFiles", "computing_calls", "is_free"]

_FREE = frozenset({
    "empty", "empty_strided", "empty_like", "new_empty", "new_empty_strided", "new_zeros", "new_full", "new_ones", "zeros",
    "zeros_like", "ones", "ones_like", "full", "full_like", "fill_", "zero_", "arange", "scalar_tensor", "view", "_unsafe_view",
    "reshape", "_reshape_alias", "as_strided", "expand", "permute", "transpose", "t", "unsqueeze", "squeeze", "slice", "select",
    "split", "split_with_sizes", "chunk", "unbind", "detach", "detach_", "alias", "contiguous", "clone", "copy_", "_to_copy",
    "to", "lift_fresh", "size", "stride", "is_same_size", "set_", "resize_", "_local_scalar_dense", "unfold", "narrow", "view_as",
    "flatten", "_conj", "is_pinned",
})  # fmt: skip
"""ATen functions that allocate, view and copy: no work that a kernel is written for."""
_WATCHED = (torch, torch.nn.functional, torch.Tensor, torch.cuda, time)


def is_free(name: str) -> bool:
    """Whether an ATen function of this name allocates, views or copies, and computes nothing."""
    return name in _FREE


class _ComputingCalls(TorchDispatchMode):
    """Counts the ATen functions that compute, by name, also in threads that are begun meanwhile: a mode holds for its thread alone."""

    def __init__(self, counts: Counter[str] | None = None) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter() if counts is None else counts

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.counted(func, args, kwargs)

    def counted(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What the function returns."""
        name = func.overloadpacket.__name__
        if not is_free(name) and not (func.namespace == "kernelopt" and name in MADE):
            self.counts[name] += 1
        return func(*args, **(kwargs or {}))


class _ComputingCallsOfALauncher(_ComputingCalls):
    """For code without Python of its own: nothing is to be kept from torch.compile, which PyTorch would import first, for seconds."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.counted(func, args, kwargs)


@contextmanager
def computing_calls(*, is_of_launcher: bool = False) -> Generator[Counter[str]]:
    """How often each function of ATen that computes is called meanwhile."""
    kind = _ComputingCallsOfALauncher if is_of_launcher else _ComputingCalls
    with kind() as mode:
        start = threading.Thread.start

        def started(self: threading.Thread) -> None:
            inner = self.run

            def run() -> None:
                with kind(mode.counts):
                    inner()

            self.run = run
            start(self)

        threading.Thread.start = started
        try:
            yield mode.counts
        finally:
            threading.Thread.start = start


class Fingerprint:
    """Which objects the functions of PyTorch and of ``time`` are."""

    def __init__(self) -> None:
        if torch.manual_seed is torch.random.manual_seed:  # torch.compile puts this in its place when it is first used
            torch.manual_seed = torch._disable_dynamo(torch.manual_seed)  # pyright: ignore[reportPrivateImportUsage]
        self._was = self._now()

    def changed(self) -> list[str]:
        """Names that mean something else than before."""
        now = self._now()
        return sorted(name for name, place in self._was.items() if now.get(name) != place)

    @staticmethod
    def _now() -> dict[str, int]:
        return {
            f"{holder.__name__ if holder is not torch.Tensor else 'torch.Tensor'}.{name}": id(value)
            for holder in _WATCHED
            for name, value in list(vars(holder).items())
            if callable(value) and not name.startswith("__") and not isinstance(value, type)
        }


class OpenedFiles:
    """Refuses these files for the rest of the process, and notes that one was asked for."""

    def __init__(self, paths: frozenset[str]) -> None:
        self.is_asked_for = False

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            if event == "open" and arguments and str(arguments[0]) in paths:
                self.is_asked_for = True
                raise PermissionError(f"{arguments[0]} is the reference, which a candidate must not read")

        sys.addaudithook(hook)
