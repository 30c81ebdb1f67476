# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""Which kernels really ran on the GPU during a call, as CUPTI reports them through PyTorch's profiler.

A kernel is a candidate's own where its name stands in the candidate's text and is in no library's namespace. Example::

    trace = Trace(words_of(text))
    with trace.recorded() as kernels:
        model(x)
    kernels     # [Ran(name="row_softmax_of", is_own=True, time_s=3.1e-06), …]; None where this machine does not tell
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch._C._autograd import DeviceType
from torch.profiler import ProfilerActivity, profile

__all__ = ["Ran", "Trace", "words_of"]

_LIBRARIES = re.compile(r"\b(?:at|c10|cub|thrust|cutlass|cute|cudnn|cublas\w*)::")
_NO_KERNEL = ("Memcpy", "Memset")
_FILLS_AND_COPIES = re.compile(r"FillFunctor|direct_copy_kernel|CatArrayBatchedCopy|copy_device_to_device|bfloat16_copy|float16_copy")
"""Kernels of PyTorch that move what others compute, as ``watching.is_free`` says of functions."""


class Ran(NamedTuple):
    """One kernel's launch."""

    name: str
    """Without what it is instantiated with and what it takes."""
    is_own: bool
    time_s: float


def words_of(*texts: str) -> frozenset[str]:
    """All names in these texts."""
    return frozenset(word for text in texts for word in re.findall(r"[A-Za-z_]\w*", text))


class Trace:
    """Records kernels of calls; ``words``: names in the candidate's texts; ``with_copies``: those that move and fill, too."""

    def __init__(self, words: frozenset[str], *, with_copies: bool = False) -> None:
        self._words = words
        self._with_copies = with_copies
        self.is_blind = not self._sees_kernels()
        """Whether this machine's profiler does not report kernels."""

    @contextmanager
    def recorded(self) -> Generator[list[Ran]]:
        """Those that were started within, filled in at the end; copies and fills are left out."""
        ran: list[Ran] = []
        if self.is_blind:
            yield ran
            return
        with profile(activities=[ProfilerActivity.CUDA]) as recording:
            yield ran
            torch.cuda.synchronize()
        for event in recording.events() or ():
            if event.device_type == DeviceType.CUDA and self._counts(event.name):
                ran.append(self._ran(event))

    def _counts(self, name: str) -> bool:
        return self._with_copies or not (name.startswith(_NO_KERNEL) or _FILLS_AND_COPIES.search(name))

    def _ran(self, event: Any) -> Ran:
        name = plain_name(event.name)
        return Ran(name, is_own(name, self._words), event.device_time * 1e-6)

    def _sees_kernels(self) -> bool:
        value = torch.ones(64, device="cuda")
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CUDA]) as recording:
            value.mul_(2.0)
            torch.cuda.synchronize()
        return any(event.device_type == DeviceType.CUDA for event in recording.events() or ())


def is_own(name: str, words: frozenset[str]) -> bool:
    """Whether a kernel of that plain name is the candidate's; what it takes may be a library's (``at::PackedTensorAccessor32``)."""
    return name.rpartition("::")[2] in words and not _LIBRARIES.search(name)


def plain_name(name: str) -> str:
    """``void ns::softmax<float, 4>(float*, int)`` → ``ns::softmax``."""
    plain, depth = [], 0
    for letter in name.replace("(anonymous namespace)::", ""):
        if letter == "(" and not depth:
            break
        depth += (letter == "<") - (letter == ">")
        if not depth and letter != ">":
            plain.append(letter)
    return "".join(plain).strip().rpartition(" ")[2]
